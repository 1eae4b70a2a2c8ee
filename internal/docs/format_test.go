package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"omniexpect/internal/dsl"
	"omniexpect/internal/format"
)

// formatted fails unless a script is laid out as "omniexpect fmt" does it.
func formatted(t *testing.T, where, code string, lines func(string) string) {
	t.Helper()
	want, err := format.Source(where, code)
	if err != nil {
		t.Errorf("%s: %v\n%s", where, err, code)
		return
	}
	if lines(code) != lines(want) {
		t.Errorf("%s: not as omniexpect fmt lays it out:\n%s\nwant\n%s", where, code, want)
	}
}

func all(code string) string { return code }

// unspaced leaves out what a cell of a table has no room for.
func unspaced(code string) string { return regexp.MustCompile(`\n\n+`).ReplaceAllString(code, "\n") }

// TestExamplesAreFormatted looks at the scripts of README and of the pages, whose readers copy them, and at the examples
// of the declarations, which the reference shows.
func TestExamplesAreFormatted(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```python\n(.*?)```")
	seen := 0
	below, err := filepath.Glob("../../docs/*/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(append(pages, below...), "../../README.md") {
		name := filepath.Base(file)
		if name == "reference.md" { // its signatures are no scripts, its examples are looked at below
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range block.FindAllStringSubmatch(string(text), -1) {
			formatted(t, name, b[1], all)
			seen++
		}
		if strings.HasPrefix(name, "from-") {
			for _, row := range rows(string(text)) {
				formatted(t, name, row[1], unspaced)
				seen++
			}
		}
	}
	if seen < 100 {
		t.Errorf("%d scripts in the pages, want at least 100", seen)
	}
	v := vocabulary()
	example := func(name string, f *dsl.Func) { formatted(t, name, f.Example+"\n", all) }
	for _, f := range v.Funcs {
		example(f.Name, f)
	}
	for _, typ := range v.Types {
		for _, m := range typ.Methods {
			example(typ.Name+"."+m.Name, m)
		}
	}
}
