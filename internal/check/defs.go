package check

import (
	"fmt"
	"slices"

	"go.starlark.net/syntax"

	"omniexpect/internal/spell"
)

// userCall checks the call of a function of the script.
func (u *unit) userCall(n *syntax.CallExpr, def *syntax.DefStmt) {
	var names []string
	required := map[string]bool{}
	most, rest, restKw, star := 0, false, false, false
	for _, p := range def.Params {
		switch p := p.(type) {
		case *syntax.Ident:
			names = append(names, p.Name)
			required[p.Name] = true
		case *syntax.BinaryExpr:
			names = append(names, p.X.(*syntax.Ident).Name)
		case *syntax.UnaryExpr:
			rest = rest || p.Op == syntax.STAR && p.X != nil
			restKw = restKw || p.Op == syntax.STARSTAR
			star = true
			continue
		}
		if !star {
			most++
		}
	}
	given, at := map[string]bool{}, 0
	for _, a := range n.Args {
		if un, ok := a.(*syntax.UnaryExpr); ok && (un.Op == syntax.STAR || un.Op == syntax.STARSTAR) {
			return
		}
		id, _ := named(a)
		if id == nil {
			if at < most {
				given[names[at]] = true
			} else if at == most && !rest {
				u.error(a, "arguments", fmt.Sprintf("%s takes %d arguments, not %d", def.Name.Name, most, len(n.Args)), defined(def))
			}
			at++
			continue
		}
		if !slices.Contains(names, id.Name) && !restKw {
			u.error(id, "arguments", fmt.Sprintf("%s has no parameter %q%s", def.Name.Name, id.Name, didYouMean(id.Name, names)), defined(def))
		}
		given[id.Name] = true
	}
	for _, name := range names {
		if required[name] && !given[name] {
			u.error(n, "arguments", fmt.Sprintf("%s lacks its argument %s", def.Name.Name, name), defined(def))
			return
		}
	}
}

func defined(def *syntax.DefStmt) string {
	return fmt.Sprintf("%s is defined in %s, line %d", def.Name.Name, def.Def.Filename(), def.Def.Line)
}

func didYouMean(name string, names []string) string {
	if near := spell.Nearest(name, names); near != "" {
		return fmt.Sprintf(" (did you mean %s?)", near)
	}
	return ""
}
