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
	list, err := lib.Params(src, []string{"param"})
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
		if list, err := lib.Params(src, []string{"param"}); err == nil {
			t.Errorf("%q: got %v, want an error", bad, list)
		}
	}
}

// TestFlags reads command lines.
func TestFlags(t *testing.T) {
	lib, src := parsed(t, declarations)
	list, err := lib.Params(src, []string{"param"})
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
		values, rest, help, err := interp.ParseFlags(list, strings.Fields(line), false)
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

		"--count 1 -server x": "unknown flag -server (did you mean --server?); parameters have two dashes",
		"-wait_for=2s":        "unknown flag -wait_for (did you mean --wait-for?)",
		"one -d":              "-d is a flag of omniexpect itself: write it before the script",
		"--timeout-scale 2":   "--timeout-scale is a flag of omniexpect itself: write it before the script",
		"-x":                  "unknown flag -x: nothing in the script reads ARGS; the script takes --server",
		"--fast false":        "--fast false: a bool is on when it is named: write --fast=false",
	} {
		if _, _, _, err := interp.ParseFlags(list, strings.Fields(line), false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", line, err, want)
		}
	}
	for _, line := range []string{"-5 - -.5 one", "-- -d -server"} {
		if _, rest, _, err := interp.ParseFlags(list, strings.Fields(line), false); err != nil || len(rest) < 2 {
			t.Errorf("%q: %v, %v", line, rest, err)
		}
	}
	if _, rest, _, err := interp.ParseFlags(list, []string{"-d", "-server"}, true); err != nil || len(rest) != 2 {
		t.Errorf("flags that the script reads: %v, %v", rest, err)
	}
	short := []interp.Param{{Name: "f", Type: "str"}, {Name: "n", Type: "int"}}
	if _, _, _, err := interp.ParseFlags(short, []string{"--x"}, false); err == nil || strings.Contains(err.Error(), "did you mean") {
		t.Errorf("a letter is near to no other: %v", err)
	}
	if _, _, help, err := interp.ParseFlags(list, []string{"--help"}, false); !help || err != nil {
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
		"import os":             "env(",
		"import helpers":        "load(",
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

// TestParamMistakes finds declarations that cannot be meant.
func TestParamMistakes(t *testing.T) {
	for text, want := range map[string]string{
		`param("x", type="foo")`:                                 `param x: type="foo": want str, int, float, bool or duration`,
		`param("x", type="flaot")`:                               `did you mean float?`,
		`param("x", type=int)`:                                   `param: type=int: the type is a text: write type="int"`,
		`param("x", default="c", choices=["a", "b"])`:            `param x: the default "c" is not one of the choices a, b`,
		`param("x", default=3, choices=[1, 2])`:                  `param x: the default 3 is not one of the choices 1, 2`,
		`param("x", default=3, choices=["a"])`:                   `param x: choice "a" is not of type int`,
		`param("x", default="abc", type="int")`:                  `param x: the default "abc" is not of type int`,
		`param("x", default="3", type="int")`:                    `param x: the default "3" is not of type int`,
		`param("x", default=1.5, type="int")`:                    `param x: the default 1.5 is not of type int`,
		`param("x", default=1, type="bool")`:                     `param x: the default 1 is not of type bool`,
		`param("x", default=True, type="str")`:                   `param x: the default True is not of type str`,
		`param("x", default="soon", type="duration")`:            `param x: the default "soon" is not of type duration`,
		`param("x", default=-1, type="duration")`:                `param x: the default -1 is not of type duration`,
		`param("x", default=[1])`:                                `param x: the default is a list: want a text, a number, True or False`,
		`param("x", default="hunter2", type="int", secret=True)`: `param x: the default *** is not of type int`,
		`param("x", choices=[])`:                                 `param x: choices=[]: want a list of at least one value`,
		`param("x", choices="ab")`:                               `param x: choices="ab": want a list of at least one value`,
		"param(\"x\")\nparam(\"x\")":                             `main.star:2:1: param x: declared twice`,
		"param(\"x\", default=True)\nparam(\"no_x\")":            `main.star:2:1: param no_x: together with x it is ambiguous`,
		`param("help")`:                                          `param help: --help is a flag of omniexpect itself: choose another name`,
		`param("timeout_scale")`:                                 `param timeout_scale: --timeout-scale is a flag of omniexpect itself`,
		`param("")`:                                              `param: "" is not a name`,
		`param("ä")`:                                             `param: "ä" is not a name`,
	} {
		lib, src := parsed(t, text)
		if _, err := lib.Params(src, []string{"param"}); err == nil || !strings.Contains(err.Error(), want) || fault.KindOf(err) != fault.Script {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{
		`param("x", default=None, choices=["a"])`, `param("x", default="", choices=["", "a"])`, `param("x", default=3, type="float")`,
		`param("x", default="1m", type="duration", choices=["60s", "2m"])`, `param("x", default=-3)`, `param("x", choices=["a\"b"])`,
		`param("x", default=True, choices=[True])`,
	} {
		lib, src := parsed(t, text)
		if _, err := lib.Params(src, []string{"param"}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}
