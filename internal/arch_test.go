package internal_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/interp"
)

// dependencies returns what each package imports, directly and indirectly, tests apart.
func dependencies(t *testing.T) map[string]map[string]bool {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Deps " "}}`, "omniexpect/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	all := map[string]map[string]bool{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		all[words[0]] = map[string]bool{}
		for _, d := range words[1:] {
			all[words[0]][d] = true
		}
	}
	return all
}

// TestLayers guards who may depend on whom.
func TestLayers(t *testing.T) {
	all := dependencies(t)
	const star, repl = "go.starlark.net/starlark", "omniexpect/internal/repl"
	vocabulary, report, run := "omniexpect/builtins", "omniexpect/internal/report", "omniexpect/internal/interp"
	for pkg, never := range map[string][]string{
		"session": {star, vocabulary, run}, "match": {star, vocabulary, run}, "screen": {star, vocabulary, run},
		"httpc": {star, vocabulary, run}, "proc": {star, vocabulary, run}, "mask": {star, vocabulary, run}, "vt": {star, vocabulary, run, "omniexpect/internal/match"},
		"sim": {star, vocabulary, run}, "interp": {vocabulary, report}, "dsl": {vocabulary, run, report}, "repl": {vocabulary, report},
	} {
		deps, ok := all["omniexpect/internal/"+pkg]
		if !ok {
			t.Errorf("no package %s", pkg)
		}
		for _, n := range never {
			if deps[n] {
				t.Errorf("%s depends on %s", pkg, n)
			}
		}
	}
	for _, n := range []string{run, report, repl} {
		if all[vocabulary][n] {
			t.Errorf("builtins depends on %s", n)
		}
	}
}

// TestRooms guards what rooms are for: the bottom of both legs imports nothing of ours but itself, and what has left the
// vocabulary because it knows no Starlark does not learn it again.
func TestRooms(t *testing.T) {
	all := dependencies(t)
	bottom := []string{"cells", "clock", "event", "vt"}
	for _, room := range bottom {
		deps, ok := all["omniexpect/internal/"+room]
		if !ok {
			t.Errorf("no package %s", room)
		}
		for d := range deps {
			name, ours := strings.CutPrefix(d, "omniexpect/")
			if ours && !slices.Contains(bottom, strings.TrimPrefix(name, "internal/")) {
				t.Errorf("%s is at the bottom, and imports %s", room, name)
			}
		}
	}
	for d := range all["omniexpect/internal/screen"] {
		name, ours := strings.CutPrefix(d, "omniexpect/internal/")
		if ours && !slices.Contains([]string{"vt", "cells", "clock"}, name) {
			t.Errorf("screen imports %s", name)
		}
	}
	for _, room := range []string{"keys", "shell", "explain", "usertty", "echo", "spell", "rmtree"} {
		deps, ok := all["omniexpect/internal/"+room]
		if !ok {
			t.Errorf("no package %s", room)
		}
		for _, never := range []string{"go.starlark.net/starlark", "omniexpect/builtins", "omniexpect/internal/dsl", "omniexpect/internal/interp"} {
			if deps[never] {
				t.Errorf("%s depends on %s: what knows the language belongs into the vocabulary", room, never)
			}
		}
	}
}

// TestOneImporterOfGoexpect keeps goexpect behind one package.
func TestOneImporterOfGoexpect(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "omniexpect/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	found := false
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		for _, d := range words[1:] {
			if d != "github.com/google/goexpect" || strings.HasPrefix(words[0], "omniexpect/bench/") {
				continue
			}
			if words[0] != "omniexpect/internal/match" {
				t.Errorf("%s imports goexpect", words[0])
			}
			found = true
		}
	}
	if !found {
		t.Error("nobody imports goexpect")
	}
}

// TestOneUserOfTheLineEditor keeps the line editor, a part of a package that others use for something else, behind one package.
func TestOneUserOfTheLineEditor(t *testing.T) {
	found := false
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || filepath.Base(name) == "arch_test.go" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(text), "term.NewTerminal") {
			return err
		}
		if filepath.Dir(name) != filepath.Join("..", "internal", "repl") {
			t.Errorf("%s uses the line editor", name)
		}
		found = true
		return nil
	})
	if err != nil || !found {
		t.Errorf("nobody uses the line editor; %v", err)
	}
}

// TestToyBuiltin adds a builtin with one declaration: nothing else has to know of it.
func TestToyBuiltin(t *testing.T) {
	type args struct {
		Name string `star:"name" doc:"whom to greet"`
		Loud bool   `star:"loud?,kw" doc:"whether to shout"`
	}
	greet := dsl.Define("greet", "str", "Greet somebody.", `greet("bob")`, args{}, func(_ *dsl.Call, a args) (starlark.Value, error) {
		if a.Loud {
			return starlark.String("HELLO " + a.Name), nil
		}
		return starlark.String("hello " + a.Name), nil
	})
	if want := "greet(name, *, loud=False) → str"; greet.Signature() != want {
		t.Errorf("signature %q, want %q", greet.Signature(), want)
	}
	lib := interp.NewLibrary(nil, []string{"greet"})
	run := interp.New(lib, interp.Predeclare(&dsl.Vocabulary{Funcs: []*dsl.Func{greet}}))
	var printed []string
	run.Host.Print = func(s string) { printed = append(printed, s) }
	src, err := lib.Parse("toy.star", `print(greet("bob"), greet("eve", loud = True))`)
	if err == nil {
		err = run.Do(t.Context(), src)
	}
	if err != nil || len(printed) != 1 || printed[0] != "hello bob HELLO eve" {
		t.Errorf("%v, printed %q", err, printed)
	}
}
