package assist

import (
	"strings"

	"go.starlark.net/syntax"

	"omniexpect/internal/check"
	"omniexpect/internal/dsl"
	"omniexpect/internal/interp"
)

// probeName is a function that no script has.
const probeName = "omniexpect_probe__"

// look is a script as far as it can be understood, seen from a place.
type look struct {
	g      *Guide
	view   *check.View
	src    *interp.Source
	values []syntax.Expr     // what was asked about, by its order; nil where it does not parse
	around []*syntax.DefStmt // the functions that the place stands in, outermost first
	row    int32             // the first line of the probe
	rows   int32             // its lines
}

// look reads a script with questions at a place; at may be -1 for none.
func (g *Guide) look(name, text string, at int, questions ...string) *look {
	l := &look{g: g, values: make([]syntax.Expr, len(questions))}
	if !Readable(text) {
		return l
	}
	probe := ""
	if at >= 0 {
		var args []string
		for _, q := range questions {
			if q == "" || !parses("_("+q+"\n)", false) {
				q = "0"
			}
			args = append(args, "("+q+"\n)")
		}
		probe = probeName + "(" + strings.Join(args, ", ") + ")"
	}
	fixed, ok := repair(text, at, probe)
	if !ok && at >= 0 {
		// Without the rest of the script, at least.
		fixed, ok = repair(text[:at], at, probe)
	}
	if !ok {
		return l
	}
	src, err := g.library().Sketch(name, fixed)
	if err != nil {
		return l
	}
	l.src = src
	l.view = check.Look(g.vocabulary, g.values, g.Live, src)
	call, around := callOf(src.File, probeName)
	if call == nil {
		return l
	}
	l.around = around
	start, end := call.Span()
	l.row, l.rows = start.Line, end.Line-start.Line+1
	for i, a := range call.Args {
		if questions[i] != "" {
			l.values[i] = a.(*syntax.ParenExpr).X
		}
	}
	return l
}

// lineOf takes the probe out of the account: it returns the line of the script that a line of the repaired one was.
func (l *look) lineOf(line int32) int32 {
	if l.row > 0 && line >= l.row {
		return line - l.rows
	}
	return line
}

// value returns what is known about question i.
func (l *look) value(i int) check.Value {
	if l.view == nil || l.values[i] == nil {
		return check.Value{}
	}
	return l.view.Infer(l.values[i])
}

// bound returns the names that a function binds, with where it does so first.
func bound(def *syntax.DefStmt) map[string]*syntax.Ident {
	out := map[string]*syntax.Ident{}
	for _, p := range def.Params {
		if id := paramIdent(p); id != nil {
			out[id.Name] = id
		}
	}
	gather(def.Body, out)
	return out
}

// top returns the names that a file binds at its top level.
func top(f *syntax.File) map[string]*syntax.Ident {
	out := map[string]*syntax.Ident{}
	gather(f.Stmts, out)
	return out
}

// paramIdent returns the name of a parameter of a function, or nil for a bare star.
func paramIdent(p syntax.Expr) *syntax.Ident {
	switch p := p.(type) {
	case *syntax.Ident:
		return p
	case *syntax.BinaryExpr:
		id, _ := p.X.(*syntax.Ident)
		return id
	case *syntax.UnaryExpr:
		id, _ := p.X.(*syntax.Ident)
		return id
	}
	return nil
}

func gather(stmts []syntax.Stmt, out map[string]*syntax.Ident) {
	add := func(e syntax.Expr) {
		syntax.Walk(e, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Ident:
				if out[n.Name] == nil {
					out[n.Name] = n
				}
			case *syntax.DotExpr, *syntax.IndexExpr, *syntax.CallExpr:
				return false
			}
			return true
		})
	}
	for _, s := range stmts {
		switch s := s.(type) {
		case *syntax.DefStmt:
			add(s.Name)
		case *syntax.AssignStmt:
			add(s.LHS)
		case *syntax.LoadStmt:
			for _, id := range s.To {
				add(id)
			}
		case *syntax.ForStmt:
			add(s.Vars)
			gather(s.Body, out)
		case *syntax.WhileStmt:
			gather(s.Body, out)
		case *syntax.IfStmt:
			gather(s.True, out)
			gather(s.False, out)
		}
	}
}

// methods returns the methods that a call of an attribute may mean, where the value is not known.
func (l *look) methods(name string) []*dsl.Func {
	if l.view == nil {
		return nil
	}
	return l.view.Methods(name)
}
