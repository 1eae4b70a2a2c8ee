package builtins

import (
	"context"
	"sync"

	"omniexpect/internal/dsl"
	"omniexpect/internal/match"
)

// watcher is a pattern that is served whenever it shows up, whatever the script waits for.
type watcher struct {
	cancel context.CancelFunc
	stop   func()        // no more matches
	quit   chan struct{} // closed when no more is to be served
	once   sync.Once     // for quit
	done   chan struct{}
	more   chan struct{} // says that there are hits

	mu    sync.Mutex
	hits  []match.Result // found and not served yet
	taken int            // how many were ever found
	count int
	err   error
}

// found keeps a match until its action has time for it. More than the limit are not kept: the first of them is a failure.
func (wt *watcher) found(r match.Result, limit int) {
	wt.mu.Lock()
	defer wt.mu.Unlock()
	if wt.taken > limit {
		return
	}
	wt.taken++
	wt.hits = append(wt.hits, r)
	select {
	case wt.more <- struct{}{}:
	default:
	}
}

// next returns the oldest match that was not served yet.
func (wt *watcher) next() (r match.Result, ok bool) {
	wt.mu.Lock()
	defer wt.mu.Unlock()
	if len(wt.hits) == 0 {
		return r, false
	}
	r = wt.hits[0]
	wt.hits[0] = match.Result{}
	wt.hits = wt.hits[1:]
	return r, true
}

// alwaysStrand names the threads of actions.
const alwaysStrand = "always"

// liveWatchers returns the watchers but for those that are over and have nothing to tell, in a list of its own: a
// script may set patterns and cancel them without end. The run's lock is held.
func (s *Session) liveWatchers() []*watcher {
	kept := make([]*watcher, 0, len(s.always)+1)
	for _, wt := range s.always {
		select {
		case <-wt.done:
			if wt.failure() == nil {
				continue
			}
		default:
		}
		kept = append(kept, wt)
	}
	return kept
}

func (wt *watcher) failure() error {
	wt.mu.Lock()
	defer wt.mu.Unlock()
	return wt.err
}

// end ends a watcher. An action of its own that asks for it goes on to its end.
func (wt *watcher) end(asks *dsl.Strand) {
	wt.stop()
	wt.once.Do(func() { close(wt.quit) })
	if asks == nil || !asks.Within(wt) {
		wt.cancel()
	}
}

// over reports whether no more is to be served.
func (wt *watcher) over(ctx context.Context) bool {
	select {
	case <-wt.quit:
		return true
	default:
		return ctx.Err() != nil
	}
}

func (wt *watcher) served() int {
	wt.mu.Lock()
	defer wt.mu.Unlock()
	return wt.count
}

// failWait ends the waits that are under way, whose failure is the watcher's.
func (s *Session) failWait(failure error) {
	s.waitMu.Lock()
	defer s.waitMu.Unlock()
	for end := range s.endWait {
		(*end)(dsl.Elsewhere(failure))
	}
}

// endedBy lets failWait end a wait, until the function that is returned is called.
func (s *Session) endedBy(end *context.CancelCauseFunc) (forget func()) {
	s.waitMu.Lock()
	defer s.waitMu.Unlock()
	if s.endWait == nil {
		s.endWait = map[*context.CancelCauseFunc]bool{}
	}
	s.endWait[end] = true
	return func() {
		s.waitMu.Lock()
		defer s.waitMu.Unlock()
		delete(s.endWait, end)
	}
}

// waitAlive waits for something about a session. What goes wrong in the action of a watcher ends the wait.
func (s *Session) waitAlive(c *dsl.Call, wait func(context.Context) error) error {
	if len(s.always) == 0 {
		return c.Wait(wait)
	}
	return waitAllAlive(c, []*Session{s}, wait)
}

// waitAllAlive is the same for a wait on several sessions.
func waitAllAlive(c *dsl.Call, sessions []*Session, wait func(context.Context) error) error {
	var watchers []*watcher
	for _, s := range sessions {
		watchers = append(watchers, s.always...)
	}
	if err := watcherFailure(watchers); err != nil {
		return err
	}
	return c.Wait(func(run context.Context) error {
		ctx, cancel := context.WithCancelCause(run)
		defer cancel(nil)
		for _, s := range sessions {
			defer s.endedBy(&cancel)()
		}
		if err := watcherFailure(watchers); err != nil { // it came before there was a wait to end
			return err
		}
		err := wait(ctx)
		if err != nil && ctx.Err() != nil && run.Err() == nil {
			watcherFailure(watchers) // it is told here
			return context.Cause(ctx)
		}
		return err
	})
}

// watcherFailure returns, once, what went wrong in a watcher's action.
func watcherFailure(list []*watcher) error {
	for _, wt := range list {
		wt.mu.Lock()
		err := wt.err
		wt.err = nil
		wt.mu.Unlock()
		if err != nil {
			return dsl.Elsewhere(err)
		}
	}
	return nil
}

// lateFailure keeps what went wrong in a watcher's action when no wait came any more to tell it.
func (st *State) lateFailure(list []*watcher) {
	if err := watcherFailure(list); err != nil {
		st.mu.Lock()
		defer st.mu.Unlock()
		if st.late == nil {
			st.late = err
		}
	}
}

// Late returns a failure that came to light when the run was over.
func (st *State) Late() error {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.late
}

// endAlways ends watchers. What it returns waits, without the run's lock, for their goroutines, but for that of an
// action which asks for it, and keeps what went wrong.
func (s *Session) endAlways(asks *dsl.Strand) (join func()) {
	list := s.always // another branch may set more meanwhile
	for _, wt := range list {
		wt.end(asks)
	}
	return func() {
		for _, wt := range list {
			if asks == nil || !asks.Within(wt) {
				<-wt.done
			}
		}
		s.st.lateFailure(list)
	}
}
