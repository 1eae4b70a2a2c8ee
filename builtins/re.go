package builtins

import (
	"regexp"
	"strings"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
)

type reArgs struct {
	Pattern string `star:"pattern" type:"regexp" doc:"a regular expression in RE2 syntax"`
	Text    string `star:"text" doc:"the text to search"`
}

func compileRE(who, pattern string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fault.New(fault.Usage, "%s: pattern r\"%s\": %s", who, pattern,
			strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return re, nil
}

// reFindall returns all matches: texts, or tuples where the pattern has several groups, as Python does.
func (st *State) reFindall(c *dsl.Call, a reArgs) (starlark.Value, error) {
	var out []starlark.Value
	err := eachMatch(c, "re.findall", a.Pattern, a.Text, func(_ *regexp.Regexp, at []int) error {
		group := func(i int) starlark.Value {
			if at[2*i] < 0 {
				return starlark.String("")
			}
			return starlark.String(a.Text[at[2*i]:at[2*i+1]])
		}
		n := len(at)/2 - 1
		if n < 2 {
			out = append(out, group(n))
			return nil
		}
		t := make(starlark.Tuple, n)
		for i := range t {
			t[i] = group(i + 1)
		}
		out = append(out, t)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return starlark.NewList(out), nil
}

// reValue is a match of re.search or re.match: m[0], m[1], m["name"].
type reValue struct {
	handle
	groups []string
	names  []string
	start  int
	end    int
}

func (m *reValue) String() string { return "<re match " + shown(starlark.String(m.groups[0])) + ">" }

// Attr returns a field.
func (m *reValue) Attr(name string) (starlark.Value, error) { return m.typ.Attr(m, name) }

func (m *reValue) tuple() starlark.Value {
	out := make(starlark.Tuple, len(m.groups)-1)
	for i, g := range m.groups[1:] {
		out[i] = starlark.String(g)
	}
	return out
}

func (m *reValue) named() starlark.Value {
	d := starlark.NewDict(0)
	for i, n := range m.names {
		if n != "" {
			d.SetKey(starlark.String(n), starlark.String(m.groups[i]))
		}
	}
	return d
}

// Get makes m[0], m[1] and m["name"] work.
func (m *reValue) Get(key starlark.Value) (starlark.Value, bool, error) {
	if n, err := starlark.AsInt32(key); err == nil {
		if n < 0 || n >= len(m.groups) {
			return nil, false, fault.New(fault.Usage, "re: no group %d: the pattern has %d", n, len(m.groups)-1)
		}
		return starlark.String(m.groups[n]), true, nil
	}
	for i, n := range m.names {
		if n != "" && key == starlark.Value(starlark.String(n)) {
			return starlark.String(m.groups[i]), true, nil
		}
	}
	return nil, false, fault.New(fault.Usage, "re: no group %v", key)
}

func (st *State) reFind(who, before string) func(*dsl.Call, reArgs) (starlark.Value, error) {
	return func(_ *dsl.Call, a reArgs) (starlark.Value, error) {
		if _, err := compileRE(who, a.Pattern); err != nil {
			return nil, err // names the pattern as it was given
		}
		expr := a.Pattern
		if before != "" {
			expr = before + "(?:" + a.Pattern + ")"
		}
		re, err := compileRE(who, expr)
		if err != nil {
			return nil, err
		}
		at := re.FindStringSubmatchIndex(a.Text)
		if at == nil {
			return starlark.None, nil
		}
		m := &reValue{handle: st.handle("ReMatch"), groups: make([]string, len(at)/2), names: re.SubexpNames(), start: at[0], end: at[1]}
		for i := range m.groups {
			if at[2*i] >= 0 {
				m.groups[i] = a.Text[at[2*i]:at[2*i+1]]
			}
		}
		return m, nil
	}
}

type reSubArgs struct {
	Pattern string         `star:"pattern" type:"regexp" doc:"a regular expression in RE2 syntax"`
	Repl    starlark.Value `star:"repl" type:"str or function" doc:"a text with $1 or ${name} for groups, or a function of the match's text"`
	Text    string         `star:"text" doc:"the text"`
}

func (st *State) reSub(c *dsl.Call, a reSubArgs) (starlark.Value, error) {
	template, fixed := a.Repl.(starlark.String)
	fn, called := a.Repl.(starlark.Callable)
	if !fixed && !called {
		return nil, fault.New(fault.Usage, "re.sub: repl: got %s, want a text or a function", a.Repl.Type())
	}
	var out []byte
	end := 0
	err := eachMatch(c, "re.sub", a.Pattern, a.Text, func(re *regexp.Regexp, at []int) error {
		out = append(out, a.Text[end:at[0]]...)
		end = at[1]
		if fixed {
			out = re.ExpandString(out, string(template), a.Text, at)
			return nil
		}
		v, err := c.Invoke(fn, starlark.String(a.Text[at[0]:at[1]]))
		if err == nil {
			out = append(out, plain(v)...)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return starlark.String(append(out, a.Text[end:]...)), nil
}

func (st *State) reSplit(c *dsl.Call, a reArgs) (starlark.Value, error) {
	var parts []string
	begin, end := 0, 0
	err := eachMatch(c, "re.split", a.Pattern, a.Text, func(_ *regexp.Regexp, at []int) error {
		if end = at[0]; at[1] != 0 {
			parts = append(parts, a.Text[begin:end])
		}
		begin = at[1]
		return nil
	})
	if err != nil {
		return nil, err
	}
	if end != len(a.Text) || a.Pattern != "" && a.Text == "" {
		parts = append(parts, a.Text[begin:])
	}
	return stringList(parts), nil
}

func reType() *dsl.Type {
	return &dsl.Type{Name: "ReMatch", Doc: "What re.search and re.match find. m[0] is the text, m[1] the first group, m[\"name\"] a named one.", Fields: []dsl.Field{
		dsl.Attr("text", "str", "the match itself", func(m *reValue) starlark.Value { return starlark.String(m.groups[0]) }),
		dsl.Attr("groups", "tuple", "the groups, the first at 0", (*reValue).tuple),
		dsl.Attr("named", "dict", "the named groups", (*reValue).named),
		dsl.Attr("start", "int", "where it begins in the text", func(m *reValue) starlark.Value { return starlark.MakeInt(m.start) }),
		dsl.Attr("end", "int", "where it ends", func(m *reValue) starlark.Value { return starlark.MakeInt(m.end) }),
	}}
}

func (st *State) reFuncs() []*dsl.Func {
	st.declare(reType())
	return dsl.In("values",
		dsl.Define("re.search", "ReMatch or None", `The first match of a regular expression anywhere in a text, or None.`,
			`m = re.search(r"(?P<key>\w+)=(\d+)", "a port=80")
assert.eq((m["key"], m[2]), ("port", "80"))`, reArgs{}, st.reFind("re.search", "")),
		dsl.Define("re.match", "ReMatch or None", `The match of a regular expression at the beginning of a text, or None.`,
			`assert.eq(re.match(r"\d+", "12 a")[0], "12")
assert.eq(re.match(r"\d+", "a 12"), None)`, reArgs{}, st.reFind("re.match", `\A`)),
		dsl.Define("re.findall", "list", `All matches of a regular expression in a text: the matched texts, or the groups if the pattern has any.`,
			`assert.eq(re.findall(r"\d+", "1 and 22"), ["1", "22"])`, reArgs{}, st.reFindall),
		dsl.Define("re.sub", "str", `The text with all matches replaced.`,
			`assert.eq(re.sub(r"(\w+)@(\w+)", "$2 at $1", "me@home"), "home at me")`, reSubArgs{}, st.reSub),
		dsl.Define("re.split", "list", `The parts of a text between the matches.`,
			`assert.eq(re.split(r",\s*", "a, b,c"), ["a", "b", "c"])`, reArgs{}, st.reSplit),
	)
}
