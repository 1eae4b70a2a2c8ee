package cells

import (
	"strings"
	"unicode"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// Alone reports whether a character never joins the one before it, unless that asks for it, as ZWJ does. It is decided
// without a table; a character of which nothing is known is not alone.
func Alone(r rune) bool {
	return r < 0x300 || r >= 0x2010 && r <= 0x20cf && (r < 0x2028 || r > 0x202e) && (r < 0x2060 || r > 0x206f) ||
		r >= 0x2100 && r <= 0x2cee || r >= 0x3030 && r <= 0x3098 || r >= 0x309b && r <= 0xa66e
}

// Joined returns how many columns a grapheme cluster takes with one character more, or 0 if that begins a cluster of its
// own. A letter does, also where Unicode joins consonants to a conjunct: no terminal draws those in one column.
func Joined(cluster string, r rune) int {
	if unicode.Is(unicode.Lo, r) && !hangul(r) && r != 'ำ' && r != 'ຳ' {
		return 0
	}
	all := cluster + string(r)
	g := graphemes.FromString(all)
	if !g.Next() || g.Value() != all {
		return 0
	}
	return clusterWidth(all)
}

// clusterWidth is 2 for a flag and for what is to be shown as an emoji, else that of the widest character.
func clusterWidth(cluster string) int {
	if strings.Contains(cluster, "\ufe0f") {
		return 2
	}
	widest, flags := 1, 0
	for _, r := range cluster {
		widest = max(widest, Width(r))
		if r >= 0x1f1e6 && r <= 0x1f1ff {
			flags++
		}
	}
	if flags == 2 {
		return 2
	}
	return widest
}

func hangul(r rune) bool {
	return r >= 0x1100 && r <= 0x11ff || r >= 0xa960 && r <= 0xa97f || r >= 0xac00 && r <= 0xd7ff
}
