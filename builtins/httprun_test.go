package builtins_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.starlark.net/starlark"

	"omniexpect/builtins"
	"omniexpect/internal/event"
	"omniexpect/internal/fault"
	"omniexpect/internal/mask"
	"omniexpect/internal/run"
)

// script is one run of Starlark within the test's process.
type script struct {
	*run.Run
	notes   []string
	printed strings.Builder
}

func newScript(predefined starlark.StringDict) *script {
	s := &script{}
	s.Run = run.New(run.Options{Stdout: &s.printed, Quiet: true, Extra: predefined})
	s.Events.Add(event.Func(func(e event.Event) { s.notes = append(s.notes, e.Body.(*event.Note).Text) }), event.KindNote)
	return s
}

// do runs a text, whatever begins with a common indentation of tabs removed.
func (s *script) do(ctx context.Context, text string) error {
	src, err := s.Library.Parse("test.star", text)
	if err != nil {
		return err
	}
	return s.Run.Do(ctx, src).Err
}

// wantFault runs a text and holds its failure against a kind, a part of its message and the line it belongs to.
func wantFault(t *testing.T, text string, kind fault.Kind, part string, line int) {
	t.Helper()
	err := newScript(nil).do(t.Context(), text)
	var ee *starlark.EvalError
	if err == nil || fault.KindOf(err) != kind || !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "\n") {
		t.Fatalf("got %v (%s), want one line of kind %s with %q", err, fault.KindOf(err), kind, part)
	}
	if !errors.As(err, &ee) || int(ee.CallStack.At(1).Pos.Line) != line {
		t.Errorf("%v: not at line %d: %v", err, line, ee)
	}
}

// TestHTTPExamples runs the example of every builtin and method about HTTP.
func TestHTTPExamples(t *testing.T) {
	v := (&builtins.State{Marker: "none", Mask: mask.New()}).Vocabulary()
	funcs := v.Funcs
	for _, typ := range v.Types {
		funcs = append(funcs, typ.Methods...)
	}
	for _, f := range funcs {
		if f.Group != "http" && f.Group != "polling" && f.Group != "values" && f.Group != "files" {
			continue
		}
		t.Run(f.Recv+"."+f.Name, func(t *testing.T) {
			if err := newScript(nil).do(t.Context(), f.Example); err != nil {
				t.Errorf("%v\n%s", err, f.Example)
			}
		})
	}
}

// settle waits until no more goroutines run than before, and fails with their stacks if that never comes.
func settle(t *testing.T, before int) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); runtime.NumGoroutine() > before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
	}
}
