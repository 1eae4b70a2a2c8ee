package interp_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"go.starlark.net/syntax"

	"omniexpect/internal/fault"
	"omniexpect/internal/interp"
)

func position(line int32) syntax.Position {
	name := "main.star"
	return syntax.MakePosition(&name, line, 1)
}

const declarations = `"""Says what it does."""
server = param("server", "http://x", "where")
count = param("count", default=3, type="int")
fast = param("fast", default=False)
wait_for = param("wait_for", default="1s", type="duration", choices=["1s", "2s"])
token = param("token", required=True, secret=True)
`

func parsed(t *testing.T, text string) (*interp.Library, *interp.Source) {
	t.Helper()
	lib := interp.NewLibrary(nil, []string{"param"})
	src, err := lib.Parse("main.star", text)
	if err != nil {
		t.Fatal(err)
	}
	return lib, src
}

// TestParams reads declarations without running them.
func TestParams(t *testing.T) {
	lib, src := parsed(t, declarations)
	list, err := lib.Params(src, "param")
	if err != nil || len(list) != 5 || src.Doc() != "Says what it does." {
		t.Fatalf("%v, %v, %q", list, err, src.Doc())
	}
	var types []string
	for _, p := range list {
		types = append(types, p.Flag()+" "+p.Type)
	}
	if want := []string{"--server str", "--count int", "--fast bool", "--wait-for duration", "--token str"}; !slices.Equal(types, want) {
		t.Errorf("got %q, want %q", types, want)
	}
	if !list[4].Required || !list[4].Secret || !slices.Equal(list[3].Choices, []string{"1s", "2s"}) || list[0].Help != "where" {
		t.Errorf("got %+v", list)
	}
	for _, bad := range []string{"def f():\n    param('x')", "n = 'x'\nparam(n)", "param('a b')", "param('x', default=1+1)"} {
		lib, src := parsed(t, bad)
		if list, err := lib.Params(src, "param"); err == nil {
			t.Errorf("%q: got %v, want an error", bad, list)
		}
	}
}

// TestFlags reads command lines.
func TestFlags(t *testing.T) {
	lib, src := parsed(t, declarations)
	list, err := lib.Params(src, "param")
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]map[string]string{
		"":                                    {},
		"--server http://y --count 4":         {"server": "http://y", "count": "4"},
		"--server=http://y=z --fast":          {"server": "http://y=z", "fast": "true"},
		"--fast=false --wait-for 2s":          {"fast": "false", "wait_for": "2s"},
		"--no-fast --wait_for 2s":             {"fast": "false", "wait_for": "2s"},
		"one --count 4 two -- --server three": {"count": "4"},
	} {
		values, rest, help, err := interp.ParseFlags(list, strings.Fields(line))
		if err != nil || help || !maps.Equal(values, want) {
			t.Errorf("%q: %v, %v, %v", line, values, help, err)
		}
		if strings.HasPrefix(line, "one") && !slices.Equal(rest, []string{"one", "two", "--server", "three"}) {
			t.Errorf("rest %q", rest)
		}
	}
	for line, want := range map[string]string{
		"--sevrer x": "unknown parameter --sevrer (did you mean --server?)",
		"--count":    "--count: a value is missing: want --count <int>",
		"--nothing":  "the script takes --server --count --fast --wait-for --token",
	} {
		if _, _, _, err := interp.ParseFlags(list, strings.Fields(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", line, err, want)
		}
	}
	if _, _, help, err := interp.ParseFlags(list, []string{"--help"}); !help || err != nil {
		t.Errorf("--help: %v, %v", help, err)
	}
}

// TestHabits answers Python that is no Starlark with what to write instead.
func TestHabits(t *testing.T) {
	lib := interp.NewLibrary(nil, []string{"x", "f"})
	for text, want := range map[string]string{
		"f(f'{x}')":             "f-strings",
		"try:\n    f()":         "catch(",
		"raise f":               "fail(",
		"with f() as x:\n  f()": "defer(",
		"import os":             "load(",
		"x is None":             "x == None",
		"assert x":              "assert.true",
		"class A:\n    x = 1":   "struct(",
		"f(\"\\d\")":            "raw strings",
		"f('a' 'b')":            "adjacent",
		"y = 2 ** 3":            "math.pow",
		"del x":                 "pop(",
	} {
		_, err := lib.Parse("main.star", text)
		if err == nil {
			t.Errorf("%q: no error", text)
			continue
		}
		if h := strings.Join(hintsOf(err), "\n"); !strings.Contains(h, want) {
			t.Errorf("%q: hints %q, want %q (%v)", text, h, want, err)
		}
	}
}

func hintsOf(err error) []string {
	var f *fault.Error
	if errors.As(err, &f) {
		return f.Hints
	}
	return nil
}
