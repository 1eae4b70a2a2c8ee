package interp_test

import (
	"strings"
	"testing"

	"omniexpect/internal/interp"
)

// TestExcerpt marks columns in lines of all kinds.
func TestExcerpt(t *testing.T) {
	long := strings.Repeat("a", 60) + "X" + strings.Repeat("b", 60)
	for _, c := range []struct {
		line         string
		col, columns int
		want         string
	}{
		{"f(x)", 3, 80, "    7 | f(x)\n      |   ^"},
		{"\tf(x)", 2, 80, "    7 |         f(x)\n      |         ^"},
		{"é = ü", 5, 80, "    7 | é = ü\n      |     ^"},
		{"日本 = x", 6, 80, "    7 | 日本 = x\n      |        ^"},
		{"e\u0301 = x", 6, 80, "    7 | e\u0301 = x\n      |     ^"},
		{"a\x1b[31m", 1, 80, "    7 | a\uFFFD[31m\n      | ^"},
		{"if x  ", 5, 80, "    7 | if x\n      |     ^"},
		{long, 61, 40, "    7 | …aaaaaaaaaaaaaaXbbbbbbbbbbbbbb…\n      |                ^"},
		{long, 1, 40, "    7 | " + strings.Repeat("a", 29) + "…\n      | ^"},
		{long, 121, 40, "    7 | …" + strings.Repeat("b", 29) + "\n      |                              ^"},
		{strings.Repeat("日", 60), 31, 29, "    7 | …日日日日日日日日日…\n      |          ^"},
		{"x", 1, 0, "    7 | x\n      | ^"},
	} {
		if got := interp.Excerpt(c.line, 7, c.col, c.columns); got != c.want {
			t.Errorf("%q, column %d:\n%s\nwant\n%s", c.line, c.col, got, c.want)
		}
	}
}

// TestExcerptOfLongLine makes sure that the time is linear.
func TestExcerptOfLongLine(t *testing.T) {
	got := interp.Excerpt(strings.Repeat("1+", 1_000_000), 1, 1_000_000, interp.ExcerptWidth)
	if len(got) > 3*interp.ExcerptWidth {
		t.Errorf("%d bytes", len(got))
	}
}
