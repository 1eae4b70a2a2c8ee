package interp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
)

// rounds bounds how often deferred calls may defer further ones.
const rounds = 100

// Finish makes the deferred calls and cleans up, also when the run was interrupted. It returns the first failure, or else
// the first *dsl.Exit of a deferred call that asks for a status other than 0.
func (r *Run) Finish(ctx context.Context) error {
	calls := r.Host.TakeDeferred()
	if len(calls) == 0 && len(r.Closers) == 0 {
		return nil
	}
	base := context.WithoutCancel(ctx)
	if r.Hurry != nil {
		base = r.Hurry
	}
	over := fault.New(fault.Timeout, "cut off: deferred calls and clean-up may take %s together after the end of a run", fault.Human(r.Grace))
	over.Hints = []string{"give the waits of deferred functions a short timeout, and do what takes long before the end of the script"}
	ctx, cancel := context.WithTimeoutCause(base, r.Grace, over)
	defer cancel()
	_, back := r.Host.Begin(ctx)
	defer back()
	var first, left error
	failed := func(err error) {
		var exit *dsl.Exit
		switch {
		case errors.As(err, &exit):
			left = cmp.Or(left, err)
		case first == nil:
			first = err
		default:
			r.Report(err)
		}
	}
	for n := 0; len(calls) > 0; n++ {
		if n == rounds {
			e := fault.New(fault.Script, "not called: deferred calls have deferred others %d times in a row: does the function defer itself?", rounds)
			failed(&Deferred{Call: calls[0], Err: e})
			break
		}
		for i, d := range calls {
			if err := r.deferredCall(ctx, d); err != nil {
				failed(err)
			}
			if rest := calls[i+1:]; ctx.Err() != nil && len(rest) > 0 {
				failed(notMade(ctx, rest))
				break
			}
		}
		calls = r.Host.TakeDeferred()
	}
	for _, c := range r.Closers {
		c(ctx)
	}
	return cmp.Or(first, left)
}

// End finishes a run whose statements ended with err, and returns what the whole run ends with: err, or after success and
// exit(0) what went wrong in finishing. The other one is reported, if it is a failure.
func (r *Run) End(ctx context.Context, err error) error {
	late := r.Finish(ctx)
	var exit *dsl.Exit
	switch {
	case late == nil:
	case err == nil, errors.As(err, &exit) && exit.Code == 0:
		return late
	case !errors.As(late, &exit):
		r.Report(late)
	}
	return err
}

// notMade names the deferred calls that there was no time for.
func notMade(ctx context.Context, calls []dsl.Deferred) error {
	var names []string
	for _, d := range calls {
		names = append(names, fmt.Sprintf("%s (%s)", d.Fn.Name(), d.Pos))
	}
	return fault.New(fault.KindOf(context.Cause(ctx)), "not called for lack of time: deferred %s", strings.Join(names, ", "))
}

func (r *Run) deferredCall(ctx context.Context, d dsl.Deferred) error {
	s := r.Host.NewStrand(ctx, "defer")
	defer s.Done()
	err := s.Run(func(t *starlark.Thread) error {
		_, err := starlark.Call(t, d.Fn, d.Args, d.Kwargs)
		return err
	})
	if err == nil {
		return nil
	}
	var exit *dsl.Exit
	switch {
	case !errors.As(err, &exit):
	case exit.Code == 0 || ctx.Err() != nil:
		return nil
	default:
		return exit
	}
	if ctx.Err() != nil {
		err = interrupted(ctx, err)
	}
	return &Deferred{Call: d, Err: err}
}

// Deferred is the failure of a deferred call.
type Deferred struct {
	Call dsl.Deferred
	Err  error
}

// Error names the call and its failure.
func (e *Deferred) Error() string {
	return fmt.Sprintf("deferred %s (%s): %s", e.Call.Fn.Name(), e.Call.Pos, e.Err)
}

// Unwrap returns the failure.
func (e *Deferred) Unwrap() error { return e.Err }
