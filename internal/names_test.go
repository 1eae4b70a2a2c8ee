package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"omniexpect/builtins"
	"omniexpect/internal/mask"
)

// TestEngineKnowsNoNames looks for names of builtins in what compares or maps texts in the engine: it asks for roles and
// types. Advice for readers is not the engine's: habit, interp/habits.go, docs' texts.
func TestEngineKnowsNoNames(t *testing.T) {
	v := (&builtins.State{Marker: "none", Mask: mask.New()}).Vocabulary()
	names := map[string]bool{"assert": true}
	for _, f := range v.Funcs {
		names[f.Name] = true
	}
	for _, typ := range v.Types {
		names[typ.Name] = true
		for _, m := range typ.Methods {
			names[m.Name] = true
		}
	}
	for _, c := range v.Consts {
		names[c.Name] = true
	}
	reasons := map[string]string{
		"check secret":  "the type of a value",
		"check env":     "a parameter",
		"check shell":   "the name of a rule",
		"check assert":  "a module that Python has as a statement: advice",
		"check Client":  "the type of a parameter",
		"docs assert":   "a word of Python's",
		"docs json":     "a module of Starlark",
		"interp json":   "a module of Starlark",
		"interp defer":  "the name of a strand",
		"interp help":   "a parameter of what declares parameters",
		"interp secret": "a parameter of what declares parameters",
		"lsp exit":      "a message of the protocol",
		"repl secret":   "the type of a value",
		"repl delete":   "a key",
		"repl paste":    "a key",
		"repl help":     "a word of the prompt that needs no parentheses",
		"repl exit":     "a word of the prompt that needs no parentheses",
	}
	unused := maps.Clone(reasons)
	for _, dir := range []string{"check", "assist", "repl", "lsp", "run", "report", "dsl", "docs", "interp"} {
		files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") || filepath.Base(file) == "habits.go" {
				continue
			}
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				for _, e := range compared(n) {
					lit, ok := e.(*ast.BasicLit)
					if !ok || lit.Kind != token.STRING {
						continue
					}
					name, _ := strconv.Unquote(lit.Value)
					delete(unused, dir+" "+name)
					if names[name] && reasons[dir+" "+name] == "" {
						t.Errorf("%s: the name %q: ask for a role or a type", set.Position(lit.Pos()), name)
					}
				}
				return true
			})
		}
	}
	for what := range unused {
		t.Errorf("%s does not occur any more: take it off the list", what)
	}
}

// compared returns what a node compares with, or looks up.
func compared(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if n.Op == token.EQL || n.Op == token.NEQ {
			return []ast.Expr{n.X, n.Y}
		}
	case *ast.CaseClause:
		return n.List
	case *ast.IndexExpr:
		return []ast.Expr{n.Index}
	case *ast.KeyValueExpr:
		return []ast.Expr{n.Key}
	case *ast.CallExpr:
		return n.Args
	}
	return nil
}
