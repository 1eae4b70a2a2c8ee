package check

import (
	"go.starlark.net/resolve"
	"go.starlark.net/syntax"

	"omniexpect/internal/interp"
)

// variable is what is known about a name that a source binds.
type variable struct {
	name     string
	first    *syntax.Ident
	firstEnd syntax.Position // end of the assignment that binds it first
	scope    *syntax.DefStmt // the function it is bound in; nil is the top level
	values   []syntax.Expr   // what is assigned to it
	def      *syntax.DefStmt
	from     *interp.Source // the module it is loaded from, under the name loaded
	loaded   string
	load     *syntax.LoadStmt
	opaque   bool // also bound in a way that tells nothing
	grown    bool // by += and the like
	reads    int
	kind     kind // what value found, once it is known
	known    bool
}

// unit is one source with what is known about it.
type unit struct {
	c        *Checker
	src      *interp.Source
	vars     map[*syntax.Ident]*variable
	globals  map[string]*variable
	fields   map[string]bool // names of attributes that the source gives to structs
	views    bool            // the source chooses a view, so that patterns may be for the raw one
	modes    bool            // it may choose whether there is a terminal, or its modes
	findings []Finding
	checked  bool
	busy     map[*variable]bool
	kinds    map[syntax.Expr]kind     // what infer found
	defs     map[*syntax.DefStmt]bool // whose result is being found out
}

func (c *Checker) unit(src *interp.Source) *unit {
	if u := c.units[src]; u != nil {
		return u
	}
	u := &unit{c: c, src: src, vars: map[*syntax.Ident]*variable{}, globals: map[string]*variable{},
		fields: map[string]bool{}, busy: map[*variable]bool{},
		defs: map[*syntax.DefStmt]bool{}, kinds: map[syntax.Expr]kind{}}
	c.units[src] = u
	b := binder{unit: u}
	b.stmts(src.File.Stmts)
	return u
}

// variable returns what an identifier stands for, or nil if it is predeclared.
func (u *unit) variable(id *syntax.Ident) *variable {
	b, ok := id.Binding.(*resolve.Binding)
	if !ok || b.First == nil {
		return nil
	}
	switch b.Scope {
	case resolve.Predeclared, resolve.Universal, resolve.Undefined:
		return nil
	}
	v := u.vars[b.First]
	if v == nil {
		v = &variable{name: id.Name, first: b.First}
		u.vars[b.First] = v
	}
	return v
}

// predeclared reports whether a name is a builtin, of ours or of the language.
func (u *unit) predeclared(id *syntax.Ident) bool {
	b, ok := id.Binding.(*resolve.Binding)
	return ok && !u.c.taken[id.Name] && (b.Scope == resolve.Predeclared || b.Scope == resolve.Universal)
}

// binder gathers what is assigned to each name.
type binder struct {
	*unit
	fn *syntax.DefStmt
}

func (b *binder) stmts(list []syntax.Stmt) {
	for _, s := range list {
		b.node(s)
	}
}

func (b *binder) node(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.DefStmt:
			b.def(n)
			return false
		case *syntax.LambdaExpr:
			b.params(n.Params)
			b.node(n.Body)
			return false
		case *syntax.AssignStmt:
			b.assign(n)
			return false
		case *syntax.ForStmt:
			b.opaque(n.Vars)
			b.node(n.X)
			b.stmts(n.Body)
			return false
		case *syntax.ForClause:
			b.opaque(n.Vars)
			b.node(n.X)
			return false
		case *syntax.LoadStmt:
			for i, id := range n.To {
				if v := b.bind(id); v != nil {
					v.from, v.loaded, v.load = b.src.Loads[n.ModuleName()], n.From[i].Name, n
				}
			}
			return false
		case *syntax.CallExpr:
			b.call(n)
		case *syntax.DotExpr:
			b.node(n.X)
			return false
		case *syntax.Ident:
			if v := b.variable(n); v != nil {
				v.reads++
			}
		}
		return true
	})
}

func (b *binder) call(n *syntax.CallExpr) {
	id, _ := n.Fn.(*syntax.Ident)
	for _, a := range n.Args {
		name, _ := named(a)
		if name == nil {
			continue
		}
		if id != nil && id.Name == "struct" {
			b.fields[name.Name] = true
		}
		b.views = b.views || name.Name == "view" || name.Name == "raw"
		b.modes = b.modes || name.Name == "pty" || name.Name == "raw"
	}
	if spreads(n) {
		b.views, b.modes = true, true
	}
}

func (b *binder) bind(id *syntax.Ident) *variable {
	v := b.variable(id)
	if v == nil {
		return nil
	}
	if v.first == id {
		v.scope = b.fn
		v.firstEnd = id.NamePos
	}
	if b.fn == nil {
		b.globals[id.Name] = v
	}
	return v
}

func (b *binder) def(n *syntax.DefStmt) {
	if v := b.bind(n.Name); v != nil {
		if v.def != nil {
			v.opaque = true
		}
		v.def = n
	}
	outer := b.fn
	for _, p := range n.Params {
		if d, ok := p.(*syntax.BinaryExpr); ok {
			b.node(d.Y)
		}
	}
	b.fn = n
	b.paramNames(n.Params)
	b.stmts(n.Body)
	b.fn = outer
}

func (b *binder) params(list []syntax.Expr) {
	for _, p := range list {
		if d, ok := p.(*syntax.BinaryExpr); ok {
			b.node(d.Y)
		}
	}
	b.paramNames(list)
}

func (b *binder) paramNames(list []syntax.Expr) {
	for _, p := range list {
		switch p := p.(type) {
		case *syntax.Ident:
			b.opaque(p)
		case *syntax.BinaryExpr:
			b.opaque(p.X)
		case *syntax.UnaryExpr:
			if p.X != nil {
				b.opaque(p.X)
			}
		}
	}
}

func (b *binder) assign(n *syntax.AssignStmt) {
	b.node(n.RHS)
	switch lhs := unparen(n.LHS).(type) {
	case *syntax.Ident:
		v := b.bind(lhs)
		switch {
		case v == nil:
		case n.Op == syntax.EQ:
			v.values = append(v.values, n.RHS)
			if v.first == lhs {
				v.firstEnd = syntax.End(n)
			}
		default:
			v.grown = true
			v.reads++
		}
	case *syntax.TupleExpr, *syntax.ListExpr:
		b.opaque(lhs)
	default:
		b.node(lhs)
	}
}

// opaque binds all names of a target without knowing their values.
func (b *binder) opaque(target syntax.Expr) {
	switch t := unparen(target).(type) {
	case *syntax.Ident:
		if v := b.bind(t); v != nil {
			v.opaque = true
		}
	case *syntax.TupleExpr:
		for _, x := range t.List {
			b.opaque(x)
		}
	case *syntax.ListExpr:
		for _, x := range t.List {
			b.opaque(x)
		}
	default:
		b.node(t)
	}
}

func unparen(e syntax.Expr) syntax.Expr {
	for {
		p, ok := e.(*syntax.ParenExpr)
		if !ok {
			return e
		}
		e = p.X
	}
}
