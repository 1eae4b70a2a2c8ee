package interp

import (
	"strings"

	"go.starlark.net/syntax"
)

// Doc returns the text that the source begins with, if it begins with one.
func (s *Source) Doc() string {
	if len(s.File.Stmts) == 0 {
		return ""
	}
	if e, ok := s.File.Stmts[0].(*syntax.ExprStmt); ok {
		if lit, ok := e.X.(*syntax.Literal); ok {
			text, _ := lit.Value.(string)
			return strings.TrimSpace(text)
		}
	}
	return ""
}

// Names reports whether the source or what it loads mentions a name.
func (s *Source) Names(name string) bool {
	found := false
	syntax.Walk(s.File, func(n syntax.Node) bool {
		if id, ok := n.(*syntax.Ident); ok && id.Name == name {
			found = true
		}
		return !found
	})
	for _, m := range s.Loads {
		found = found || m.Names(name)
	}
	return found
}

// Loops reports whether the source or what it loads has a loop, without which nothing that calls no builtin can last.
func (s *Source) Loops() bool {
	found := false
	syntax.Walk(s.File, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.WhileStmt, *syntax.ForStmt, *syntax.Comprehension:
			found = true
		}
		return !found
	})
	for _, m := range s.Loads {
		found = found || m.Loops()
	}
	return found
}
