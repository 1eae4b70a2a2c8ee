package builtins

import (
	"fmt"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/match"
)

// matchValue is what an expect returns.
type matchValue struct {
	handle
	match.Result
	st      *State
	pattern match.Pattern
	names   []string
	bytes   bool
	session *Session // nil for a match in a stream,
	tap     *tap     // which this is
	value   starlark.Value
	waiting *waiting // of a session's match
}

func (st *State) matchValue(r match.Result, s *Session) *matchValue {
	return &matchValue{handle: st.handle("Match"), Result: r, st: st, session: s}
}

func (m *matchValue) String() string { return fmt.Sprintf("<match %q>", m.Text) }

// str is a piece of output as a script gets it: bytes where the pattern was bytes.
func (m *matchValue) str(s string) starlark.Value {
	if m.bytes {
		return starlark.Bytes(s)
	}
	return starlark.String(s)
}

func (m *matchValue) Attr(name string) (starlark.Value, error) { return m.typ.Attr(m, name) }

func (m *matchValue) before() starlark.Value {
	if m.waiting != nil {
		m.session.noteLost(m.waiting, m.Lost)
	}
	if m.tap != nil {
		m.tap.noteLost(m.st, m.Lost)
	}
	return m.str(m.Before.String())
}

func (m *matchValue) groups() starlark.Value {
	out := make(starlark.Tuple, len(m.Groups))
	for i, g := range m.Groups {
		out[i] = m.str(g)
	}
	return out
}

func (m *matchValue) named() starlark.Value {
	d := starlark.NewDict(len(m.names))
	for i, n := range m.names {
		if n != "" && i < len(m.Groups) {
			d.SetKey(starlark.String(n), m.str(m.Groups[i]))
		}
	}
	return d
}

// Get makes m[0], m[1] and m["name"] work.
func (m *matchValue) Get(key starlark.Value) (starlark.Value, bool, error) {
	switch k := key.(type) {
	case starlark.Int:
		i, err := starlark.AsInt32(k)
		if err != nil || i < 0 || i > len(m.Groups) {
			return nil, false, fmt.Errorf("match has no group %v: the pattern has %d", k, len(m.Groups))
		}
		if i == 0 {
			return m.str(m.Text), true, nil
		}
		return m.str(m.Groups[i-1]), true, nil
	case starlark.String:
		for i, n := range m.names {
			if n == string(k) && i < len(m.Groups) {
				return m.str(m.Groups[i]), true, nil
			}
		}
		return nil, false, fmt.Errorf("match has no group named %v: the pattern is %s", k, m.st.patternName(m.pattern))
	}
	return nil, false, fmt.Errorf("match groups are numbers or names, got %s", key.Type())
}

// neverNone describes how to have an outcome where None is expected of what fails instead.
const neverNone = "give TIMEOUT or EOF as patterns of a list to have them as outcomes, or use catch(…)"

func matchType() *dsl.Type {
	return &dsl.Type{Name: "Match", Parts: ".text for the text that matched, m[1] for a group, .before for what came before it",
		Number: ".index for which one of a list it was, m[1] for a group, which is a text", Never: neverNone,
		Doc: "What a wait found. m[0] is the text, m[1] the first group, m[\"name\"] a named one.", Fields: []dsl.Field{
			dsl.Attr("text", "str", "the match itself; \"\" for EOF, TIMEOUT and FULL", func(m *matchValue) starlark.Value { return m.str(m.Text) }),
			dsl.Attr("groups", "tuple", "the groups, the first at index 0; \"\" for one that did not match", (*matchValue).groups),
			dsl.Attr("named", "dict", "the named groups", (*matchValue).named),
			dsl.Attr("before", "str", "the unread output before the match", (*matchValue).before),
			dsl.Attr("index", "int", "which pattern of the list it was", func(m *matchValue) starlark.Value { return starlark.MakeInt(m.Index) }),
			dsl.Attr("value", "any", "what the action of a dict returned", func(m *matchValue) starlark.Value { return orNone(m.value) }),
			dsl.Attr("session", "Session or None", "the session it was found in; None for a stream", func(m *matchValue) starlark.Value {
				if m.session == nil {
					return starlark.None
				}
				return m.session
			}),
			dsl.Attr("pattern", "pattern", "the pattern that matched", func(m *matchValue) starlark.Value { return pattern{m.pattern} }),
			dsl.Attr("lost", "int", "bytes of unread output that were dropped before this match because the buffer was full",
				func(m *matchValue) starlark.Value { return starlark.MakeInt64(m.Lost) }),
			dsl.Attr("elapsed", "float", "how many seconds the wait took", func(m *matchValue) starlark.Value { return starlark.Float(m.Elapsed.Seconds()) }),
			dsl.Attr("time", "float", "when it was found, on the clock of now()", func(m *matchValue) starlark.Value { return m.st.clock(m.At) }),
		}}
}
