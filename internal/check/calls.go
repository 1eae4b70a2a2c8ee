package check

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/syntax"

	"omniexpect/internal/dsl"
	"omniexpect/internal/habit"
	"omniexpect/internal/spell"
)

// call checks one call.
func (u *unit) call(n *syntax.CallExpr) {
	k := u.infer(n.Fn)
	u.ofLanguage(n)
	switch {
	case k.fn != nil:
		u.builtinCall(n, k.fn)
	case k.def != nil:
		u.userCall(n, k.def)
	case k.name != "" && k.name != "function" && k.name != "builtin":
		u.notCallable(n, k)
	case k.name == "":
		u.unknownReceiver(n)
	}
}

func (u *unit) notCallable(n *syntax.CallExpr, k kind) {
	id, ok := n.Fn.(*syntax.Ident)
	if !ok {
		if dot, ok := n.Fn.(*syntax.DotExpr); ok {
			u.error(dot.Name, "call", fmt.Sprintf(".%s is %s, which cannot be called", dot.Name.Name, spoken(k.name)), "write it without ()")
			return
		}
		u.error(n.Fn, "call", "this is "+spoken(k.name)+", which cannot be called", "")
		return
	}
	v := u.variable(id)
	if v != nil && u.c.table().values[id.Name] != nil {
		u.error(id, "shadowed", fmt.Sprintf("%s is %s here, not the builtin: line %d gives the name another meaning", id.Name, spoken(k.name), v.first.NamePos.Line),
			"give the variable another name")
		return
	}
	hint := ""
	if id.Name == "assert" {
		hint = "write assert.true(x), assert.eq(got, want)"
	}
	u.error(id, "call", fmt.Sprintf("%s is %s, which cannot be called", id.Name, spoken(k.name)), hint)
}

// unknownReceiver looks at a method whose receiver is not known: only for arguments that no type's method of that name has
// and that are nearly right, and for the patterns of a session's.
func (u *unit) unknownReceiver(n *syntax.CallExpr) {
	dot, ok := n.Fn.(*syntax.DotExpr)
	if !ok || u.fields[dot.Name.Name] || u.loadedName(dot.X) {
		return
	}
	methods := u.c.table().methods[dot.Name.Name]
	if len(methods) == 0 {
		if hint := habit.Method(dot.Name.Name); hint != "" && u.infer(dot.X).name == "" {
			u.warn(dot.Name, "attribute", fmt.Sprintf("nothing here has a method %s", dot.Name.Name), hint)
		}
		return
	}
	for _, a := range n.Args {
		id, _ := named(a)
		known := id == nil
		for _, m := range methods {
			known = known || param(m, id.Name) != nil
		}
		if !known && spell.Nearest(id.Name, paramNames(methods[0])) != "" {
			u.unknownParam(id, methods[0])
		}
	}
	if u.c.table().terminal[methods[0].Recv] {
		u.patterns(u.bindArgs(n, methods[0], true))
	}
}

// loadedName reports whether an expression begins with a name that is loaded.
func (u *unit) loadedName(e syntax.Expr) bool {
	for {
		switch x := unparen(e).(type) {
		case *syntax.DotExpr:
			e = x.X
		case *syntax.CallExpr:
			e = x.Fn
		case *syntax.Ident:
			v := u.variable(x)
			return v == nil || v.from != nil
		default:
			return false
		}
	}
}

func (u *unit) tooMany(at syntax.Expr, n *syntax.CallExpr, f *dsl.Func, most int) {
	msg := fmt.Sprintf("%s takes at most %d arguments without a name", f.Name, most)
	if most == 0 {
		msg = f.Name + " takes no arguments"
		if len(f.Params()) > 0 {
			msg = f.Name + " takes its arguments by name only"
		}
	}
	hint := "the call is " + f.Signature()
	if p := param(f, "argv"); p != nil {
		hint = `the program and its arguments are one list: ` + f.Name + `(["ls", "-l"])`
	} else if p := param(f, "pattern"); p != nil && u.infer(at).name == "string" {
		hint = `several patterns are one list: ` + f.Name + `([r"one", r"two"])`
	}
	u.error(at, "arguments", msg, hint)
}

func (u *unit) unknownParam(id *syntax.Ident, f *dsl.Func) {
	msg := fmt.Sprintf("%s has no parameter %q", f.Name, id.Name)
	hint := "it takes " + strings.Join(paramNames(f), ", ")
	if len(paramNames(f)) == 0 {
		hint = "it takes no arguments by name"
	}
	near := spell.Nearest(id.Name, paramNames(f))
	if other := habit.Instead(f.Name, id.Name); other != "" {
		hint = other
	} else if near != "" {
		msg += fmt.Sprintf(" (did you mean %s?)", near)
	}
	u.error(id, "arguments", msg, hint)
}

func (u *unit) builtinCall(n *syntax.CallExpr, f *dsl.Func) {
	b := u.bindArgs(n, f, false)
	var missing []string
	instead := ""
	for _, p := range f.Params() {
		e := b.args[p.Name]
		if e == nil {
			if p.Required && !b.star {
				missing = append(missing, p.Name)
				if p.Missing != "" {
					instead += "; " + p.Missing
				}
			}
			continue
		}
		u.argument(n, f, p, e)
	}
	if len(missing) > 0 {
		u.error(n, "arguments", fmt.Sprintf("%s lacks its argument %s", f.Name, strings.Join(missing, " and ")), "the call is "+f.Signature()+instead)
	}
	u.patterns(b)
	u.meaning(b)
}

// argument checks the type of an argument.
func (u *unit) argument(n *syntax.CallExpr, f *dsl.Func, p dsl.Param, e syntax.Expr) {
	k := u.infer(e)
	if k.name == "" || k.name == "NoneType" && !p.Required {
		return
	}
	if !u.c.table().takes(p.Type, k.name) || strings.HasPrefix(p.Type, "dict") && u.listOfTexts(e) {
		hint := ""
		switch {
		case p.Name == "env" && (k.name == "string" || slices.Contains(n.Args, e) && k.name != "dict") && param(f, "argv") != nil:
			hint = `the program and its arguments are one list: ` + f.Name + `(["ls", "-l"])`
		case strings.HasPrefix(p.Type, "dict"):
			hint = `write {"name": "value"}`
		case p.Type == "function":
			hint = "give the function itself, without (), or lambda: …"
		case textual(p.Type) && (k.name == "int" || k.name == "float"):
			hint = `write "…" around it, or str(…)`
		case textual(p.Type) && (k.name == "function" || k.name == "builtin"):
			hint = "call it, with (), or write its name as a text, in quotes"
		case u.parts(k.name) != "":
			hint = "take what you need of it: " + u.parts(k.name)
		case p.Type == "list" && k.name == "string":
			hint = "write [ ] around it"
		case p.Type == "int" && k.name == "string", p.Type == "bool" && k.name == "string":
			hint = "write it without quotes"
		}
		u.error(e, "type", fmt.Sprintf("%s: %s is %s, want %s", f.Name, p.Name, spoken(k.name), spoken(p.Type)), hint)
		return
	}
	if p.Type == "duration" {
		u.duration(n, f, p, e)
	}
}

// textual reports whether a parameter's type is a text, whatever the text means.
func textual(typ string) bool { return typ == "str" || typ == "regexp" || typ == "url" }

// listOfTexts reports whether an expression is a list of plain texts, which no dict can be made of.
func (u *unit) listOfTexts(e syntax.Expr) bool {
	l, ok := unparen(e).(*syntax.ListExpr)
	return ok && len(l.List) > 0 && u.infer(l.List[0]).name == "string"
}

// duration checks a duration that is written out.
func (u *unit) duration(n *syntax.CallExpr, f *dsl.Func, p dsl.Param, e syntax.Expr) {
	v, ok := constant(e)
	if !ok {
		return
	}
	var d dsl.Duration
	if err := d.Unpack(v); err != nil {
		hint := ""
		if !gives(n, p.Name) && v.Type() == "string" && param(f, "pattern") != nil {
			hint = `several patterns are one list: ` + f.Name + `([r"one", r"two"])`
		}
		u.error(e, "duration", fmt.Sprintf("%s: %s: %s", f.Name, p.Name, err), hint)
	}
}
