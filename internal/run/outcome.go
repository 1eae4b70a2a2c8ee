package run

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"omniexpect/internal/clock"
	"omniexpect/internal/dsl"
	"omniexpect/internal/event"
	"omniexpect/internal/fault"
	"omniexpect/internal/interp"
)

// Outcome is how a run ended, as plain data. Its texts show no secret, except for Err.
type Outcome struct {
	Status  int             `json:"status"`            // the exit status
	Skipped bool            `json:"skipped,omitempty"` // skip() ended it
	Reason  string          `json:"reason,omitempty"`  // why it was skipped
	Failure *interp.Failure `json:"failure,omitempty"` // nil if it passed
	Steps   []Step          `json:"steps,omitempty"`
	Elapsed time.Duration   `json:"elapsed"`
	Left    []string        `json:"left,omitempty"` // processes and folders that could not be cleaned up

	Err error `json:"-"` // what Failure explains, or an exit() of the script
}

// Step is a step that the script named, and how long it took.
type Step struct {
	Name    string        `json:"name"`
	Began   time.Duration `json:"began"` // since the run began
	Elapsed time.Duration `json:"elapsed"`
}

// Do runs a script to its end, with its command line, and says how it ended where Options say.
func Do(ctx context.Context, o Options, script string, args []string) Outcome {
	r := New(o)
	src, err := r.Open(script)
	if err == nil {
		_, err = r.Params(src, args)
	}
	if err != nil {
		return r.Refuse(err)
	}
	return r.Do(ctx, src)
}

// Do runs a script to its end. Cancelling the context with a cause interrupts it.
func (r *Run) Do(ctx context.Context, src *interp.Source) Outcome {
	began := r.Clock.Now()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if r.Lost == nil {
		r.Lost = cancel
	}
	err := r.lateOr(r.Interp.Do(ctx, src))
	out := r.outcome(err)
	out.Elapsed = clock.Since(r.Clock, began)
	r.say(filepath.Base(src.Name), out)
	r.Report.Close()
	return out
}

// Refuse is the outcome of a run whose script or command line is wrong, so that nothing runs.
func (r *Run) Refuse(err error) Outcome {
	out := r.outcome(err)
	r.fail(err)
	r.Report.Close()
	return out
}

// fail emits a failure that nothing caught.
func (r *Run) fail(err error) {
	if r.Events.Wants(event.KindFail) {
		f := r.Library.Explain(err)
		r.Events.Emit("", f.At, &event.Fail{Failure: f})
	}
	r.Report.Fail(err)
}

// say reports how the run ended.
func (r *Run) say(name string, out Outcome) {
	switch {
	case out.Skipped:
		r.Report.Passed(name, "skipped"+because(out.Reason))
	case out.Err == nil:
		r.Report.Passed(name, "passed")
	case out.Failure == nil: // exit(), or nobody who would read it
		r.Report.End()
	default:
		r.fail(out.Err)
	}
	if r.Events.Wants(event.KindEnd) {
		r.Events.Emit("", event.Pos{}, &event.End{Status: out.Status})
	}
}

// outcome describes how the run ended with err.
func (r *Run) outcome(err error) Outcome {
	out := Outcome{Status: Status(err), Err: err, Steps: r.steps.until(r.Events.Clock()), Left: r.State.Left()}
	mask := r.State.Mask.Mask
	for i := range out.Steps {
		out.Steps[i].Name = mask(out.Steps[i].Name)
	}
	for i := range out.Left {
		out.Left[i] = mask(out.Left[i])
	}
	var exit *dsl.Exit
	switch {
	case err == nil, errors.Is(err, ErrPipe):
	case errors.As(err, &exit):
		out.Skipped, out.Reason = exit.Skipped, mask(exit.Reason)
	default:
		f := r.Library.Explain(err).With(mask)
		out.Failure = &f
	}
	return out
}

// Status is the exit status of a run that ended with err, signals apart.
func Status(err error) int {
	var exit *dsl.Exit
	var deferred *interp.Deferred
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.Code
	case errors.Is(err, ErrPipe):
		return pipeStatus
	case errors.As(err, &deferred):
		return 1 // whatever it was: the script itself went well
	}
	return fault.KindOf(err).ExitCode()
}

// steps keeps the steps of a run.
type steps struct {
	mu   sync.Mutex
	list []Step
}

// Take keeps a step.
func (s *steps) Take(e event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finish(e.At)
	s.list = append(s.list, Step{Name: e.Body.(*event.Step).Name, Began: e.At})
}

// finish ends the last step.
func (s *steps) finish(at time.Duration) {
	if n := len(s.list); n > 0 {
		s.list[n-1].Elapsed = at - s.list[n-1].Began
	}
}

// until returns the steps, of which the last one ends now.
func (s *steps) until(now time.Duration) []Step {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finish(now)
	return slices.Clone(s.list)
}
