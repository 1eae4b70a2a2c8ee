package assist_test

import (
	"io/fs"
	"strings"
	"testing"

	"omniexpect/scripts"
)

// FuzzPlaces asks everything at a place of any text: nothing may panic, and what is to be replaced is around the place.
func FuzzPlaces(f *testing.F) {
	for _, text := range []string{"s = spawn('x')\ns.ex", "load(\"@lib//omnigent.star\", \"o", "def f(a,\n  b):\n\tx(", "\"\"\"", "if x:\nelse:\n(", "x = y.", "ü.ö(ß = \n", ")]}([{", "else:", "a;b.;c("} {
		f.Add(text, len(text))
		f.Add(text, len(text)/2)
	}
	g := guide(f)
	f.Fuzz(func(t *testing.T, text string, at int) {
		if at < 0 || at > len(text) {
			t.Skip()
		}
		c := g.Complete("/dir/a.star", text, at, files)
		if c.From > at || c.From < 0 || c.To < at || c.To > len(text) {
			t.Errorf("replaces %d to %d at %d", c.From, c.To, at)
		}
		if h, ok := g.Hover("/dir/a.star", text, at); ok && (h.From > at || h.To < at) {
			t.Errorf("hover from %d to %d at %d", h.From, h.To, at)
		}
		g.Sign("/dir/a.star", text, at)
		g.Define("/dir/a.star", text, at)
		g.Outline("/dir/a.star", text)
	})
}

// TestEveryPrefix breaks a script off at many places: attributes and names of the script are found all the same.
func TestEveryPrefix(t *testing.T) {
	b, err := fs.ReadFile(scripts.Files, "claude_resume.star")
	if err != nil {
		t.Fatal(err)
	}
	g := guide(t)
	script := string(b)
	_, body, _ := strings.Cut(script, `"""`)
	begin := len(script) - len(body) + strings.Index(body, `"""`) + 3
	for at := begin; at < len(script); at += 37 {
		text := script[:at] + "\n" + "spawn(\"x\")."
		if c := g.Complete("@scripts//claude_resume.star", text, len(text), files); len(c.Items) == 0 {
			t.Errorf("nothing after %.60q", script[max(0, at-60):at])
		}
	}
}
