package docs_test

import (
	"testing"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"omniexpect/internal/docs"
	"omniexpect/internal/dsl"
	"omniexpect/internal/interp"
)

// TestStarlarkIsDescribed looks for every function and method that comes with the language.
func TestStarlarkIsDescribed(t *testing.T) {
	var names []string
	for name, v := range starlark.Universe {
		if _, ok := v.(*starlark.Builtin); ok {
			names = append(names, name)
		}
	}
	for _, v := range []starlark.HasAttrs{starlark.String(""), starlark.Bytes(""), starlark.NewList(nil), starlark.NewDict(0), starlark.NewSet(0)} {
		for _, m := range v.AttrNames() {
			names = append(names, v.Type()+"."+m)
		}
	}
	for module, v := range interp.Predeclare(&dsl.Vocabulary{}) {
		m, ok := v.(*starlarkstruct.Module)
		if !ok {
			names = append(names, module)
			continue
		}
		for name, v := range m.Members {
			if _, ok := v.(*starlark.Builtin); ok {
				names = append(names, module+"."+name)
			}
		}
	}
	for _, name := range names {
		if o, ok := docs.Starlark(name); !ok || o.Doc == "" {
			t.Errorf("%s is not described", name)
		}
	}
	o, _ := docs.Starlark("string.split")
	if got, want := o.Signature(), "split(sep=None, maxsplit=-1) → list"; got != want {
		t.Errorf("signature %q, want %q", got, want)
	}
}
