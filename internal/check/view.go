package check

import (
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
	"go.starlark.net/syntax"

	"omniexpect/internal/dsl"
	"omniexpect/internal/interp"
)

// View is what is known about a source, for editors. Where a check would be silent since it is not certain, a view
// guesses: a variable is what it is likely to be.
type View struct{ u *unit }

// Value is what is known about a value.
type Value struct {
	Kind   string          // its type as type() has it, "" if that is not known
	Func   *dsl.Func       // the builtin or method that it is
	Def    *syntax.DefStmt // the function of a script that it is
	Module string          // the module that it is
	Live   starlark.Value  // the value itself, if it is there already
	k      kind
}

// Look returns a view of a source, which may be a sketch. Live has the variables of a prompt, which no source binds.
func Look(v *dsl.Vocabulary, values, live starlark.StringDict, src *interp.Source) *View {
	c := New(v, values)
	c.guess, c.live, c.taken = true, live, map[string]bool{}
	for name := range live {
		c.taken[name] = true
	}
	return &View{c.unit(src)}
}

// alive is what is known about a value that is there already.
func (u *unit) alive(v starlark.Value) kind {
	t := u.c.table()
	switch v := v.(type) {
	case nil:
		return kind{}
	case *starlarkstruct.Module:
		if t.modules[v.Name] != nil {
			return kind{name: v.Type(), module: v.Name}
		}
	case *starlark.Builtin:
		if v.Receiver() == nil {
			return kind{name: "builtin", fn: t.funcs[v.Name()], live: v}
		}
	}
	return kind{name: v.Type(), live: v}
}

func value(k kind) Value {
	return Value{Kind: k.name, Func: k.fn, Def: k.def, Module: k.module, Live: k.live, k: k}
}

// Infer returns what is known about an expression of the source.
func (w *View) Infer(e syntax.Expr) Value { return value(w.u.infer(e)) }

// Attr returns what is known about an attribute of a value.
func (w *View) Attr(of Value, name string) Value { return value(w.u.attr(of.k, name)) }

// Attrs returns the attributes of a value, sorted, and whether they are known.
func (w *View) Attrs(of Value) ([]string, bool) {
	var names []string
	switch {
	case of.k.module != "":
		names = append(names, w.u.c.table().modules[of.k.module]...)
	case of.k.fields != nil:
		for f := range of.k.fields {
			names = append(names, f)
		}
	default:
		names, known := w.u.c.table().attrs(of.k.name)
		if x, ok := of.k.live.(starlark.HasAttrs); ok && !known {
			return x.AttrNames(), true
		}
		return names, known
	}
	slices.Sort(names)
	return names, true
}

// Type returns the type of ours that a kind of value is, or nil.
func (w *View) Type(kind string) *dsl.Type { return w.u.c.table().types[kind] }

// Methods returns the methods of all types that have a name.
func (w *View) Methods(name string) []*dsl.Func { return w.u.c.table().methods[name] }

// Variable is a name that a source binds.
type Variable struct {
	Name   string
	First  *syntax.Ident   // where it is bound first
	Def    *syntax.DefStmt // the function it names
	Values []syntax.Expr   // what is assigned to it
	Load   *syntax.LoadStmt
	From   *interp.Source // the module it is loaded from
	Loaded string         // its name there
}

// Variable returns what an identifier of the source stands for, or nil if the source does not bind it.
func (w *View) Variable(id *syntax.Ident) *Variable { return w.u.variable(id).public() }

// Global returns what a module binds to a name at its top level, or nil.
func (w *View) Global(m *interp.Source, name string) *Variable {
	return w.u.c.unit(m).globals[name].public()
}

// GlobalValue returns what is known about a name at the top level of a module.
func (w *View) GlobalValue(m *interp.Source, name string) Value {
	u := w.u.c.unit(m)
	if v := u.globals[name]; v != nil {
		return value(u.value(v))
	}
	return Value{}
}

func (v *variable) public() *Variable {
	if v == nil {
		return nil
	}
	return &Variable{Name: v.name, First: v.first, Def: v.def, Values: v.values, Load: v.load, From: v.from, Loaded: v.loaded}
}

// returned is what is known about a value of a declared type.
func (u *unit) returned(typ string) kind {
	name := u.c.table().returned(typ)
	for u.c.guess && name == "" {
		first, rest, more := strings.Cut(typ, " or ")
		if name = u.c.table().returned(first); !more {
			break
		}
		typ = rest
	}
	k := kind{name: name}
	if some, optional := strings.CutSuffix(typ, " or None"); optional && name == "" {
		k.maybe = u.c.table().returned(some)
	}
	return k
}

// likely is the first of the values of a variable that is something.
func (u *unit) likely(v *variable) kind {
	var last kind
	for _, e := range v.values {
		k := u.infer(e)
		if k.name != "" && k.name != "NoneType" {
			return k
		}
		last = k
	}
	return last
}

// yields is what a function of this source, or of one that it loads, is likely to return.
func (u *unit) yields(def *syntax.DefStmt) kind {
	of := u
	for src, other := range u.c.units {
		if src.File.Path == def.Def.Filename() {
			of = other
		}
	}
	if of.defs[def] {
		return kind{}
	}
	of.defs[def] = true
	defer delete(of.defs, def)
	k := kind{name: "NoneType"}
	syntax.Walk(&syntax.File{Stmts: def.Body}, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.DefStmt, *syntax.LambdaExpr:
			return false
		case *syntax.ReturnStmt:
			if n.Result != nil && (k.name == "" || k.name == "NoneType") {
				k = of.infer(n.Result)
			}
		}
		return true
	})
	return k
}
