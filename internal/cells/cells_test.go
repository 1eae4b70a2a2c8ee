package cells_test

import (
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
		case r >= 0x300 && unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
			want = 0
		}
		if got := cells.Width(r); got != want {
			t.Errorf("%U takes %d columns, want %d", r, got, want)
		}
	}
}
