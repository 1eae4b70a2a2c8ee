package dsl

import (
	"omniexpect/internal/clock"
	"testing"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// counted counts how often it was unpacked.
type counted struct{ n int }

func (c *counted) Unpack(starlark.Value) error {
	c.n++
	return nil
}

type fillArgs struct {
	First  counted        `star:"first" doc:"required"`
	Second counted        `star:"second?" doc:"optional"`
	Any    starlark.Value `star:"any?" doc:"anything, by default \"x\""`
}

// TestFill makes sure that each argument of a call that is right is unpacked once, and that None means the default.
func TestFill(t *testing.T) {
	var got fillArgs
	f := Define("f", "", "Takes some. Rest.", "f()", fillArgs{Any: starlark.String("x")}, func(_ *Call, a fillArgs) (starlark.Value, error) {
		got = a
		return nil, nil
	})
	strand := (&Host{Clock: clock.System{}}).NewStrand(t.Context(), "test")
	defer strand.Done()
	one := counted{1}
	for expr, want := range map[string]fillArgs{
		`f(1)`:                         {one, counted{}, starlark.String("x")},
		`f(1, 2, 3)`:                   {one, one, starlark.MakeInt(3)},
		`f(second=2, first=1)`:         {one, one, starlark.String("x")},
		`f(1, any=None)`:               {one, counted{}, starlark.String("x")},
		`f(None, None, None)`:          {one, one, starlark.String("x")},
		`f(1, second=2, any=(1, [])) `: {one, one, starlark.Tuple{starlark.MakeInt(1), starlark.NewList(nil)}},
	} {
		err := strand.Run(func(thread *starlark.Thread) error {
			_, err := starlark.EvalOptions(&syntax.FileOptions{}, thread, "test", expr, starlark.StringDict{"f": f.Builtin(nil)})
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", expr, err)
			continue
		}
		if same, _ := starlark.Equal(got.Any, want.Any); !same || got.First != want.First || got.Second != want.Second {
			t.Errorf("%s: got %+v, want %+v", expr, got, want)
		}
	}
}
