package interp_test

import (
	"testing"

	"omniexpect/internal/interp"
)

func TestLoops(t *testing.T) {
	lib := interp.NewLibrary(nil, nil)
	lib.ReadFile = func(name string) ([]byte, error) {
		return []byte(map[string]string{
			"still.star": "def f():\n    return 1\n",
			"outer.star": "load(\"loop.star\", \"g\")\nh = g\n",
			"loop.star":  "def g():\n    for x in [1]:\n        pass\n",
		}[name]), nil
	}
	for text, want := range map[string]bool{
		"":                                      false,
		"x = [1, 2]\nif x: y = x\n":             false,
		"while 1:\n    pass\n":                  true,
		"def f(a):\n    for b in a: pass\n":     true,
		"x = {a: [b for b in a] for a in []}\n": true,
		"f = lambda a: [b for b in a]\n":        true,
		"load(\"still.star\", \"f\")\nf()\n":    false,
		"load(\"outer.star\", \"h\")\nh()\n":    true,
	} {
		src, err := lib.Parse("main.star"+text, text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if src.Loops() != want {
			t.Errorf("%q: %v, want %v", text, !want, want)
		}
	}
}

// TestNamesWhenNeeded asks for the predeclared names once, and not before a script uses a name that it does not bind.
func TestNamesWhenNeeded(t *testing.T) {
	asked := 0
	lib := interp.NewLibraryFor(nil, func() []string {
		asked++
		return []string{"spawn"}
	})
	for i, tt := range []struct {
		text string
		want int
	}{{"x = 1\ny = x\n", 0}, {"f = spawn\n", 1}, {"f = len\n", 1}} {
		if _, err := lib.Parse(string(rune('a'+i)), tt.text); err != nil {
			t.Fatal(err)
		}
		if asked != tt.want {
			t.Errorf("after %q: asked %d times, want %d", tt.text, asked, tt.want)
		}
	}
}
