package assist

import (
	"go.starlark.net/syntax"

	"omniexpect/internal/interp"
)

// Target is a place in a script or module where something is defined; lines and columns count characters from 1.
type Target struct {
	File      string // as the source is named; a label for what is not a file
	Line, Col int32
	Len       int // characters of the name
}

// Define returns where the word at a place is defined.
func (g *Guide) Define(file, text string, at int) (Target, bool) {
	s, l, _, _, ok := g.ask(file, text, at)
	if !ok {
		return Target{}, false
	}
	switch {
	case s.module != nil:
		return Target{File: s.module.Name, Line: 1, Col: 1}, true
	case s.param != nil && s.def != nil:
		for _, p := range s.def.Params {
			if id := paramIdent(p); id != nil && id.Name == s.param.Name {
				return l.target(id), true
			}
		}
	case s.variable != nil && s.variable.From != nil:
		return l.origins(s.variable.From, s.variable.Loaded)
	case s.variable != nil && s.variable.First != nil:
		return l.target(s.variable.First), true
	case s.value.Def != nil:
		return l.target(s.value.Def.Name), true
	}
	return Target{}, false
}

// origins follows a name through the modules that hand it on.
func (l *look) origins(m *interp.Source, name string) (Target, bool) {
	for range 100 {
		v := l.view.Global(m, name)
		switch {
		case v == nil:
			return Target{File: m.Name, Line: 1, Col: 1}, true
		case v.From == nil:
			return l.target(v.First), true
		}
		m, name = v.From, v.Loaded
	}
	return Target{}, false
}

func (l *look) target(id *syntax.Ident) Target {
	t := Target{File: id.NamePos.Filename(), Line: id.NamePos.Line, Col: id.NamePos.Col, Len: len([]rune(id.Name))}
	if t.File == l.src.Name {
		t.Line = l.lineOf(t.Line)
	}
	return t
}

// Symbol is a function or variable of a script.
type Symbol struct {
	Name     string
	Function bool
	Target         // the name
	End      int32 // the last line
	Inner    []Symbol
}

// Outline returns the functions and variables of a script, in its order.
func (g *Guide) Outline(file, text string) []Symbol {
	l := g.look(file, text, -1)
	if l.src == nil {
		return nil
	}
	return l.outline(l.src.File.Stmts, true, map[string]bool{})
}

func (l *look) outline(stmts []syntax.Stmt, outer bool, seen map[string]bool) []Symbol {
	var out []Symbol
	for _, s := range stmts {
		_, end := s.Span()
		switch s := s.(type) {
		case *syntax.DefStmt:
			sym := Symbol{Name: s.Name.Name, Function: true, Target: l.target(s.Name), End: end.Line}
			sym.Inner = l.outline(s.Body, false, seen)
			out = append(out, sym)
		case *syntax.AssignStmt:
			id, ok := s.LHS.(*syntax.Ident)
			if ok && outer && !seen[id.Name] {
				seen[id.Name] = true
				out = append(out, Symbol{Name: id.Name, Target: l.target(id), End: end.Line})
			}
		case *syntax.IfStmt:
			out = append(out, l.outline(append(append([]syntax.Stmt{}, s.True...), s.False...), outer, seen)...)
		case *syntax.ForStmt:
			out = append(out, l.outline(s.Body, outer, seen)...)
		case *syntax.WhileStmt:
			out = append(out, l.outline(s.Body, outer, seen)...)
		}
	}
	return out
}
