package builtins

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryParameterIsRead: what a builtin declares, the function that it is declared with uses, or hands on as a whole.
func TestEveryParameterIsRead(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var files []*ast.File
	kept := map[string]string{}
	embedded := map[string][]string{}
	fields := map[string][]string{} // of the structs of parameters
	for _, path := range names {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
		ast.Inspect(f, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if s, ok := spec.Type.(*ast.StructType); ok {
					fields[spec.Name.Name] = declared(s)
					for _, field := range s.Fields.List {
						if typ := name(field.Type); len(field.Names) == 1 && strings.HasSuffix(typ, "Args") {
							kept[field.Names[0].Name] = typ
						}
						if len(field.Names) == 0 {
							embedded[spec.Name.Name] = append(embedded[spec.Name.Name], name(field.Type))
						}
					}
				}
			}
			return true
		})
	}
	used := map[string]map[string]bool{} // by whatever gets such a struct
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok { // of a struct that keeps one, under a name of its own
				if of, ok := sel.X.(*ast.SelectorExpr); ok && kept[of.Sel.Name] != "" {
					read(used, kept[of.Sel.Name])[sel.Sel.Name] = true
				}
			}
			params, body := function(n)
			for _, p := range params {
				typ := name(p.Type)
				if len(fields[typ]) == 0 || len(p.Names) == 0 {
					continue
				}
				uses(body, p.Names[0].Name, read(used, typ), fields)
			}
			return true
		})
	}
	for typ, parts := range embedded { // what is read of the whole is read of its parts
		for _, part := range parts {
			maps.Copy(read(used, part), used[typ])
		}
	}
	for typ, list := range fields {
		for _, field := range list {
			if !used[typ][field] {
				t.Errorf("%s.%s: nothing reads it", typ, field)
			}
		}
	}
	if len(used) < 60 {
		t.Errorf("%d structs of parameters, want at least 60", len(used))
	}
}

func read(used map[string]map[string]bool, typ string) map[string]bool {
	if used[typ] == nil {
		used[typ] = map[string]bool{}
	}
	return used[typ]
}

// function returns the parameters of a function, its receiver among them, and its body.
func function(n ast.Node) (params []*ast.Field, body *ast.BlockStmt) {
	switch n := n.(type) {
	case *ast.FuncLit:
		return n.Type.Params.List, n.Body
	case *ast.FuncDecl:
		if n.Body == nil {
			return nil, nil
		}
		if n.Recv != nil {
			params = n.Recv.List
		}
		return append(params, n.Type.Params.List...), n.Body
	}
	return nil, nil
}

// name returns the name of a type, or of what it points to.
func name(e ast.Expr) string {
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	if id, ok := e.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// declared returns the fields of a struct that are parameters of a builtin.
func declared(s *ast.StructType) (names []string) {
	for _, field := range s.Fields.List {
		if field.Tag != nil && strings.Contains(field.Tag.Value, "star:") {
			names = append(names, field.Names[0].Name)
		}
	}
	return names
}

// uses adds the fields of a variable that a body names, all of them where it is made a struct of another type.
func uses(body *ast.BlockStmt, variable string, used map[string]bool, structs map[string][]string) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && id.Name == variable {
				used[n.Sel.Name] = true
			}
		case *ast.CallExpr:
			to := structs[name(n.Fun)]
			if len(to) > 0 && len(n.Args) == 1 && name(n.Args[0]) == variable {
				for _, field := range to {
					used[field] = true
				}
			}
		}
		return true
	})
}
