package check

import (
	"cmp"
	"fmt"

	"go.starlark.net/resolve"
	"go.starlark.net/syntax"

	"omniexpect/internal/dsl"
	"omniexpect/internal/habit"
	"omniexpect/internal/interp"
	"omniexpect/internal/spell"
)

func (u *unit) error(at syntax.Node, rule, msg, hint string) { u.add(at, rule, msg, hint, false) }
func (u *unit) warn(at syntax.Node, rule, msg, hint string)  { u.add(at, rule, msg, hint, true) }

func (u *unit) add(at syntax.Node, rule, msg, hint string, warning bool) {
	pos := syntax.Start(at)
	u.findings = append(u.findings, Finding{Pos: pos, Line: interp.LineOf(u.src.Text, int(pos.Line)), Rule: rule,
		Warning: warning, Msg: msg, Hint: hint})
}

// walk checks all of the source.
func (u *unit) walk() {
	w := walker{unit: u}
	for _, s := range u.src.File.Stmts {
		w.node(s)
	}
}

// walker visits a source and knows where it is.
type walker struct {
	*unit
	fn    *syntax.DefStmt
	loops int // around the place, within the function
}

func (w *walker) node(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.DefStmt:
			w.def(n)
			return false
		case *syntax.LambdaExpr:
			inner := walker{unit: w.unit, fn: w.fn, loops: 1} // it is called later, when names have values
			for _, p := range n.Params {
				if d, ok := p.(*syntax.BinaryExpr); ok {
					w.node(d.Y)
				}
			}
			inner.node(n.Body)
			return false
		case *syntax.ForStmt:
			w.node(n.X)
			w.loop(n.Body)
			return false
		case *syntax.WhileStmt:
			w.loops++
			w.node(n.Cond)
			w.loops--
			w.loop(n.Body)
			return false
		case *syntax.AssignStmt:
			w.node(n.RHS)
			if _, plain := unparen(n.LHS).(*syntax.Ident); !plain {
				w.node(n.LHS)
			} else if n.Op != syntax.EQ {
				w.early(unparen(n.LHS).(*syntax.Ident))
			}
			return false
		case *syntax.LoadStmt:
			return false
		case *syntax.ExprStmt:
			w.statement(n)
		case *syntax.CallExpr:
			w.call(n)
			w.node(n.Fn)
			for _, a := range n.Args {
				_, value := named(a)
				w.node(value)
			}
			return false
		case *syntax.DotExpr:
			w.attribute(n)
			w.node(n.X)
			return false
		case *syntax.IndexExpr:
			w.uncalled(n.X)
		case *syntax.BinaryExpr:
			w.operator(n)
		case *syntax.Ident:
			w.early(n)
		}
		return true
	})
}

func (w *walker) loop(body []syntax.Stmt) {
	w.loops++
	for _, s := range body {
		w.node(s)
	}
	w.loops--
}

func (w *walker) def(n *syntax.DefStmt) {
	for _, p := range n.Params {
		if d, ok := p.(*syntax.BinaryExpr); ok {
			w.node(d.Y)
		}
	}
	inner := walker{unit: w.unit, fn: n}
	for _, s := range n.Body {
		inner.node(s)
	}
}

// early reports the use of a builtin under a name that is the script's own from some later line on.
func (w *walker) early(id *syntax.Ident) {
	b, ok := id.Binding.(*resolve.Binding)
	if !ok || w.loops > 0 || b.Scope == resolve.Free {
		return
	}
	v := w.variable(id)
	if v == nil || v.scope != w.fn || v.def != nil || v.from != nil || len(v.values) == 0 && !v.grown {
		return
	}
	name := id.Name
	if v.first == id && v.grown && len(v.values) == 0 && w.fn != nil && w.globals[name] != nil {
		w.error(id, "local", fmt.Sprintf("%s is a local variable of %s here, because it is assigned in it, and has no value yet", name, w.fn.Name.Name),
			fmt.Sprintf(`a function cannot change a variable outside: keep it in a dict, as in state["%s"] += 1`, name))
		return
	}
	if !before(id.NamePos, v.firstEnd) || v.opaque || id == v.first {
		return
	}
	if w.c.table().values[name] != nil {
		w.error(id, "shadowed", fmt.Sprintf("%s is not the builtin here: line %d makes it a variable of the script, which has no value yet", name, v.first.NamePos.Line),
			"give the variable another name")
		return
	}
	w.error(id, "unset", fmt.Sprintf("%s has no value yet: it gets one in line %d", name, v.first.NamePos.Line), "")
}

func before(a, b syntax.Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Col < b.Col
}

// attribute checks that a value has an attribute.
func (u *unit) attribute(n *syntax.DotExpr) {
	k, name := u.infer(n.X), n.Name.Name
	if k.module != "" {
		members := u.c.table().modules[k.module]
		for _, m := range members {
			if m == name {
				return
			}
		}
		u.missing(n, k.module, members, habit.Module(k.module, name))
		return
	}
	if k.fields != nil {
		var names []string
		for f := range k.fields {
			names = append(names, f)
		}
		if _, ok := k.fields[name]; !ok {
			u.missing(n, "this struct", names, "")
		}
		return
	}
	u.uncalled(n.X)
	k.name = cmp.Or(k.name, k.maybe) // None has no attributes either
	names, ok := u.c.table().attrs(k.name)
	if !ok {
		return
	}
	for _, a := range names {
		if a == name {
			return
		}
	}
	hint := habit.Member(k.name, name)
	if k.name == "dict" && hint == "" && spell.Nearest(name, names) == "" {
		hint = fmt.Sprintf("an entry of a dict is x[%q]", name)
	}
	u.missing(n, spoken(k.name), names, hint)
}

func (u *unit) missing(n *syntax.DotExpr, of string, names []string, hint string) {
	name := n.Name.Name
	near := ""
	if hint == "" {
		near = didYouMean(name, names)
	}
	u.error(n.Name, "attribute", fmt.Sprintf("%s has no .%s%s", of, name, near), hint)
}

// uncalled reports a function that is used as if it were its result.
func (u *unit) uncalled(e syntax.Expr) {
	k := u.infer(e)
	if k.fn == nil && k.def == nil {
		return
	}
	name := ""
	at := syntax.Node(e)
	switch x := unparen(e).(type) {
	case *syntax.Ident:
		name = x.Name
	case *syntax.DotExpr:
		name, at = x.Name.Name, x.Name
	}
	u.error(at, "no call", fmt.Sprintf("%s is a function, and what it returns is meant", name), "write () after it: "+name+"()")
}

// statement reports an expression that stands alone and does nothing.
func (u *unit) statement(n *syntax.ExprStmt) {
	switch x := unparen(n.X).(type) {
	case *syntax.Ident, *syntax.DotExpr:
		if k := u.infer(x); k.name == "builtin" || k.name == "function" {
			u.warn(x, "no call", "this names a function and does not call it", "write () after it")
		}
	case *syntax.BinaryExpr:
		if k := u.infer(x.X); x.Op == syntax.MINUS && (k.fn != nil || k.def != nil) {
			u.error(x.X, "no call", "this names a function and subtracts from it", "a call needs parentheses, and arguments have no flags: omniexpect docs "+habitual(x.X)+" tells them")
			return
		}
		switch x.Op {
		case syntax.EQL, syntax.NEQ, syntax.LT, syntax.GT, syntax.LE, syntax.GE, syntax.IN:
			u.warn(x, "no effect", "the result of the comparison is not used", "write = to assign, or assert.true(…)")
		}
	}
}

// habitual is the name of a function that is used as a command.
func habitual(e syntax.Expr) string {
	if id, ok := unparen(e).(*syntax.Ident); ok {
		return id.Name
	}
	return "NAME"
}

// unused reports loads and sessions that nothing uses, and builtins that nothing can use any more.
func (u *unit) unused() {
	for _, v := range u.vars {
		if v.load != nil && v.reads == 0 && v.from != nil && u.c.unit(v.from).globals[v.loaded] != nil && !acts(v.from) {
			u.warn(v.first, "unused", fmt.Sprintf("%s is loaded and never used", v.name), "leave it out")
		}
	}
	u.hidden()
	u.idleSessions()
}

// acts reports whether a module does something when it is loaded, so that it may be loaded for that.
func acts(src *interp.Source) bool {
	for _, s := range src.File.Stmts {
		switch s := s.(type) {
		case *syntax.ExprStmt:
			if _, text := s.X.(*syntax.Literal); !text {
				return true
			}
		case *syntax.IfStmt, *syntax.ForStmt, *syntax.WhileStmt:
			return true
		}
	}
	return false
}

// hidden reports functions of the top level that have a builtin's name and mean the builtin by it in their own body: a
// function cannot call itself. A script may have any name for itself otherwise.
func (u *unit) hidden() {
	for name, v := range u.globals {
		if v.def == nil || u.c.table().values[name] == nil || !u.callsItself(v) {
			continue
		}
		u.warn(v.def.Name, "shadowed", fmt.Sprintf("this function takes the place of the builtin %s in the whole file, also in its own body", name), "give it another name")
	}
}

func (u *unit) callsItself(v *variable) bool {
	found := false
	for _, s := range v.def.Body {
		syntax.Walk(s, func(n syntax.Node) bool {
			if id, ok := n.(*syntax.Ident); ok && u.variable(id) == v {
				found = true
			}
			return !found
		})
	}
	return found
}

// idleSessions looks at sessions that the top level starts and then neither names nor uses as the current one.
func (u *unit) idleSessions() {
	stmts := u.src.File.Stmts
	for i, s := range stmts {
		a, ok := s.(*syntax.AssignStmt)
		if !ok || a.Op != syntax.EQ {
			continue
		}
		id, ok := a.LHS.(*syntax.Ident)
		if !ok {
			continue
		}
		if kind := u.infer(a.RHS).name; native(kind) || !u.c.table().terminal[kind] || !u.spawns(a.RHS) {
			continue
		}
		if v := u.variable(id); v == nil || v.reads > 0 {
			continue
		}
		used := false
		for _, later := range stmts[i+1:] {
			if used = used || u.usesCurrent(later); used || u.spawns(later) {
				break
			}
		}
		if !used {
			u.warn(id, "unused", fmt.Sprintf("the session %s is never used", id.Name), "run([…]) runs a program to its end; a program that only has to be there needs no name")
		}
	}
}

func (u *unit) spawns(n syntax.Node) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok {
			found = found || u.infer(call.Fn).fn.Is(dsl.Starts)
		}
		return !found
	})
	return found
}

// usesCurrent reports whether a statement may act on the current session: by a builtin that does, or by a function of the
// script.
func (u *unit) usesCurrent(n syntax.Node) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		if id, ok := n.(*syntax.Ident); ok && id.Binding != nil {
			k := u.infer(id)
			found = found || k.def != nil || k.fn != nil && !k.fn.Is(dsl.Pure) || k.name == "" || k.module != "" && !u.c.table().pure(k.module)
		}
		return !found
	})
	return found
}
