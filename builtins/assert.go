package builtins

import (
	"fmt"
	"regexp"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/nest"
	"omniexpect/internal/vt"
)

type pairArgs struct {
	Got  starlark.Value `star:"got" doc:"the value"`
	Want starlark.Value `star:"want" doc:"what to compare it with"`
	Msg  string         `star:"msg?" doc:"printed before the failure"`
}

// refuse is the failure of an assertion.
func refuse(msg, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if msg != "" {
		text = msg + ": " + text
	}
	return fault.New(fault.Assert, "%s", text)
}

func (st *State) assertEq(_ *dsl.Call, a pairArgs) (starlark.Value, error) {
	same, err := starlark.Equal(a.Got, a.Want)
	if err != nil || same {
		return starlark.None, err
	}
	got, want := shown(a.Got), shown(a.Want)
	if a.Got.Type() != a.Want.Type() {
		return nil, refuse(a.Msg, "got %s (%s), want %s (%s)", got, a.Got.Type(), want, a.Want.Type())
	}
	if len(got)+len(want) > 120 {
		e := refuse(a.Msg, "%ss differ", a.Got.Type()).(*fault.Error)
		return nil, e.WithDetail("got:  " + got + "\nwant: " + want)
	}
	return nil, refuse(a.Msg, "got %s, want %s", got, want)
}

// shown writes a value so that differences are seen.
func shown(v starlark.Value) string {
	if s, ok := v.(starlark.String); ok {
		return syntax.Quote(string(s), false)
	}
	return nest.String(v)
}

func (st *State) assertNe(_ *dsl.Call, a pairArgs) (starlark.Value, error) {
	same, err := starlark.Equal(a.Got, a.Want)
	if err != nil || !same {
		return starlark.None, err
	}
	return nil, refuse(a.Msg, "got %s, want anything else", shown(a.Got))
}

type trueArgs struct {
	Cond starlark.Value `star:"cond" doc:"a value that must be true"`
	Msg  string         `star:"msg?" doc:"the message of the failure"`
}

func (st *State) assertTrue(_ *dsl.Call, a trueArgs) (starlark.Value, error) {
	if a.Cond.Truth() {
		return starlark.None, nil
	}
	return nil, refuse(a.Msg, "got %s, want something true", shown(a.Cond))
}

type containsArgs struct {
	Whole starlark.Value `star:"container" doc:"a text, list, tuple, dict or set"`
	Part  starlark.Value `star:"item" doc:"what must be in it"`
	Msg   string         `star:"msg?" doc:"printed before the failure"`
}

func (st *State) assertContains(_ *dsl.Call, a containsArgs) (starlark.Value, error) {
	v, err := starlark.Binary(syntax.IN, a.Part, a.Whole)
	if err != nil {
		return nil, fault.New(fault.Usage, "assert.contains: %w", err)
	}
	if v.Truth() {
		return starlark.None, nil
	}
	return nil, st.excerpt(a.Msg, shown(a.Part)+" is not in it", a.Whole)
}

// excerpt is a failure that shows a long value below the message.
func (st *State) excerpt(msg, text string, v starlark.Value) error {
	e := refuse(msg, "%s", text).(*fault.Error)
	got := nest.String(v)
	if s, ok := starlark.AsString(v); ok {
		got = s
	}
	return e.WithDetail("got:\n" + vt.Visible(st.short(got, tailLength)))
}

type matchesArgs struct {
	Text    string `star:"text" doc:"a text"`
	Pattern string `star:"pattern" type:"regexp" doc:"a regular expression that must match somewhere in it"`
	Msg     string `star:"msg?" doc:"printed before the failure"`
}

func (st *State) assertMatches(_ *dsl.Call, a matchesArgs) (starlark.Value, error) {
	re, err := regexp.Compile(a.Pattern)
	if err != nil {
		return nil, fault.New(fault.Usage, "assert.matches: pattern r\"%s\": %s", a.Pattern,
			strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	if re.MatchString(a.Text) {
		return starlark.None, nil
	}
	return nil, st.excerpt(a.Msg, fmt.Sprintf("r%q does not match", a.Pattern), starlark.String(a.Text))
}

type failsArgs struct {
	Fn     starlark.Callable `star:"fn" doc:"a function that must fail"`
	Args   starlark.Tuple    `star:"*args" doc:"its arguments"`
	Kind   string            `star:"kind?,kw" doc:"the kind of failure it must be"`
	Error  string            `star:"error?,kw" type:"regexp" doc:"a regular expression for its message"`
	Kwargs []starlark.Tuple  `star:"**kwargs" doc:"its keyword arguments"`
}

func (st *State) assertFails(c *dsl.Call, a failsArgs) (starlark.Value, error) {
	v, err := st.catch(c, callArgs{a.Fn, a.Args, a.Kwargs})
	if err != nil {
		return nil, err
	}
	r := v.(*resultValue)
	if r.err == nil {
		return nil, refuse("", "%s returned %s, want a failure", a.Fn.Name(), shown(r.value))
	}
	if kind := string(fault.KindOf(r.err)); a.Kind != "" && kind != a.Kind {
		return nil, refuse("", "%s failed with kind %q, want %q: %s", a.Fn.Name(), kind, a.Kind, reason(r.err))
	}
	re, err := regexp.Compile(a.Error)
	if err != nil {
		return nil, fault.New(fault.Usage, "assert.fails: error=r\"%s\": %w", a.Error, err)
	}
	if !re.MatchString(reason(r.err)) {
		return nil, refuse("", "%s failed with %q, want r%q", a.Fn.Name(), reason(r.err), a.Error)
	}
	return r, nil
}

func (st *State) assertFuncs() []*dsl.Func {
	return dsl.In("assertions",
		dsl.Define("assert.eq", "None", `Fail unless two values are equal. Both are shown.`, `assert.eq(1 + 1, 2)`, pairArgs{}, st.assertEq).As(dsl.Pure),
		dsl.Define("assert.ne", "None", `Fail if two values are equal.`, `assert.ne("a", "b")`, pairArgs{}, st.assertNe).As(dsl.Pure),
		dsl.Define("assert.true", "None", `Fail unless a value is true.`, `assert.true([1], "list has something")`, trueArgs{}, st.assertTrue).As(dsl.Pure),
		dsl.Define("assert.contains", "None", `Fail unless a text, list, dict or set contains something.`, `assert.contains("haystack", "st")`, containsArgs{}, st.assertContains).As(dsl.Pure),
		dsl.Define("assert.matches", "None", `Fail unless a regular expression matches in a text.`, `assert.matches("v1.2.3", r"^v\d+")`, matchesArgs{}, st.assertMatches).As(dsl.Pure),
		dsl.Define("assert.fails", "Result", `Call a function and fail unless it fails, with the given kind and message. Returns the Result.`,
			`assert.fails(fail, "no way", kind = "fail", error = "way")`, failsArgs{}, st.assertFails).As(dsl.Pure),
	)
}
