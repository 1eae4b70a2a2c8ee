package dsl

import (
	"fmt"
	"math"
	"sort"
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
}

// Field is an attribute that is no method.
type Field struct{ Name, Type, Doc string }

// Method returns the method of a name, or nil.
func (t *Type) Method(name string) *Func {
	for _, m := range t.Methods {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// AttrNames returns all attributes, sorted.
func (t *Type) AttrNames() []string {
	var names []string
	for _, f := range t.Fields {
		names = append(names, f.Name)
	}
	for _, m := range t.Methods {
		names = append(names, m.Name)
	}
	sort.Strings(names)
	return names
}

// Const is a predeclared value that is no builtin.
type Const struct {
	Name  string
	Value starlark.Value
	Doc   string
}

// Vocabulary is all that scripts find predeclared.
type Vocabulary struct {
	Funcs  []*Func
	Types  []*Type
	Consts []Const
}
