package interp_test

import (
	"slices"
	"testing"

	"go.starlark.net/starlark"

	"omniexpect/internal/fault"
	"omniexpect/internal/interp"
)

// TestChain shows the calls through a module, and folds frames that repeat.
func TestChain(t *testing.T) {
	y := newToy(t, map[string]string{"top.star": "load('deep.star', 'deep')\ndef top():\n    deep()\ntop()\nx = 1",
		"deep.star": "def deep():\n    oops('env', 'why')\n"})
	err := y.do(t.Context(), "load('@lib//top.star', 'x')")
	var got []string
	for _, f := range interp.Chain(err) {
		got = append(got, f.Name+" "+f.Pos.String())
	}
	want := []string{"deep @lib//deep.star:2:9", "top @lib//top.star:3:9", "<toplevel> @lib//top.star:4:4", "<toplevel> main.star:1:1"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if cause := interp.Cause(err); cause.Error() != "why" {
		t.Errorf("cause %q", cause)
	}
}

// TestChainAcrossBranches shows where a branch failed and who waited for it.
func TestChainAcrossBranches(t *testing.T) {
	y := newToy(t, nil)
	err := y.do(t.Context(), "def bad():\n    oops('env', 'why')\ndef all():\n    branches([bad])\nall()")
	var got []string
	for _, f := range interp.Chain(err) {
		got = append(got, f.Name)
	}
	if !slices.Equal(got, []string{"bad", "all", "<toplevel>"}) || fault.KindOf(err) != fault.Env {
		t.Errorf("got %q (%s)", got, fault.KindOf(err))
	}
}

// TestFolding counts frames that repeat, and bounds the chain.
func TestFolding(t *testing.T) {
	stack := starlark.CallStack{}
	frame := func(name string, line int32) {
		stack = append(stack, starlark.CallFrame{Name: name, Pos: position(line)})
	}
	frame("<toplevel>", 1)
	for range 1000 {
		frame("again", 2)
	}
	for i := range int32(100) {
		frame("deep", 10+i)
	}
	chain := interp.Chain(&starlark.EvalError{Msg: "x", CallStack: stack})
	if len(chain) != 20 || chain[0].Pos.Line != 109 || chain[19].Name != "<toplevel>" {
		t.Errorf("%d frames, first %v, last %v", len(chain), chain[0], chain[len(chain)-1])
	}
	chain = interp.Chain(&starlark.EvalError{Msg: "x", CallStack: stack[:1001]})
	if len(chain) != 2 || chain[0].Count != 1000 {
		t.Errorf("got %v, want one frame 1000 times", chain)
	}
}
