package dsl

import (
	"omniexpect/internal/clock"
	"strings"
	"testing"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

type unpackArgs struct {
	Name    string           `star:"name" doc:"a name"`
	Count   int              `star:"count?" doc:"how many"`
	Timeout Duration         `star:"timeout?" doc:"how long"`
	Rest    starlark.Tuple   `star:"*rest" doc:"more"`
	Loud    bool             `star:"loud?,kw" doc:"by name only"`
	Others  []starlark.Tuple `star:"**others" doc:"anything"`
}

type plainArgs struct {
	Name  string `star:"name" doc:"a name"`
	Count int    `star:"count?" doc:"how many"`
	Loud  bool   `star:"loud?,kw" doc:"by name only"`
}

// commonArgs are shared by several.
type commonArgs struct {
	Count int  `star:"count?" doc:"how many"`
	Quick bool `star:"quick?,kw" doc:"by name only"`
}

type embeddingArgs struct {
	Name string `star:"name" doc:"a name"`
	commonArgs
	Timeout Duration `star:"timeout?" doc:"how long"`
}

// TestEmbedded makes sure that the parameters of an embedded struct stand where it stands.
func TestEmbedded(t *testing.T) {
	var a embeddingArgs
	f := Define("f", "", "Takes some. Rest.", "f()", embeddingArgs{commonArgs: commonArgs{Count: 3}}, func(_ *Call, got embeddingArgs) (starlark.Value, error) {
		a = got
		return nil, nil
	})
	if got, want := f.Signature(), "f(name, count=3, *, quick=False, timeout=None)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	strand := (&Host{Clock: clock.System{}}).NewStrand(t.Context(), "test")
	defer strand.Done()
	for expr, want := range map[string]commonArgs{`f("x")`: {3, false}, `f("x", 4, quick=True)`: {4, true}, `f(count=5, name="x")`: {5, false}} {
		err := strand.Run(func(thread *starlark.Thread) error {
			_, err := starlark.EvalOptions(&syntax.FileOptions{}, thread, "test", expr, starlark.StringDict{"f": f.Builtin(nil)})
			return err
		})
		if err != nil || a.Name != "x" || a.commonArgs != want {
			t.Errorf("%s: got %+v, %v", expr, a, err)
		}
	}
}

// call evaluates an expression in which f, with **kwargs, and g, without, are known.
func call(t *testing.T, expr string) (unpackArgs, plainArgs, error) {
	t.Helper()
	var a unpackArgs
	var b plainArgs
	f := Define("f", "", "Takes all. Rest.", "f()", unpackArgs{Count: 3}, func(_ *Call, got unpackArgs) (starlark.Value, error) {
		a = got
		return nil, nil
	})
	g := Define("g", "", "Takes some. Rest.", "g()", plainArgs{Count: 3}, func(_ *Call, got plainArgs) (starlark.Value, error) {
		b = got
		return nil, nil
	})
	env := starlark.StringDict{"f": f.Builtin(nil), "g": g.Builtin(nil)}
	strand := (&Host{Clock: clock.System{}}).NewStrand(t.Context(), "test")
	defer strand.Done()
	err := strand.Run(func(thread *starlark.Thread) error {
		_, err := starlark.EvalOptions(&syntax.FileOptions{}, thread, "test", expr, env)
		return err
	})
	return a, b, err
}

func TestUnpack(t *testing.T) {
	a, _, err := call(t, `f("x", 5, "2s", 1, 2, loud = True, extra = 9)`)
	if err != nil {
		t.Fatal(err)
	}
	if a.Name != "x" || a.Count != 5 || a.Timeout.D.Seconds() != 2 || len(a.Rest) != 2 || !a.Loud || len(a.Others) != 1 {
		t.Errorf("got %+v", a)
	}
	_, b, err := call(t, `g(name = "y", loud = True)`)
	if err != nil || b.Name != "y" || b.Count != 3 || !b.Loud {
		t.Errorf("got %+v, %v", b, err)
	}
	_, b, err = call(t, `g("y", None)`)
	if err != nil || b.Count != 3 {
		t.Errorf("None for an optional parameter: got %+v, %v", b, err)
	}
	for expr, want := range map[string]string{
		`g()`:                          "missing argument for name",
		`g(count = 1)`:                 "missing argument for name",
		`g("x", 1, True)`:              "got 3 positional arguments, want at most 2",
		`g("x", cuont = 1)`:            "did you mean count?",
		`g("x", name = "y")`:           "multiple values for keyword argument",
		`g("x", count = "many")`:       "for parameter \"count\": got string, want int",
		`g(1)`:                         "for parameter name: got int, want string",
		`f("x", timeout = "tomorrow")`: "tomorrow",
	} {
		if _, _, err := call(t, expr); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", expr, err, want)
		}
	}
}
