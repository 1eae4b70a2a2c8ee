package builtins

import (
	"regexp"
	"strings"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
)

type reArgs struct {
	Pattern string `star:"pattern" doc:"a regular expression in RE2 syntax"`
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
func (st *State) reFindall(_ *dsl.Call, a reArgs) (starlark.Value, error) {
	re, err := compileRE("re.findall", a.Pattern)
	if err != nil {
		return nil, err
	}
	var out []starlark.Value
	for _, m := range re.FindAllStringSubmatch(a.Text, -1) {
		switch len(m) {
		case 1, 2:
			out = append(out, starlark.String(m[len(m)-1]))
		default:
			t := make(starlark.Tuple, len(m)-1)
			for i, g := range m[1:] {
				t[i] = starlark.String(g)
			}
			out = append(out, t)
		}
	}
	return starlark.NewList(out), nil
}

func (st *State) reFuncs() []*dsl.Func {
	return dsl.In("values",
		dsl.Define("re.findall", "list", `All matches of a regular expression in a text: the matches, or the groups where the pattern has some.`,
			`assert.eq(re.findall(r"\d+", "1 and 22"), ["1", "22"])`, reArgs{}, st.reFindall),
	)
}
