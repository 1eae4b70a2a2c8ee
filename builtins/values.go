package builtins

import (
	"fmt"
	"syscall"
	"time"

	"go.starlark.net/starlark"
	"golang.org/x/sys/unix"

	"omniexpect/internal/dsl"
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

// Truth reports whether the program ended well.
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
	return &dsl.Type{Name: "Status", Parts: ".code for the number, .ok for success", Doc: "How a program ended. It is true if the status is 0.", Fields: []dsl.Field{
		dsl.Attr("code", "int or None", "the exit status; None if a signal ended it",
			func(s statusValue) starlark.Value { return codeOf(s.Status) }),
		dsl.Attr("signal", "str or None", "the signal that ended it, such as \"SIGKILL\", or None",
			func(s statusValue) starlark.Value { return signalOfStatus(s.Status) }),
		dsl.Attr("ok", "bool", "whether the status is 0", func(s statusValue) starlark.Value { return starlark.Bool(s.OK()) }),
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
