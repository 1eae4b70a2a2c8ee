package interp

import (
	"errors"
	"regexp"
	"strings"

	"go.starlark.net/syntax"

	"omniexpect/internal/fault"
)

// habit is something that Python has and Starlark lacks: how the line looks, and what to write instead.
type habit struct {
	line *regexp.Regexp
	hint string
}

// syntaxError explains what the parser says, where a habit of Python is the likely cause.
func syntaxError(text string, se syntax.Error) error {
	e := fault.New(fault.Script, "syntax error: %s", se.Msg)
	line := LineOf(text, int(se.Pos.Line))
	for _, h := range habits() {
		if h.line.MatchString(line) {
			e.Hints = append(e.Hints, h.hint)
			return e
		}
	}
	if strings.Contains(se.Msg, "invalid escape sequence") {
		e.Hints = append(e.Hints, `regular expressions are written as raw strings: r"\d+"`)
	}
	return e
}

// ExplainSyntax returns the parser's error about a text with its place and what to write instead.
func ExplainSyntax(text string, err error) error {
	var se syntax.Error
	if !errors.As(err, &se) {
		return err
	}
	return &Located{Pos: se.Pos, Line: LineOf(text, int(se.Pos.Line)), Err: syntaxError(text, se)}
}

func habits() []habit {
	h := func(line, hint string) habit { return habit{regexp.MustCompile(line), hint} }
	return []habit{
		h(`\b[fF][rR]?["']`, `Starlark has no f-strings: write "value %s" % x, or "value {}".format(x)`),
		h(`^\s*(try|except|finally)\b`, `Starlark has no try: write r = catch(fn, args…) and look at r.ok, r.kind, r.error; clean up with defer(fn)`),
		h(`^\s*raise\b`, `Starlark has no raise: write fail("why")`),
		h(`^\s*with\b`, `Starlark has no with: clean up with defer(fn, args…), which runs at the end whatever happens`),
		h(`^\s*(import|from)\b`, `Starlark has no import: write load("module.star", "name"); json, math, time and all builtins are there already`),
		h(`\bis\s+(not\s+)?\w`, `Starlark has no "is": write x == None, x != None`),
		h(`^\s*assert\s`, `assert is a module here: write assert.true(x), assert.eq(got, want)`),
		h(`^\s*class\b`, `Starlark has no classes: use struct(a=1, b=2) and functions`),
		h(`\byield\b`, `Starlark has no generators: return a list`),
		h(`^\s*(global|nonlocal)\b`, `Starlark functions cannot rebind outer names: keep state in a dict, and write state["n"] = 1`),
		h(`\*\*\s*\d`, `Starlark has no ** operator: write math.pow(a, b)`),
		h(`:=`, `Starlark has no := : write the assignment on a line of its own`),
		h(`^\s*(async|await)\b`, `Starlark has no async: parallel([fn, …]) runs functions at the same time`),
		h(`^\s*del\b`, `Starlark has no del: write d.pop("key") or l.pop(i)`),
		h(`["'][^"']*["']\s+["']`, `Starlark does not join adjacent strings: write "a" + "b"`),
		h(`<>|\+\+|--$`, `not an operator of Starlark`),
	}
}
