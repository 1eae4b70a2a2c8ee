package docs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"omniexpect/builtins"
	"omniexpect/internal/docs"
	"omniexpect/internal/dsl"
	"omniexpect/internal/mask"
)

func vocabulary() *dsl.Vocabulary {
	return (&builtins.State{Marker: "none", Mask: mask.New()}).Vocabulary()
}

// TestCommittedDocsAreFresh fails with the difference when builtins changed and the generated files did not.
func TestCommittedDocsAreFresh(t *testing.T) {
	top := filepath.Join("..", "..")
	for _, f := range docs.Files(vocabulary()) {
		have, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(f.Path)))
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(strings.Split(string(have), "\n"), strings.Split(f.Text, "\n")); diff != "" {
			t.Errorf("%s is stale: run `go run ./cmd/omniexpect docs --write` (-committed +declared):\n%s", f.Path, diff)
		}
	}
}

func TestEverythingIsDocumented(t *testing.T) {
	v := vocabulary()
	check := func(f *dsl.Func, name string) {
		if f.Doc == "" || f.Example == "" {
			t.Errorf("%s lacks a text or an example", name)
		}
		for _, p := range f.Params() {
			if p.Doc == "" {
				t.Errorf("%s: parameter %s lacks a text", name, p.Name)
			}
		}
	}
	for _, f := range v.Funcs {
		check(f, f.Name)
	}
	for _, typ := range v.Types {
		for _, m := range typ.Methods {
			check(m, typ.Name+"."+m.Name)
		}
	}
}

func TestFind(t *testing.T) {
	v := vocabulary()
	for name, want := range map[string]string{
		"expect": "expect(pattern,", "expect()": "expect(pattern,", "Session": "methods:", "session.close": "End the program",
		"close": "End the program", "assert": "a module", "assert.eq": "assert.eq(got, want", "EOF": "has ended", "json": "json.encode", "json.decode": "json.decode(x", "len": "len(x) → int",
		"string.strip": "strip(", "splitlines": "string.splitlines(", "len()": "The number of elements",
	} {
		found := docs.Find(v, name)
		if len(found) == 0 || !strings.Contains(docs.Text(v, found[0]), want) {
			t.Errorf("docs %s: found %d entries, want a text with %q", name, len(found), want)
		}
	}
	if found := docs.Find(v, "no_such_thing"); found != nil {
		t.Errorf("found %v for a name that does not exist", found)
	}
	if found := docs.Search(v, "deadline"); len(found) < 5 {
		t.Errorf("searching for deadline finds %d entries, want those of all waits", len(found))
	}
}
