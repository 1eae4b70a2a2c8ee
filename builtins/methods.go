package builtins

import (
	"slices"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/match"
)

// sessionMethods declares what a session can do.
func (st *State) sessionMethods() []*dsl.Func {
	return dsl.In("sessions", slices.Concat(st.expectMethods(), st.waitMethods(), st.alwaysMethods(), st.sendMethods(), st.lifeMethods(),
		st.keyMethods(), st.passwordMethods(), st.promptMethods(), st.interactMethods(), st.explainMethods())...)
}

// sessionFuncs declares the methods that act on the current session.
func (st *State) sessionFuncs() []*dsl.Func {
	session := st.sessionType()
	st.declare(session, matchType(), statusType())
	var out []*dsl.Func
	for _, m := range session.Methods {
		if m.Is(dsl.Current) {
			out = append(out, m.On(st.current))
		}
	}
	return dsl.In("current session", out...)
}

func (st *State) sessionType() *dsl.Type {
	t := &dsl.Type{Name: "Session", Parts: "its methods, as in s.expect(…), or s.output()", Never: neverNone, Doc: "A running program and its terminal, from spawn().", Fields: []dsl.Field{
		dsl.Attr("pid", "int", "the process id", func(s *Session) starlark.Value { return starlark.MakeInt(s.PID) }),
		dsl.Attr("name", "str", "its name in messages", func(s *Session) starlark.Value { return starlark.String(s.Name) }),
		dsl.Attr("rows", "int", "height of the terminal", func(s *Session) starlark.Value { return starlark.MakeInt(s.Rows) }),
		dsl.Attr("cols", "int", "width of the terminal", func(s *Session) starlark.Value { return starlark.MakeInt(s.Cols) }),
		dsl.Attr("prompt", "pattern or None", "the prompt of a session of shell(), else None", func(s *Session) starlark.Value {
			if s.prompt == "" {
				return starlark.None
			}
			return pattern{match.Pattern{Source: s.prompt}}
		}),
		dsl.Attr("alive", "bool", "whether the program is running", func(s *Session) starlark.Value {
			_, over := s.Status()
			return starlark.Bool(!over)
		}),
		dsl.Attr("status", "Status or None", "how it ended; None while it runs", func(s *Session) starlark.Value {
			if status, over := s.Status(); over {
				return s.st.statusValue(status)
			}
			return starlark.None
		}),
	}}
	t.Methods = st.sessionMethods()
	return t
}
