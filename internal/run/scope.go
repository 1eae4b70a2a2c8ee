package run

import (
	"context"

	"omniexpect/internal/dsl"
)

// Scope calls f in a part of the run that ends by itself: the sessions that f starts, the calls that it defers and the
// folders that it makes end with it, in the order of a run's end. Other sessions of the run go on. Its error is that of f, or
// after success what went wrong in ending. Scopes do not overlap; the run's lock is not held.
func (r *Run) Scope(ctx context.Context, f func(context.Context) error) error {
	host := r.Interp.Host
	r.words()
	host.Lock.Lock()
	closeScope := r.State.OpenScope(newMarker())
	deferred, closers := host.SwapDeferred(nil), r.Interp.Closers
	r.Interp.Closers = []func(context.Context){r.State.Close}
	host.Lock.Unlock()
	err := r.lateOr(r.Interp.End(ctx, f(ctx)))
	host.Lock.Lock()
	defer host.Lock.Unlock()
	r.Interp.Closers = closers
	host.SwapDeferred(deferred)
	closeScope()
	return err
}

// Call calls a function of a script that has been run, on a strand of its own.
func (r *Run) Call(ctx context.Context, name string, f func(*dsl.Strand) error) error {
	script, back := r.Interp.Host.Begin(ctx)
	defer back()
	s := r.Interp.Host.NewStrand(script, name)
	defer s.Done()
	return f(s)
}
