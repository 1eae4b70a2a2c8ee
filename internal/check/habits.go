package check

import (
	"cmp"
	"fmt"

	"go.starlark.net/syntax"

	"omniexpect/internal/habit"
)

// ofLanguage checks calls of Starlark's own functions that are something else in Python.
func (u *unit) ofLanguage(n *syntax.CallExpr) {
	switch fn := n.Fn.(type) {
	case *syntax.Ident:
		if fn.Name != "print" || u.variable(fn) != nil {
			return
		}
		for _, a := range n.Args {
			if id, _ := named(a); id != nil && id.Name != "sep" && id.Name != "raw" {
				_, hint := habit.Call(fn.Name, id.Name)
				u.error(id, "arguments", fmt.Sprintf("print has no parameter %q", id.Name), hint)
			}
		}
	case *syntax.DotExpr:
		of := u.infer(fn.X)
		owner := cmp.Or(of.module, of.name)
		if said, hint := habit.Call(owner, fn.Name.Name); said != "" {
			u.error(fn.Name, "call", said, hint)
		} else if said, hint := habit.Call(owner, fn.Name.Name+"()"); said != "" && len(n.Args) == 0 {
			u.error(fn.Name, "arguments", said, hint)
		}
	}
}
