package dsl

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	startime "go.starlark.net/lib/time"
	"go.starlark.net/starlark"
)

// Duration is a parameter that takes seconds (int or float), a text like "250ms" or "2m", or None for ever.
type Duration struct {
	D       time.Duration
	Set     bool
	Forever bool
	Doc     string // what stands for a default that is not a duration
}

// Seconds is a default of n seconds.
func Seconds(n float64) Duration {
	return Duration{D: time.Duration(n * float64(time.Second)), Set: true}
}

// Unpack makes Duration a type of parameters.
func (d *Duration) Unpack(v starlark.Value) error {
	*d = Duration{Set: true}
	switch v := v.(type) {
	case starlark.NoneType:
		d.Forever = true
		return nil
	case starlark.Int, starlark.Float:
		f, _ := starlark.AsFloat(v)
		if math.IsNaN(f) || f > 1e9 {
			return fmt.Errorf("got %v seconds, want at most 1e9, or None for ever", v)
		}
		d.D = time.Duration(f * float64(time.Second))
	case starlark.String:
		p, err := time.ParseDuration(string(v))
		if err != nil {
			return fmt.Errorf("got %v, want seconds, or a text like \"1.5s\", \"250ms\", \"2m\"", v)
		}
		d.D = p
	case startime.Duration:
		d.D = time.Duration(v)
	default:
		return fmt.Errorf("got %s, want seconds, a text like \"1.5s\", or None for ever", v.Type())
	}
	if d.D < 0 {
		return fmt.Errorf("got %v, want a duration of 0 or more (0 tries once, None waits for ever)", v)
	}
	return nil
}

// StarType names the type in the reference.
func (Duration) StarType() string { return "duration" }

// StarDefault shows a default.
func (d Duration) StarDefault() string {
	switch {
	case d.Doc != "":
		return d.Doc
	case !d.Set || d.Forever:
		return "None"
	case d.D%time.Second == 0:
		return fmt.Sprint(int(d.D / time.Second))
	}
	return fmt.Sprint(d.D.Seconds())
}

// Type describes a value that builtins return: its fields and methods.
type Type struct {
	Name    string
	Doc     string
	Fields  []Field
	Methods []*Func

	// What to take of a value where it was used as a whole: in general, to compare it with a number, and instead of
	// comparing it with None, which it never is.
	Parts, Number, Never string

	once   sync.Once
	byName map[string]member
	names  []string // sorted
}

// Field is an attribute that is not a method. Attr declares one, and so does AttrErr.
type Field struct {
	Name, Type, Doc string

	Get func(of any) (starlark.Value, error)
}

// Attr declares a field of values of the Go type R.
func Attr[R any](name, typ, doc string, get func(R) starlark.Value) Field {
	return Field{name, typ, doc, func(of any) (starlark.Value, error) { return get(of.(R)), nil }}
}

// AttrErr declares a field that cannot always be had.
func AttrErr[R any](name, typ, doc string, get func(R) (starlark.Value, error)) Field {
	return Field{name, typ, doc, func(of any) (starlark.Value, error) { return get(of.(R)) }}
}

// member is what an attribute's name stands for: one of the two.
type member struct {
	get    func(any) (starlark.Value, error)
	method *Func
}

// members returns all attributes by name. They are sorted out once.
func (t *Type) members() map[string]member {
	t.once.Do(func() {
		t.byName = make(map[string]member, len(t.Fields)+len(t.Methods))
		for _, f := range t.Fields {
			t.byName[f.Name] = member{get: f.Get}
		}
		for _, m := range t.Methods {
			t.byName[m.Name] = member{method: m}
		}
		t.names = slices.Sorted(maps.Keys(t.byName))
	})
	return t.byName
}

// Attr returns an attribute of a value of the type, or nil if the type has none of that name.
func (t *Type) Attr(of any, name string) (starlark.Value, error) {
	switch m := t.members()[name]; {
	case m.method != nil:
		return m.method.Builtin(of), nil
	case m.get != nil:
		return m.get(of)
	}
	return nil, nil
}

// Method returns the method of a name, or nil.
func (t *Type) Method(name string) *Func { return t.members()[name].method }

// AttrNames returns all attributes, sorted.
func (t *Type) AttrNames() []string {
	t.members()
	return slices.Clone(t.names)
}

// Const is a predeclared value that is not a builtin.
type Const struct {
	Name  string
	Value starlark.Value
	Doc   string
	Roles Role
}

// Vocabulary is all that scripts find predeclared.
type Vocabulary struct {
	Funcs  []*Func
	Types  []*Type
	Consts []Const
}
