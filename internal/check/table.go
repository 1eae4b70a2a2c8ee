package check

import (
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"omniexpect/internal/dsl"
)

// table is what scripts find predeclared, by name.
type table struct {
	funcs   map[string]*dsl.Func
	types   map[string]*dsl.Type
	modules map[string][]string    // members of each module
	methods map[string][]*dsl.Func // by name alone
	consts  map[string]bool
	// types of values that stand for a program with a terminal: what can be done to the current one
	terminal map[string]bool
	values   starlark.StringDict
}

func newTable(v *dsl.Vocabulary, values starlark.StringDict) *table {
	t := &table{funcs: map[string]*dsl.Func{}, types: map[string]*dsl.Type{}, modules: map[string][]string{},
		methods: map[string][]*dsl.Func{}, consts: map[string]bool{}, terminal: map[string]bool{}, values: values}
	for _, f := range v.Funcs {
		t.funcs[f.Name] = f
	}
	for _, typ := range v.Types {
		t.types[typ.Name] = typ
		for _, m := range typ.Methods {
			t.methods[m.Name] = append(t.methods[m.Name], m)
			if m.Is(dsl.Current) {
				t.terminal[typ.Name] = true
			}
		}
	}
	for _, c := range v.Consts {
		t.consts[c.Name] = true
	}
	for name, val := range t.values {
		if m, ok := val.(*starlarkstruct.Module); ok {
			t.modules[name] = m.Members.Keys()
		}
	}
	return t
}

// attrs returns the attributes of a kind of value, and whether they are known.
func (t *table) attrs(kind string) ([]string, bool) {
	if typ := t.types[kind]; typ != nil {
		return typ.AttrNames(), true
	}
	switch kind {
	case "string":
		return starlark.String("").AttrNames(), true
	case "bytes":
		return starlark.Bytes("").AttrNames(), true
	case "list":
		return starlark.NewList(nil).AttrNames(), true
	case "dict":
		return starlark.NewDict(0).AttrNames(), true
	case "set":
		return starlark.NewSet(0).AttrNames(), true
	case "int", "float", "bool", "NoneType", "tuple":
		return nil, true
	}
	return nil, false
}

// pure reports whether all members of a module depend on their arguments alone, or on what they are told to call.
func (t *table) pure(module string) bool {
	return len(t.modules[module]) > 0 && !slices.ContainsFunc(t.modules[module], func(name string) bool {
		return !t.funcs[module+"."+name].Is(dsl.Pure)
	})
}

// returned is the kind that a builtin's declared result is, "" if that is open.
func (t *table) returned(typ string) string {
	switch typ {
	case "str", "regexp", "url":
		return "string"
	case "None":
		return "NoneType"
	case "int", "float", "bool", "list", "dict", "tuple", "bytes", "set", "function", "pattern", "secret":
		return typ
	}
	if t.types[typ] != nil {
		return typ
	}
	return ""
}

// takes reports whether a parameter of a declared type takes a kind of value. What it does not know it takes.
func (t *table) takes(typ, kind string) bool {
	if a, b, ok := strings.Cut(typ, " or "); ok {
		return t.takes(a, kind) || t.takes(b, kind)
	}
	switch typ {
	case "str", "regexp", "url":
		return kind == "string" || kind == "secret" || kind == "bytes"
	case "list": // some take a tuple as well
		return kind == typ || kind == "tuple"
	case "dict", "dict of pattern": // some take pairs as well
		return kind == "dict" || kind == "list" || kind == "tuple"
	case "int", "bool", "tuple", "bytes", "set":
		return kind == typ
	case "float":
		return kind == "int" || kind == "float"
	case "function":
		return kind == "function" || kind == "builtin"
	case "duration":
		return kind == "int" || kind == "float" || kind == "string" || kind == "NoneType"
	case "pattern":
		switch kind {
		case "string", "bytes", "pattern", "list", "tuple", "dict":
			return true
		}
		return false
	}
	if t.types[typ] != nil {
		return kind == typ
	}
	return true
}

// spoken is a type or a kind as messages name it.
func spoken(kind string) string {
	switch kind {
	case "string", "str", "regexp", "url":
		return "a text"
	case "NoneType":
		return "None"
	case "int":
		return "a whole number"
	case "float":
		return "a number"
	case "bool":
		return "True or False"
	case "duration":
		return `a duration (seconds, or a text like "250ms")`
	case "pattern":
		return "a pattern (a text, exact(…), a list, a dict)"
	case "dict of pattern":
		return "a dict"
	case "builtin":
		return "a function"
	}
	if a, b, ok := strings.Cut(kind, " or "); ok {
		return spoken(a) + " or " + spoken(b)
	}
	return "a " + kind
}
