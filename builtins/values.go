package builtins

import (
	"fmt"
	"syscall"

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
	return statusValue{handle{st.types.status}, s}
}

func (s statusValue) String() string { return s.Status.String() }

// Truth says whether the program ended well.
func (s statusValue) Truth() starlark.Bool { return starlark.Bool(s.OK()) }

// Hash makes equal statuses equal keys.
func (s statusValue) Hash() (uint32, error) { return uint32(s.Code + 256*int(s.Signal)), nil }

func (s statusValue) Attr(name string) (starlark.Value, error) {
	switch name {
	case "code":
		if s.Signal != 0 {
			return starlark.None, nil
		}
		return starlark.MakeInt(s.Code), nil
	case "signal":
		if s.Signal == 0 {
			return starlark.None, nil
		}
		return starlark.String(signalName(s.Signal)), nil
	case "ok":
		return starlark.Bool(s.OK()), nil
	}
	return nil, nil
}

func statusType() *dsl.Type {
	return &dsl.Type{Name: "Status", Doc: "How a program ended. It is true when that was with status 0.", Fields: []dsl.Field{
		{Name: "code", Type: "int", Doc: "the exit status, None if a signal ended it"},
		{Name: "signal", Type: "str", Doc: "the signal that ended it, like \"SIGKILL\", or None"},
		{Name: "ok", Type: "bool", Doc: "status 0"},
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
	session *Session // nil for a match in a stream
	value   starlark.Value
	waiting *waiting // of a session's match
}

func (st *State) matchValue(r match.Result, s *Session) *matchValue {
	return &matchValue{handle: handle{st.types.match}, Result: r, st: st, session: s}
}

func (m *matchValue) String() string { return fmt.Sprintf("<match %q>", m.Text) }

// str is a piece of output as a script gets it: bytes where the pattern was bytes.
func (m *matchValue) str(s string) starlark.Value {
	if m.bytes {
		return starlark.Bytes(s)
	}
	return starlark.String(s)
}

func (m *matchValue) Attr(name string) (starlark.Value, error) {
	switch name {
	case "text":
		return m.str(m.Text), nil
	case "before":
		if m.waiting != nil {
			m.session.noteLost(m.waiting, m.Lost)
		}
		return m.str(m.Before.String()), nil
	case "index":
		return starlark.MakeInt(m.Index), nil
	case "groups":
		out := make(starlark.Tuple, len(m.Groups))
		for i, g := range m.Groups {
			out[i] = m.str(g)
		}
		return out, nil
	case "named":
		d := starlark.NewDict(len(m.names))
		for i, n := range m.names {
			if n != "" && i < len(m.Groups) {
				d.SetKey(starlark.String(n), m.str(m.Groups[i]))
			}
		}
		return d, nil
	case "value":
		if m.value == nil {
			return starlark.None, nil
		}
		return m.value, nil
	case "session":
		if m.session == nil {
			return starlark.None, nil
		}
		return m.session, nil
	case "pattern":
		return pattern{m.pattern}, nil
	case "lost":
		return starlark.MakeInt64(m.Lost), nil
	case "elapsed":
		return starlark.Float(m.Elapsed.Seconds()), nil
	case "time":
		return starlark.Float(m.At.Sub(m.st.began).Seconds()), nil
	}
	return nil, nil
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
		{Name: "text", Type: "str", Doc: "the match itself; \"\" for EOF, TIMEOUT and FULL"},
		{Name: "groups", Type: "tuple", Doc: "the groups, the first at 0; \"\" for one that took no part"},
		{Name: "named", Type: "dict", Doc: "the named groups"},
		{Name: "before", Type: "str", Doc: "the unread output before the match"},
		{Name: "index", Type: "int", Doc: "which pattern of the list it was"},
		{Name: "value", Type: "any", Doc: "what the action of a dict returned"},
		{Name: "session", Type: "Session", Doc: "the session it was found in, None for a stream's"},
		{Name: "pattern", Type: "pattern", Doc: "the pattern that matched"},
		{Name: "lost", Type: "int", Doc: "bytes of unread output dropped before this, because the buffer was full"},
		{Name: "elapsed", Type: "float", Doc: "seconds the wait took"},
		{Name: "time", Type: "float", Doc: "when it was found, on the clock of now()"},
	}}
}
