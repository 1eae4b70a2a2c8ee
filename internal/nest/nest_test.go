package nest_test

import (
	"strings"
	"testing"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"omniexpect/internal/nest"
)

func list(v ...starlark.Value) *starlark.List { return starlark.NewList(v) }

func TestCheck(t *testing.T) {
	one := starlark.MakeInt(1)
	deep := func(n int, wrap func(starlark.Value) starlark.Value) starlark.Value {
		var v starlark.Value = one
		for range n {
			v = wrap(v)
		}
		return v
	}
	inList := func(v starlark.Value) starlark.Value { return list(v) }
	inTuple := func(v starlark.Value) starlark.Value { return starlark.Tuple{v} }
	inDict := func(v starlark.Value) starlark.Value {
		d := starlark.NewDict(1)
		d.SetKey(one, v)
		return d
	}
	inStruct := func(v starlark.Value) starlark.Value {
		return starlarkstruct.FromStringDict(starlarkstruct.Default, starlark.StringDict{"v": v})
	}
	twice := func(v starlark.Value) starlark.Value { return list(v, v) }
	self := list()
	self.Append(self)
	byStruct := list()
	byStruct.Append(inStruct(byStruct))
	half := deep(nest.Deepest/2+10, inList)
	flat := list()
	for range 200_000 {
		flat.Append(inList(one))
	}
	for _, c := range []struct {
		name           string
		v              starlark.Value
		check, acyclic string // in the errors
	}{
		{"a number", one, "", ""},
		{"much that is flat", flat, "", ""},
		{"deep enough", deep(nest.Deepest, inList), "", ""},
		{"a deep list", deep(nest.Deepest+1, inList), "levels deep", "levels deep"},
		{"a very deep list", deep(1_000_000, inList), "levels deep", "levels deep"},
		{"a deep tuple", deep(1_000_000, inTuple), "levels deep", "levels deep"},
		{"a deep dict", deep(1_000_000, inDict), "levels deep", "levels deep"},
		{"a deep struct", deep(1_000_000, inStruct), "levels deep", "levels deep"},
		{"known when it is met deeper", list(half, deep(nest.Deepest/2, func(v starlark.Value) starlark.Value {
			if v == starlark.Value(one) {
				return half
			}
			return list(v)
		})), "levels deep", "levels deep"},
		{"shared, small", deep(10, twice), "", ""},
		{"shared, endless", deep(60, twice), "many times", "many times"},
		{"itself", self, "", "contains itself"},
		{"itself in a tuple", starlark.Tuple{self}, "", "contains itself"},
		{"itself by way of a struct", byStruct, "contains itself", "contains itself"},
	} {
		for _, got := range []struct {
			err  error
			want string
		}{{nest.Check(c.v), c.check}, {nest.Acyclic(c.v), c.acyclic}} {
			if (got.err == nil) != (got.want == "") || got.err != nil && !strings.Contains(got.err.Error(), got.want) {
				t.Errorf("%s: %v, want %q", c.name, got.err, got.want)
			}
		}
	}
}

func TestString(t *testing.T) {
	if got := nest.String(list(starlark.String("a"))); got != `["a"]` {
		t.Error(got)
	}
	var v starlark.Value = list()
	for range 1_000_000 {
		v = list(v)
	}
	if got := nest.String(v); got != "<list: nested more than 10000 levels deep>" {
		t.Error(got)
	}
}
