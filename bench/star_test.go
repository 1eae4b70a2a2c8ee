package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	starjson "go.starlark.net/lib/json"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
	"go.starlark.net/syntax"
)

// vocabulary stands in for the real one: sessions that give each answer at once, where WRONG is false.
const vocabulary = `
clock = [0.0]

def now():
    clock[0] += 0.001
    return clock[0]

def param(name, default, help):
    return PARAMS.get(name, default)

def spawn(argv):
    sent = []

    def expect(pattern, timeout = 1):
        patterns = pattern if type(pattern) == "list" else [pattern]
        if "never" in patterns:
            return hit(patterns.index(TIMEOUT), "", "") if TIMEOUT in patterns else fail("timeout")
        if WRONG:
            # Either the group is wrong, or, of several patterns, the index.
            return hit(0, "wrong", argv[-1] if len(patterns) > 3 else "wrong")
        for i, p in enumerate(patterns):
            if p.startswith("DONE"):
                return hit(i, "", argv[-1])
        return hit(0, "last words", sent[-1].strip() if sent else "")

    return struct(
        send = sent.append,
        expect = expect,
        peek = lambda pattern, timeout: struct(text = "| working"),
        wait = lambda: struct(code = 1 if WRONG else 0),
        close = lambda: None,
    )

EOF, TIMEOUT = "EOF", "TIMEOUT"

def catch(fn):
    return struct(ok = False, kind = "timeout")
`

// hit makes a match whose [1] is its group: a Starlark struct cannot be indexed.
type hit struct {
	*starlarkstruct.Struct
	group starlark.String
}

func (h hit) Get(starlark.Value) (starlark.Value, bool, error) { return h.group, true, nil }

func play(t *testing.T, script string, wrong bool, params map[string]starlark.Value) string {
	t.Helper()
	dialect := &syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true}
	dict := starlark.NewDict(len(params))
	for name, v := range params {
		dict.SetKey(starlark.String(name), v)
	}
	var printed strings.Builder
	thread := &starlark.Thread{Print: func(_ *starlark.Thread, text string) { fmt.Fprintln(&printed, text) }}
	names := starlark.StringDict{
		"PARAMS": dict, "WRONG": starlark.Bool(wrong), "json": starjson.Module,
		"struct": starlark.NewBuiltin("struct", starlarkstruct.Make),
		"hit": starlark.NewBuiltin("hit", func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			s := starlarkstruct.FromStringDict(starlarkstruct.Default, starlark.StringDict{"index": args[0], "text": args[1]})
			return hit{s, args[2].(starlark.String)}, nil
		}),
	}
	_, program, err := starlark.SourceProgramOptions(dialect, "vocabulary", vocabulary, names.Has)
	if err != nil {
		t.Fatal(err)
	}
	globals, err := program.Init(thread, names) // unlike ExecFile, this leaves the clock writable
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range globals {
		names[name] = v
	}
	if _, err := starlark.ExecFileOptions(dialect, thread, script, nil, names); err != nil {
		t.Fatalf("%s %v: %v", script, params, err)
	}
	return strings.TrimSpace(printed.String())
}

func TestOurDriver(t *testing.T) {
	for _, w := range workloads() {
		if w.Name == "startup" {
			continue
		}
		params := map[string]starlark.Value{"workload": starlark.String(w.ask())}
		for name, v := range w.Args {
			params[name] = starlark.MakeInt(int(v))
		}
		for _, wrong := range []bool{false, true} {
			var r Row
			out := play(t, "omniexpect.star", wrong, params)
			if err := json.Unmarshal([]byte(out), &r); err != nil {
				t.Fatalf("%s prints %q: %v", w.Name, out, err)
			}
			bad := wrong && w.Unit != "s" && w.Unit != "lost" // where the fake has a wrong answer to give
			if r.Count == 0 || r.Seconds <= 0 || (r.Wrong > 0) != bad || r.Lost != 0 {
				t.Errorf("%s, wrong answers %v: %+v", w.Name, wrong, r)
			}
		}
	}
}

func TestSoakScript(t *testing.T) {
	params := map[string]starlark.Value{"seconds": starlark.Float(0.002)}
	for _, wrong := range []bool{false, true} {
		out := play(t, "soak.star", wrong, params)
		var tally struct{ Rounds, Sessions, Wrong int }
		if err := json.Unmarshal([]byte(lastLine([]byte(out))), &tally); err != nil {
			t.Fatalf("prints %q: %v", out, err)
		}
		if tally.Rounds == 0 || tally.Sessions < 20*tally.Rounds || (tally.Wrong > 0) != wrong {
			t.Errorf("wrong answers %v: %+v", wrong, tally)
		}
	}
}
