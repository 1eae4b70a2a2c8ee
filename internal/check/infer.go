package check

import (
	"cmp"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"omniexpect/internal/dsl"
)

// kind is what is known about a value. The zero kind is: nothing.
type kind struct {
	name   string // its type as type() has it; "" if it is not known
	maybe  string // the type that it has unless it is None, where name is "" for that
	fn     *dsl.Func
	def    *syntax.DefStmt
	module string
	fields map[string]kind // of a struct
	live   starlark.Value  // the value itself, at a prompt
}

// infer returns what is known about the value of an expression. It is asked about every part of an expression, and looks
// at the parts of each: what it found is kept, or a long sum would take quadratic time.
func (u *unit) infer(e syntax.Expr) kind {
	e = unparen(e)
	switch e.(type) {
	case *syntax.Literal, *syntax.Ident:
		return u.look(e)
	}
	if k, ok := u.kinds[e]; ok {
		return k
	}
	k := u.look(e)
	if len(u.busy)+len(u.defs) == 0 { // else it may know less than it will
		u.kinds[e] = k
	}
	return k
}

func (u *unit) look(e syntax.Expr) kind {
	switch e := e.(type) {
	case *syntax.Literal:
		return kind{name: map[syntax.Token]string{syntax.STRING: "string", syntax.BYTES: "bytes", syntax.INT: "int", syntax.FLOAT: "float"}[e.Token]}
	case *syntax.ListExpr:
		return kind{name: "list"}
	case *syntax.DictExpr:
		return kind{name: "dict"}
	case *syntax.TupleExpr:
		return kind{name: "tuple"}
	case *syntax.Comprehension:
		if !e.Curly {
			return kind{name: "list"}
		}
		if _, ok := e.Body.(*syntax.DictEntry); ok {
			return kind{name: "dict"}
		}
	case *syntax.LambdaExpr:
		return kind{name: "function"}
	case *syntax.Ident:
		return u.ident(e)
	case *syntax.DotExpr:
		return u.attr(u.infer(e.X), e.Name.Name)
	case *syntax.CallExpr:
		return u.result(e)
	case *syntax.CondExpr:
		if a, b := u.infer(e.True), u.infer(e.False); a.name == b.name && a.fn == b.fn && a.def == b.def {
			return kind{name: a.name}
		}
	case *syntax.UnaryExpr:
		switch k := u.infer(e.X); {
		case e.Op == syntax.NOT:
			return kind{name: "bool"}
		case e.Op == syntax.MINUS && (k.name == "int" || k.name == "float"):
			return kind{name: k.name}
		}
	case *syntax.BinaryExpr:
		return u.binary(e)
	}
	return kind{}
}

func (u *unit) binary(e *syntax.BinaryExpr) kind {
	switch e.Op {
	case syntax.EQL, syntax.NEQ, syntax.LT, syntax.GT, syntax.LE, syntax.GE, syntax.IN, syntax.NOT_IN:
		return kind{name: "bool"}
	case syntax.PERCENT:
		if u.infer(e.X).name == "string" {
			return kind{name: "string"}
		}
	case syntax.PLUS:
		if a, b := u.infer(e.X), u.infer(e.Y); a.name == b.name {
			switch a.name {
			case "string", "list", "int", "float", "tuple", "bytes":
				return kind{name: a.name}
			}
		}
	}
	return kind{}
}

func (u *unit) ident(id *syntax.Ident) kind {
	if u.predeclared(id) {
		return u.builtin(id.Name)
	}
	v := u.variable(id)
	if v == nil {
		return u.alive(u.c.live[id.Name])
	}
	k := u.value(v)
	if k.name == "" && v.scope == nil {
		return u.alive(u.c.live[id.Name]) // the statement that is being typed gives it another value
	}
	return k
}

func (u *unit) builtin(name string) kind {
	t := u.c.table()
	switch {
	case name == "True" || name == "False":
		return kind{name: "bool"}
	case name == "None":
		return kind{name: "NoneType"}
	case t.funcs[name] != nil:
		return kind{name: "builtin", fn: t.funcs[name]}
	case t.modules[name] != nil:
		return kind{name: "module", module: name}
	case t.consts[name]:
		return kind{name: t.values[name].Type()}
	case t.values[name] != nil, starlark.Universe[name] != nil:
		return kind{name: "builtin"}
	}
	return kind{}
}

// value is what is known about a variable: all that is assigned to it has to agree.
func (u *unit) value(v *variable) kind {
	switch {
	case v.opaque || u.busy[v]:
		return kind{}
	case v.from != nil && len(v.values) == 0 && v.def == nil:
		m := u.c.unit(v.from)
		if g := m.globals[v.loaded]; g != nil {
			u.busy[v] = true // modules that are being written may load each other
			defer delete(u.busy, v)
			return m.value(g)
		}
		return kind{}
	case v.from != nil:
		return kind{}
	case v.def != nil && len(v.values) == 0 && !v.grown:
		return kind{name: "function", def: v.def}
	case v.def != nil || len(v.values) == 0:
		return kind{}
	}
	if v.known {
		return v.kind
	}
	u.busy[v] = true
	v.kind = u.agreed(v)
	v.known = true
	delete(u.busy, v)
	return v.kind
}

// agreed is what all values of a variable have in common.
func (u *unit) agreed(v *variable) kind {
	if u.c.guess {
		return u.likely(v)
	}
	k := u.infer(v.values[0])
	for _, e := range v.values[1:] {
		if next := u.infer(e); next.name != k.name || next.fn != k.fn || next.def != k.def {
			return kind{}
		}
		k.fields = nil
	}
	if v.grown && (k.name == "int" || k.name == "float") {
		return kind{}
	}
	return k
}

// attr is what is known about an attribute of a value.
func (u *unit) attr(of kind, name string) kind {
	t := u.c.table()
	if of.module != "" {
		if f := t.funcs[of.module+"."+name]; f != nil {
			return kind{name: "builtin", fn: f}
		}
		return kind{}
	}
	if of.fields != nil {
		return of.fields[name]
	}
	typ := t.types[cmp.Or(of.name, of.maybe)]
	if typ != nil && typ.Method(name) != nil {
		return kind{name: "builtin", fn: typ.Method(name)}
	}
	if x, ok := of.live.(starlark.HasAttrs); ok {
		if v, err := x.Attr(name); err == nil && v != nil {
			return u.alive(v)
		}
	}
	if typ == nil {
		return kind{}
	}
	for _, f := range typ.Fields {
		if f.Name == name {
			return u.returned(f.Type)
		}
	}
	return kind{}
}

// result is what is known about what a call returns.
func (u *unit) result(call *syntax.CallExpr) kind {
	if id, ok := call.Fn.(*syntax.Ident); ok && u.predeclared(id) {
		switch id.Name {
		case "struct":
			return u.structOf(call)
		case "str", "repr", "type":
			return kind{name: "string"}
		case "print":
			return kind{name: "NoneType"}
		case "len":
			return kind{name: "int"}
		case "sorted", "list":
			return kind{name: "list"}
		case "dict":
			return kind{name: "dict"}
		}
	}
	callee := u.infer(call.Fn)
	if callee.fn != nil {
		return u.returned(callee.fn.Returns)
	}
	if callee.def != nil && u.c.guess {
		return u.yields(callee.def)
	}
	if callee.def != nil && callee.def.Def.Filename() == u.src.File.Path {
		return kind{name: u.returns(callee.def)}
	}
	if dot, ok := call.Fn.(*syntax.DotExpr); ok && u.infer(dot.X).name == "string" {
		switch dot.Name.Name {
		case "strip", "lstrip", "rstrip", "lower", "upper", "replace", "format", "join", "title", "removeprefix", "removesuffix":
			return kind{name: "string"}
		case "split", "splitlines", "rsplit":
			return kind{name: "list"}
		}
	}
	return kind{}
}

func (u *unit) structOf(call *syntax.CallExpr) kind {
	k := kind{name: "struct", fields: map[string]kind{}}
	for _, a := range call.Args {
		name, value := named(a)
		if name == nil {
			return kind{name: "struct"}
		}
		k.fields[name.Name] = u.infer(value)
	}
	return k
}

// text returns the text that an expression is certain to have, and where it is written down.
func (u *unit) text(e syntax.Expr) (string, *syntax.Literal) {
	switch e := unparen(e).(type) {
	case *syntax.Literal:
		if e.Token == syntax.STRING {
			return e.Value.(string), e
		}
	case *syntax.Ident:
		v := u.variable(e)
		if v != nil && !v.opaque && !v.grown && v.def == nil && v.from == nil && len(v.values) == 1 {
			if lit, ok := unparen(v.values[0]).(*syntax.Literal); ok && lit.Token == syntax.STRING {
				return lit.Value.(string), lit
			}
		}
	}
	return "", nil
}

// returns is the kind that all ends of a function of this source agree on, "" if there is none.
func (u *unit) returns(def *syntax.DefStmt) string {
	if u.defs[def] {
		return ""
	}
	u.defs[def] = true
	defer delete(u.defs, def)
	var ends []syntax.Expr
	bare := false
	syntax.Walk(&syntax.File{Stmts: def.Body}, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.DefStmt, *syntax.LambdaExpr:
			return false
		case *syntax.ReturnStmt:
			if n.Result == nil {
				bare = true
			} else {
				ends = append(ends, n.Result)
			}
		}
		return true
	})
	if len(ends) == 0 {
		return "NoneType"
	}
	if _, last := def.Body[len(def.Body)-1].(*syntax.ReturnStmt); !last || bare {
		return ""
	}
	name := u.infer(ends[0]).name
	for _, e := range ends[1:] {
		if u.infer(e).name != name {
			return ""
		}
	}
	if name == "struct" || name == "function" || name == "builtin" {
		return ""
	}
	return name
}
