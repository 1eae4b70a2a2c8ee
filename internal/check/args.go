package check

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"omniexpect/internal/dsl"
)

// named takes an argument of a call apart: its name, nil if it is given by its place, and its value.
func named(arg syntax.Expr) (name *syntax.Ident, value syntax.Expr) {
	if kw, ok := arg.(*syntax.BinaryExpr); ok && kw.Op == syntax.EQ {
		return kw.X.(*syntax.Ident), kw.Y
	}
	return nil, arg
}

// gives reports whether a call has an argument of this name.
func gives(n *syntax.CallExpr, name string) bool {
	return slices.ContainsFunc(n.Args, func(a syntax.Expr) bool {
		id, _ := named(a)
		return id != nil && id.Name == name
	})
}

func param(f *dsl.Func, name string) *dsl.Param {
	list := f.Params()
	for i := range list {
		if p := &list[i]; p.Name == name && !p.Rest && !p.RestKw {
			return p
		}
	}
	return nil
}

func paramNames(f *dsl.Func) []string {
	var out []string
	for _, p := range f.Params() {
		if !p.Rest && !p.RestKw {
			out = append(out, p.Name)
		}
	}
	return out
}

// bound is a call with the arguments by parameter.
type bound struct {
	call *syntax.CallExpr
	fn   *dsl.Func
	args map[string]syntax.Expr
	rest []syntax.Expr // what *args gets
	star bool          // *list or **dict is given, so that nothing is missing for sure
}

// first returns what the first parameter gets, or nil.
func (b *bound) first() syntax.Expr {
	if list := b.fn.Params(); len(list) > 0 {
		return b.args[list[0].Name]
	}
	return nil
}

// of returns what the first parameter of a type gets, or nil.
func (b *bound) of(typ string) syntax.Expr {
	for _, p := range b.fn.Params() {
		if p.Type == typ {
			return b.args[p.Name]
		}
	}
	return nil
}

// bindArgs sorts the arguments of a call; quiet leaves mistakes unsaid.
func (u *unit) bindArgs(n *syntax.CallExpr, f *dsl.Func, quiet bool) *bound {
	b := &bound{call: n, fn: f, args: map[string]syntax.Expr{}}
	var positional []string
	rest, restKw := false, false
	for _, p := range f.Params() {
		switch {
		case p.Rest:
			rest = true
		case p.RestKw:
			restKw = true
		case !p.KwOnly && !rest:
			positional = append(positional, p.Name)
		}
	}
	at := 0
	for _, a := range n.Args {
		if un, ok := a.(*syntax.UnaryExpr); ok && (un.Op == syntax.STAR || un.Op == syntax.STARSTAR) {
			b.star = true
			continue
		}
		if id, value := named(a); id != nil {
			switch {
			case param(f, id.Name) != nil:
				if b.args[id.Name] != nil && !quiet {
					u.error(id, "arguments", fmt.Sprintf("%s gets %s twice", f.Name, id.Name), "")
				}
				b.args[id.Name] = value
			case !restKw && !quiet:
				u.unknownParam(id, f)
			}
			continue
		}
		switch {
		case b.star:
		case at < len(positional):
			b.args[positional[at]] = a
		case rest:
			b.rest = append(b.rest, a)
		case at == len(positional) && !quiet:
			u.tooMany(a, n, f, len(positional))
		}
		at++
	}
	return b
}

// constant returns the value of a number, a text, True or False that is written out.
func constant(e syntax.Expr) (starlark.Value, bool) {
	switch e := unparen(e).(type) {
	case *syntax.Literal:
		switch x := e.Value.(type) {
		case string:
			return starlark.String(x), e.Token == syntax.STRING
		case int64:
			return starlark.MakeInt64(x), true
		case float64:
			return starlark.Float(x), true
		}
	case *syntax.Ident:
		if e.Name == "True" || e.Name == "False" {
			return starlark.Bool(e.Name == "True"), true
		}
	case *syntax.UnaryExpr:
		v, ok := constant(e.X)
		if !ok || e.Op != syntax.MINUS {
			return nil, false
		}
		switch x := v.(type) {
		case starlark.Int:
			return starlark.MakeInt(0).Sub(x), true
		case starlark.Float:
			return -x, true
		}
	}
	return nil, false
}
