package interp_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"omniexpect/internal/event"
	"omniexpect/internal/fault"
	"omniexpect/internal/interp"
)

// TestFailureIsPlainData has a failure as JSON say all that the error said.
func TestFailureIsPlainData(t *testing.T) {
	y := newToy(t, map[string]string{"deep.star": "def deep():\n    oops('env', 'why')\n"})
	err := y.do(t.Context(), "load('@lib//deep.star', 'deep')\ndef top():\n    deep()\ntop()")
	f := y.lib.Explain(err)
	if f.Kind != fault.Env || f.Msg != "why" || f.Line != "    deep()" || f.At != (event.Pos{File: "main.star", Line: 3, Col: 9}) {
		t.Errorf("got %+v", f)
	}
	if f.Depth != 1 || len(f.Chain) != 3 || f.Chain[0].At.File != "@lib//deep.star" || f.Chain[2].Func != "<toplevel>" {
		t.Errorf("chain: depth %d, %+v", f.Depth, f.Chain)
	}
	text, jerr := json.Marshal(f)
	if jerr != nil {
		t.Fatal(jerr)
	}
	var back interp.Failure
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(f, back) {
		t.Errorf("%v: %s came back as %+v", err, text, back)
	}
}

// TestFailureOfSeveralMistakes keeps what was found together, together.
func TestFailureOfSeveralMistakes(t *testing.T) {
	f := interp.Explain(interp.Several{fault.New(fault.Script, "one"), fault.New(fault.Usage, "two")}, nil, nil)
	if f.Msg != "one" || len(f.More) != 1 || f.More[0].Msg != "two" || f.More[0].Kind != fault.Usage {
		t.Errorf("got %+v", f)
	}
}
