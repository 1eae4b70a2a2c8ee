package interp

import (
	"strings"

	"go.starlark.net/syntax"

	"omniexpect/internal/habit"
	"omniexpect/internal/lazy"
	"omniexpect/internal/spell"
)

// unknownKeyword is what the language says about a keyword that a function does not have.
var unknownKeyword = lazy.Regexp(`^(?:function )?([\w.]+)(?: got an|:) unexpected keyword argument "?(\w+)"?$`)

// unknownAttribute is what it says about an attribute that a value does not have.
var unknownAttribute = lazy.Regexp(`^(\w+) has no \.(\w+) field or method\b`)

var fieldAssigned = lazy.Regexp(`^can't assign to \.(\w+) field of (\w+)$`)

// Hint returns what to write instead of what a run failed with, where the text of the script tells it, or "". What can be
// found before the run is found by package check; here are mistakes that depend on values.
func (l *Library) Hint(msg string) string {
	switch {
	case strings.HasSuffix(msg, " called recursively"):
		return "a function cannot call itself: write a loop, with a list of what is left to do"
	case msg == "string value is not iterable":
		return "write text.codepoints() for its characters, text.splitlines() for its lines"
	case msg == "int value is not iterable":
		return "write range(n)"
	case strings.HasPrefix(msg, "key ") && strings.HasSuffix(msg, " not in dict"):
		return "where a key may be missing, write d.get(key, default)"
	}
	if m := unknownAttribute().FindStringSubmatch(msg); m != nil {
		return habit.Member(m[1], m[2])
	}
	if m := fieldAssigned().FindStringSubmatch(msg); m != nil {
		return habit.Member(m[2], m[1])
	}
	m := unknownKeyword().FindStringSubmatch(msg)
	if m == nil {
		return ""
	}
	// Functions may share a name, so that the nearest of all is taken.
	if near := spell.Nearest(m[2], append(l.parameters(m[1]), ofLanguage()[m[1]]...)); near != "" {
		return "did you mean " + near + "=?"
	}
	return ""
}

// parameters returns the names of the parameters of all functions of a name.
func (l *Library) parameters(function string) []string {
	var names []string
	for _, src := range l.sources {
		syntax.Walk(src.File, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.DefStmt:
				if n.Name.Name == function {
					names = append(names, named(n.Params)...)
				}
			case *syntax.LambdaExpr:
				if function == "lambda" {
					names = append(names, named(n.Params)...)
				}
			}
			return true
		})
	}
	return names
}

// named returns the names by which parameters can be given.
func named(params []syntax.Expr) []string {
	var names []string
	for _, p := range params {
		if b, ok := p.(*syntax.BinaryExpr); ok {
			p = b.X
		}
		if id, ok := p.(*syntax.Ident); ok {
			names = append(names, id.Name)
		}
	}
	return names
}

// ofLanguage returns the keywords of the language's own functions.
func ofLanguage() map[string][]string {
	return map[string][]string{
		"print": {"sep", "raw"}, "sorted": {"key", "reverse"}, "max": {"key"}, "min": {"key"}, "int": {"base"}, "enumerate": {"start"},
		"json.decode": {"default"}, "json.indent": {"prefix", "indent"}, "getattr": {"default"},
	}
}
