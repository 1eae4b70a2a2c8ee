package format

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"omniexpect/internal/interp"
)

// TestSource formats testdata/*.star and compares with *.golden. Formatting what is formatted changes nothing.
func TestSource(t *testing.T) {
	files, err := filepath.Glob("testdata/*.star")
	if err != nil || len(files) == 0 {
		t.Fatal("no test data")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(strings.TrimSuffix(file, ".star") + ".golden")
		if err != nil {
			t.Fatal(err)
		}
		got, err := Source(file, string(text))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
		if again, err := Source(file, got); again != got || err != nil {
			t.Errorf("%s: formatting twice is not formatting once: %v\n%s", file, err, cmp.Diff(got, again))
		}
	}
}

// TestShapeSeesChanges makes sure that the comparison of trees would notice what a formatter must not do.
func TestShapeSeesChanges(t *testing.T) {
	for _, c := range [][2]string{
		{"x = 1\n", "x = 2\n"}, {"x = 1\n", "x = \"1\"\n"}, {"x = 1\n", "x += 1\n"}, {"f(a, b)\n", "f(a)\n"}, {"x = \"a\"\n", "x = b\"a\"\n"},
		{"x = (1 + 2) * 3\n", "x = 1 + 2 * 3\n"}, {"if a:\n    b\n    c\n", "if a:\n    b\nc\n"}, {"while a:\n    b\n", "for a in a:\n    b\n"},
		{"x[1:]\n", "x[:1]\n"}, {"x = [a for a in b]\n", "x = {a for a in b}\n"}, {"load(\"a\", \"b\")\n", "load(\"c\", \"b\")\n"},
	} {
		a, _, err := interp.ParseText("a", c[0])
		if err != nil {
			t.Fatal(err)
		}
		b, _, err := interp.ParseText("b", c[1])
		if err != nil {
			continue // a formatter that writes this is stopped by the parser
		}
		if shape(a) == shape(b) {
			t.Errorf("%q and %q have the same shape", c[0], c[1])
		}
	}
	a, _, _ := interp.ParseText("a", "x = ((1 + 2)) * (y)\n")
	b, _, _ := interp.ParseText("b", "x = (1 + 2) * y\n")
	if shape(a) != shape(b) {
		t.Errorf("parentheses change the shape:\n%s\n%s", shape(a), shape(b))
	}
}

func TestCommentsAreCompared(t *testing.T) {
	a, _, _ := interp.ParseText("a", "# one\nx = 1  # two\n")
	b, _, _ := interp.ParseText("b", "x = 1  # two\n")
	if len(comments(a)) != 2 || len(comments(b)) != 1 {
		t.Errorf("got %q and %q, want two comments and one", comments(a), comments(b))
	}
}

func TestNotAScript(t *testing.T) {
	if out, err := Source("x.star", "x = = 1\n"); err == nil || out != "" {
		t.Errorf("got %q, %v, want an error and no text", out, err)
	} else if !strings.Contains(err.Error(), "x.star:1:5") {
		t.Errorf("got %v, want the place", err)
	}
}

func TestOwnScriptsAreFormatted(t *testing.T) {
	for _, dir := range []string{"scripts", "lib", "bench"} {
		files, err := filepath.Glob(filepath.Join("..", "..", dir, "*.star"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no scripts in %s: %v", dir, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if out, err := Source(file, string(text)); err != nil || out != string(text) {
				t.Errorf("%s is not formatted: run omniexpect fmt -w (%v)\n%s", file, err, cmp.Diff(string(text), out))
			}
		}
	}
}
