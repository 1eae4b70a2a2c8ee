package report_test

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
	"go.uber.org/goleak"

	"omniexpect/internal/dsl"
	"omniexpect/internal/event"
	"omniexpect/internal/fault"
	"omniexpect/internal/interp"
	"omniexpect/internal/report"
)

var update = flag.Bool("update", false, "write testdata anew")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const script = "def inner():\n\tshout(\"é\", oops(1))\ninner()\n"

func at(name string, line, col int32) starlark.CallFrame {
	file := "main.star"
	if name == "lib" {
		file = "@lib//x.star"
	}
	return starlark.CallFrame{Name: name, Pos: syntax.MakePosition(&file, line, col)}
}

// failures are what a run may end with.
func failures() map[string]error {
	f := fault.New(fault.Timeout, "expect r\"never\" from sh: not seen within 1s").WithDetail("unread output:\nfirst\nsecond")
	f.Hints = []string{"it is there in other case"}
	call := &interp.Interrupted{Cause: fault.New(fault.Interrupt, "interrupted by SIGTERM")}
	main := at("<toplevel>", 3, 6)
	return map[string]error{
		"plain":     fault.New(fault.Usage, "nope.star: no such file or directory"),
		"untyped":   io.ErrUnexpectedEOF,
		"detail":    f,
		"chain":     &starlark.EvalError{Msg: "x", CallStack: starlark.CallStack{main, at("inner", 2, 16)}},
		"library":   &starlark.EvalError{Msg: "x", CallStack: starlark.CallStack{main, at("lib", 9, 1)}},
		"repeated":  &starlark.EvalError{Msg: "x", CallStack: starlark.CallStack{main, at("inner", 2, 16), at("inner", 2, 16)}},
		"located":   &interp.Located{Pos: main.Pos, Line: "inner()", Err: fault.New(fault.Script, "undefined name \"iner\"")},
		"several":   interp.Several{fault.New(fault.Script, "one"), fault.New(fault.Script, "two")},
		"deferred":  &interp.Deferred{Call: dsl.Deferred{Fn: starlark.NewBuiltin("clean", nil), Pos: main.Pos}, Err: f},
		"interrupt": call,
		"secret":    fault.New(fault.Fail, "the key is s3cr3t"),
	}
}

// TestFailures compares what the user reads with testdata.
func TestFailures(t *testing.T) {
	for name, err := range failures() {
		var out, errs strings.Builder
		r := report.New(&out, &errs)
		r.Source = func(file string) string { return map[string]string{"main.star": script}[file] }
		r.Mask = func(s string) string { return strings.ReplaceAll(s, "s3cr3t", "***") }
		r.Fail(err)
		path := filepath.Join("testdata", name+".golden")
		if *update {
			if err := os.WriteFile(path, []byte(errs.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, rerr := os.ReadFile(path)
		if rerr != nil {
			t.Fatal(rerr)
		}
		if errs.String() != string(want) || out.Len() > 0 {
			t.Errorf("%s: got\n%s\nwant\n%s", name, errs.String(), want)
		}
	}
}

// TestStreams keeps the script's output apart, and says nothing when it is asked to be quiet.
func TestStreams(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		var out, errs strings.Builder
		r := report.New(&out, &errs)
		r.Quiet = quiet
		var log event.Log
		r.Listen(&log)
		defer r.Close()
		log.Emit("main", event.Pos{}, &event.Step{Name: "one"})
		r.Print("hello")
		r.Passed("x.star", "passed")
		if out.String() != "hello\n" || (errs.Len() == 0) != quiet {
			t.Errorf("quiet %v: %q and %q", quiet, out.String(), errs.String())
		}
	}
}

// TestInterruptBeginsALine keeps the message of an interrupt apart from the ^C that a terminal echoes.
func TestInterruptBeginsALine(t *testing.T) {
	for _, tty := range []bool{true, false} {
		var out strings.Builder
		r := report.New(io.Discard, &out)
		r.TTY = tty
		r.Fail(fault.New(fault.Interrupt, "interrupted by SIGINT"))
		if got := strings.HasPrefix(out.String(), "\n"); got != tty {
			t.Errorf("terminal %v: got %q", tty, out.String())
		}
	}
}
