package docs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"omniexpect/internal/dsl"
)

// idiom is what reads as a translation: say "reports whether", "is not", "the caller", "is killed with it", "environment".
var idiom = regexp.MustCompile(`(?i)\b(says? whether|that (is|are) none\b|who asks|told of|goes down with|the surroundings|` +
	`is no (key|name|text|URL|JSON|UTF-8|status|method|regular|kind)\b|will not do)`)

// TestPlainEnglish looks for the idiom in help texts and pages.
func TestPlainEnglish(t *testing.T) {
	look := func(where, text string) {
		if bad := idiom.FindString(text); bad != "" {
			t.Errorf("%s: %q: write it as the Go project would", where, bad)
		}
	}
	function := func(name string, f *dsl.Func) {
		look(name, f.Doc)
		for _, p := range f.Params() {
			look(name+" "+p.Name, p.Doc)
		}
	}
	v := vocabulary()
	for _, f := range v.Funcs {
		function(f.Name, f)
	}
	for _, typ := range v.Types {
		look(typ.Name, typ.Doc)
		for _, m := range typ.Methods {
			function(typ.Name+"."+m.Name, m)
		}
		for _, f := range typ.Fields {
			look(typ.Name+"."+f.Name, f.Doc)
		}
	}
	for _, file := range manuals(t) {
		if strings.HasSuffix(file, "CHANGELOG.md") { // it tells what was, in the words of then
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		look(file, string(text))
	}
}

// TestReadmeIsShort keeps README a page, with the commands that .ci/run and newcomers take from it.
func TestReadmeIsShort(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n >= 160 {
		t.Errorf("README has %d lines, want fewer than 160: the rest belongs in docs", n)
	}
	for _, line := range []string{"go run ./cmd/omniexpect run scripts/claude_resume.star", "go test -race ./..."} {
		if !strings.Contains(string(text), "\n    "+line+"\n") {
			t.Errorf("README does not have the line %q, after four blanks", line)
		}
	}
}
