package builtins

import (
	"cmp"
	"context"
	"slices"
)

// OpenScope begins a part of the run: what is started from now on is ended by the next Close. The processes of the part carry
// its marker as well as the run's. The run's lock is held, here and when back is called, after Close.
func (st *State) OpenScope(marker string) (back func()) {
	outer := st.scope
	st.scope = scope{marker: marker}
	return func() { st.scope = outer }
}

// ScopeMarker returns the marker that every process of the scope carries.
func (st *State) ScopeMarker() string { return cmp.Or(st.scope.marker, st.Marker) }

// AtEnd registers clean-up for the end of the scope, after the sessions. The run's lock is held.
func (st *State) AtEnd(f func(context.Context)) { st.closers = append(st.closers, f) }

// Close ends what the scope started: sessions, then whatever else was registered, last one first.
func (st *State) Close(ctx context.Context) {
	st.closeSessions(ctx)
	for _, f := range slices.Backward(st.closers) {
		f(ctx)
	}
	st.closers = nil
}

// leave notes what could not be cleaned up, and says so.
func (st *State) leave(what, line string) {
	st.mu.Lock()
	st.left = append(st.left, what)
	st.mu.Unlock()
	st.note(line)
}

// Left returns the processes and folders that could not be cleaned up.
func (st *State) Left() []string {
	st.mu.Lock()
	defer st.mu.Unlock()
	return slices.Clone(st.left)
}

// Conceal hides secrets in a piece of output, also the beginning of one at its end.
func (st *State) Conceal(text string) string { return st.conceal(text) }
