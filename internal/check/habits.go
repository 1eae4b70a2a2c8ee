package check

import (
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
				u.error(id, "arguments", fmt.Sprintf("print has no parameter %q", id.Name), map[string]string{
					"file":  `print writes to standard output; step("…") says on standard error what happens`,
					"end":   "print ends its line: put together first what shall stand in one",
					"flush": "leave it out: what is printed is written at once",
				}[id.Name])
			}
		}
	case *syntax.DotExpr:
		if fn.Name.Name == "prompt" && u.infer(fn.X).name == "Session" {
			u.error(fn.Name, "call", ".prompt is a pattern or None, which cannot be called", `a shell's commands are run by s.cmd("…"), which waits for its prompt`)
		}
		if fn.Name.Name == "time" && len(n.Args) == 0 && u.infer(fn.X).module == "time" {
			u.error(fn.Name, "arguments", "time.time makes a date from its arguments, and there are none", habit.Module("time", "time"))
		}
	}
}
