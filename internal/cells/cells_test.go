package cells_test

import (
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/width"

	"omniexpect/internal/cells"
)

func TestWidth(t *testing.T) {
	for text, want := range map[string]int{
		"":              0,
		"abc":           3,
		"äöü":           3,
		"Жλ":            2,
		"─█":            2,
		"日本語":           6,
		"한글":            4,
		"ｆｕｌｌ":          8,
		"ﾊﾝ":            2, // half width
		"e\u0301":       1,
		"a\u200db":      2,
		"\U0001f600":    2,
		"\u2713":        1,
		"a\u0489\u20dd": 1,
		"\ufffd":        1,
	} {
		if got := cells.Sum(text); got != want {
			t.Errorf("%q takes %d columns, want %d", text, got, want)
		}
	}
}

// TestShortcuts holds what Width decides without a table against the table.
func TestShortcuts(t *testing.T) {
	for r := rune(0); r < 0xd7a4; r++ {
		want := 1
		switch k := width.LookupRune(r).Kind(); {
		case k == width.EastAsianWide || k == width.EastAsianFullwidth:
			want = 2
		case r >= 0x1160 && r < 0x1200:
			want = 0
		case r >= 0x300 && unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
			want = 0
		}
		if got := cells.Width(r); got != want {
			t.Errorf("%U takes %d columns, want %d", r, got, want)
		}
	}
}

func TestJoined(t *testing.T) {
	for _, tt := range []struct {
		cluster string
		r       rune
		want    int
	}{
		{"e", '\u0301', 1}, {"e", 'x', 0}, {"\u200b", 'x', 0}, {"漢", '字', 0}, {"漢", '\u3099', 2},
		{"🇩", '🇪', 2}, {"🇩🇪", '🇫', 0}, {"👩\u200d", '👧', 2}, {"👩", '👧', 0}, {"👍", '🏽', 2},
		{"❤", '\ufe0f', 2}, {"1\ufe0f", '\u20e3', 2}, {"1", '\u20e3', 1}, {"स्", 'त', 0}, {"न", 'े', 1},
		{"ᄒ", 'ᅡ', 2}, {"ᄒ", 'x', 0}, {"ก", 'ำ', 1},
	} {
		if got := cells.Joined(tt.cluster, tt.r); got != tt.want {
			t.Errorf("%q and %q take %d columns, want %d", tt.cluster, tt.r, got, tt.want)
		}
		if cells.Alone(tt.r) && tt.want != 0 && !strings.HasSuffix(tt.cluster, "\u200d") {
			t.Errorf("%q is said to be alone", tt.r)
		}
	}
}
