package interp_test

import (
	"strings"
	"testing"

	"omniexpect/internal/interp"
)

// TestByteOrderMark takes texts as editors save them.
func TestByteOrderMark(t *testing.T) {
	lib := interp.NewLibrary(nil, nil)
	src, err := lib.Parse("a.star", "\uFEFFx = 1\n")
	if err != nil || src.Text != "x = 1\n" {
		t.Errorf("%v", err)
	}
	for text, want := range map[string]string{
		"\uFEFFx = y\n":            `b.star:1:5: undefined name "y"`,
		"\xff\xfex\x00=\x001\x00":  "b.star:1:1: the text is UTF-16, want UTF-8",
		"x\x00 \x00=\x001\x00":     "b.star:1:1: the text is UTF-16LE, want UTF-8",
		"\x00x\x00 \x00=\x001":     "b.star:1:1: the text is UTF-16BE, want UTF-8",
		"\xff\xfe\x00\x00x\x00":    "b.star:1:1: the text is UTF-32, want UTF-8",
		"é = 1\nx = 'é\xe9'\n":     "b.star:2:7: a byte that is not UTF-8",
		"print(1)\n\x00print(2)\n": "b.star:2:1: a NUL character",
	} {
		_, err := lib.Parse("b.star", text)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestDepth takes what is as deep as allowed, and refuses what would be too deep for those who read the tree.
func TestDepth(t *testing.T) {
	many := strings.Repeat
	for name, make := range map[string]func(n int) string{
		"sum":    func(n int) string { return "x = 1" + many("+1", n) },
		"calls":  func(n int) string { return "x = len" + many("()", n) },
		"parts":  func(n int) string { return "x = len" + many("[0]", n) },
		"slices": func(n int) string { return "x = len" + many("[:1]", n) },
		"dots":   func(n int) string { return "x = len" + many(".a", n) },
		"elif":   func(n int) string { return "if 1:\n pass\n" + many("elif 1:\n pass\n", n) },
		"for":    func(n int) string { return "x = [1" + many(" for y in [1]", n) + "]" },
		"lists":  func(n int) string { return "x = " + many("[", n) + many("]", n) },
		"not":    func(n int) string { return "x = " + many("not ", n) + "1" },
		"lambda": func(n int) string { return "x = " + many("lambda: ", n) + "1" },
		"ifs":    func(n int) string { return "x = " + many("1 if 1 else ", n) + "1" },
		"blocks": func(n int) string { return blocks(min(n, 2000)) },
	} {
		lib := interp.NewLibrary(nil, nil)
		if _, err := lib.Parse("a.star", make(70)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		_, err := lib.Parse("b.star", make(100_000))
		if err == nil || !strings.Contains(err.Error(), "nested too deeply") || !strings.HasPrefix(err.Error(), "b.star:") {
			t.Errorf("%s: %.200v, want it nested too deeply", name, err)
		}
	}
}

func blocks(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "if 1:\n")
	}
	return b.String() + strings.Repeat(" ", n) + "pass\n"
}
