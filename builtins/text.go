package builtins

import (
	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/linediff"
	"omniexpect/internal/match"
)

type stripArgs struct {
	Text starlark.Value `star:"text" type:"str or bytes" doc:"what a program wrote"`
}

// stripANSI is the text view of a session on a terminal so wide that nothing is wrapped, with what was written over replaced.
func (st *State) stripANSI(_ *dsl.Call, a stripArgs) (starlark.Value, error) {
	text := plain(a.Text)
	if b, ok := a.Text.(starlark.Bytes); ok {
		text = string(b)
	}
	return starlark.String(match.Folded([]byte(text))), nil
}

type diffArgs struct {
	A     starlark.Value `star:"a" doc:"a text; other values are written as JSON"`
	B     starlark.Value `star:"b" doc:"what to compare it with"`
	NameA string         `star:"name_a?,kw" doc:"the name of a in the result"`
	NameB string         `star:"name_b?,kw" doc:"the name of b in the result"`
}

func (st *State) diff(c *dsl.Call, a diffArgs) (starlark.Value, error) {
	var texts [2]string
	for i, v := range []starlark.Value{a.A, a.B} {
		if s, ok := starlark.AsString(v); ok {
			texts[i] = s
			continue
		}
		b, err := encodeJSON(c, v)
		if err != nil {
			return nil, err
		}
		indented, err := c.Invoke(jsonIndent, starlark.String(b))
		if err != nil {
			return nil, err
		}
		texts[i] = plain(indented) + "\n"
	}
	out, err := linediff.Unified(a.NameA, texts[0], a.NameB, texts[1], c.Pace().Step)
	if err != nil {
		return nil, err
	}
	return starlark.String(out), nil
}

func (st *State) textFuncs() []*dsl.Func {
	return dsl.In("values",
		dsl.Define("strip_ansi", "str", `The text that a person would read of what a program wrote to a terminal, without escape sequences. Text that was written over after backspaces or a move to the left is replaced; a lone CR stays.`,
			`assert.eq(strip_ansi("\033[1;31mred\033[0m\r\n"), "red\n")
assert.eq(strip_ansi("N\bNA\bA, 10%\033[3D50%"), "NA, 50%")`, stripArgs{}, st.stripANSI),
		dsl.Define("diff", "str", `The difference of two texts or values in unified form, "" if there is none. A last line without a line ending is marked, as diff(1) and git do. Lines that differ show invisible characters as escapes: \r, trailing blanks as \x20 and \t, control characters.`,
			`assert.eq(diff("same", "same"), "")
assert.contains(diff("one\ntwo\n", "one\n2\n"), "-two\n+2")
assert.contains(diff("one\r\n", "one"), "-one\\r\n+one\n\\ No newline at end of file")
assert.contains(diff({"a": 1}, {"a": 2}), "+\t\"a\": 2")`, diffArgs{NameA: "a", NameB: "b"}, st.diff),
	)
}
