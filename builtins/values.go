package builtins

import (
	"fmt"
	"syscall"
	"time"

	"go.starlark.net/starlark"
	"golang.org/x/sys/unix"

	"omniexpect/internal/dsl"
	"omniexpect/internal/match"
	"omniexpect/internal/session"
)

// signalName returns a signal's name, and of one without, such as the real-time signals, its number: "SIG40".
func signalName(s syscall.Signal) string {
	if name := unix.SignalName(s); name != "" {
		return name
	}
	return fmt.Sprintf("SIG%d", int(s))
}

// handle is what the values of scripts have in common: their type's fields and methods, and that they cannot be compared.
type handle struct{ typ *dsl.Type }

// handle returns what the values of a declared type embed.
func (st *State) handle(typ string) handle { return handle{st.types[typ]} }

// declare adds types of values to the vocabulary. The function that lists the builtins of a topic calls it.
func (st *State) declare(types ...*dsl.Type) {
	for _, t := range types {
		st.types[t.Name] = t
		st.vocab.Types = append(st.vocab.Types, t)
	}
}

// Type, Freeze, Truth, Hash and AttrNames make what embeds handle a Starlark value, together with String and Attr.
func (h handle) Type() string          { return h.typ.Name }
func (h handle) Freeze()               {}
func (h handle) Truth() starlark.Bool  { return true }
func (h handle) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: %s", h.typ.Name) }
func (h handle) AttrNames() []string   { return h.typ.AttrNames() }

// statusValue is how a program ended.
type statusValue struct {
	handle
	session.Status
}

func (st *State) statusValue(s session.Status) statusValue {
	return statusValue{st.handle("Status"), s}
}

func (s statusValue) String() string { return s.Status.String() }

// Truth says whether the program ended well.
func (s statusValue) Truth() starlark.Bool { return starlark.Bool(s.OK()) }

// Hash makes equal statuses equal keys.
func (s statusValue) Hash() (uint32, error) { return uint32(s.Code + 256*int(s.Signal)), nil }

func (s statusValue) Attr(name string) (starlark.Value, error) { return s.typ.Attr(s, name) }

// codeOf is the exit status, None if a signal ended the program.
func codeOf(s session.Status) starlark.Value {
	if s.Signal != 0 {
		return starlark.None
	}
	return starlark.MakeInt(s.Code)
}

// signalOfStatus is the signal that ended a program, or None.
func signalOfStatus(s session.Status) starlark.Value {
	if s.Signal == 0 {
		return starlark.None
	}
	return starlark.String(signalName(s.Signal))
}

func statusType() *dsl.Type {
	return &dsl.Type{Name: "Status", Doc: "How a program ended. It is true if the status is 0.", Fields: []dsl.Field{
		dsl.Attr("code", "int or None", "the exit status; None if a signal ended it",
			func(s statusValue) starlark.Value { return codeOf(s.Status) }),
		dsl.Attr("signal", "str or None", "the signal that ended it, such as \"SIGKILL\", or None",
			func(s statusValue) starlark.Value { return signalOfStatus(s.Status) }),
		dsl.Attr("ok", "bool", "whether the status is 0", func(s statusValue) starlark.Value { return starlark.Bool(s.OK()) }),
	}}
}

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

func matchType() *dsl.Type {
	return &dsl.Type{Name: "Match", Doc: "What a wait found. m[0] is the text, m[1] the first group, m[\"name\"] a named one.", Fields: []dsl.Field{
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

// orNone is a value, or None for one that is missing.
func orNone(v starlark.Value) starlark.Value {
	if v == nil {
		return starlark.None
	}
	return v
}

// clock is a time as now() counts it.
func (st *State) clock(t time.Time) starlark.Value { return starlark.Float(t.Sub(st.began).Seconds()) }
