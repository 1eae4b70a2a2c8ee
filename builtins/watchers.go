package builtins

import (
	"context"
	"sync"

	"omniexpect/internal/dsl"
	"omniexpect/internal/match"
)

// standing is a pattern that is served whenever it shows up, whatever the script waits for.
type standing struct {
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
func (sd *standing) found(r match.Result, limit int) {
	sd.mu.Lock()
	defer sd.mu.Unlock()
	if sd.taken > limit {
		return
	}
	sd.taken++
	sd.hits = append(sd.hits, r)
	select {
	case sd.more <- struct{}{}:
	default:
	}
}

// next returns the oldest match that was not served yet.
func (sd *standing) next() (r match.Result, ok bool) {
	sd.mu.Lock()
	defer sd.mu.Unlock()
	if len(sd.hits) == 0 {
		return r, false
	}
	r = sd.hits[0]
	sd.hits[0] = match.Result{}
	sd.hits = sd.hits[1:]
	return r, true
}

// alwaysStrand names the threads of actions.
const alwaysStrand = "always"

// unended returns the standing patterns but for those that are over and have nothing to tell, in a list of its own: a
// script may set patterns and cancel them without end. The run's lock is held.
func (s *Session) unended() []*standing {
	kept := make([]*standing, 0, len(s.always)+1)
	for _, sd := range s.always {
		select {
		case <-sd.done:
			if sd.failure() == nil {
				continue
			}
		default:
		}
		kept = append(kept, sd)
	}
	return kept
}

func (sd *standing) failure() error {
	sd.mu.Lock()
	defer sd.mu.Unlock()
	return sd.err
}

// end ends a standing pattern. An action of its own that asks for it goes on to its end.
func (sd *standing) end(asks *dsl.Strand) {
	sd.stop()
	sd.once.Do(func() { close(sd.quit) })
	if asks == nil || !asks.Within(sd) {
		sd.cancel()
	}
}

// over reports whether no more is to be served.
func (sd *standing) over(ctx context.Context) bool {
	select {
	case <-sd.quit:
		return true
	default:
		return ctx.Err() != nil
	}
}

func (sd *standing) served() int {
	sd.mu.Lock()
	defer sd.mu.Unlock()
	return sd.count
}

// failWait ends the waits that are under way, whose failure is the standing pattern's.
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

// heed waits for something about a session. What goes wrong in the action of a standing pattern ends the wait.
func (s *Session) heed(c *dsl.Call, wait func(context.Context) error) error {
	if len(s.always) == 0 {
		return c.Wait(wait)
	}
	return heedAll(c, []*Session{s}, wait)
}

// heedAll is the same for a wait on several sessions.
func heedAll(c *dsl.Call, sessions []*Session, wait func(context.Context) error) error {
	var standing []*standing
	for _, s := range sessions {
		standing = append(standing, s.always...)
	}
	if err := standingFailure(standing); err != nil {
		return err
	}
	return c.Wait(func(run context.Context) error {
		ctx, cancel := context.WithCancelCause(run)
		defer cancel(nil)
		for _, s := range sessions {
			defer s.endedBy(&cancel)()
		}
		if err := standingFailure(standing); err != nil { // it came before there was a wait to end
			return err
		}
		err := wait(ctx)
		if err != nil && ctx.Err() != nil && run.Err() == nil {
			standingFailure(standing) // it is told here
			return context.Cause(ctx)
		}
		return err
	})
}

// standingFailure returns, once, what went wrong in a standing pattern's action.
func standingFailure(list []*standing) error {
	for _, sd := range list {
		sd.mu.Lock()
		err := sd.err
		sd.err = nil
		sd.mu.Unlock()
		if err != nil {
			return dsl.Elsewhere(err)
		}
	}
	return nil
}

// lateFailure keeps what went wrong in a standing pattern's action when no wait came any more to tell it.
func (st *State) lateFailure(list []*standing) {
	if err := standingFailure(list); err != nil {
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

// endAlways ends standing patterns. What it returns waits, without the run's lock, for their goroutines, but for that of an
// action which asks for it, and keeps what went wrong.
func (s *Session) endAlways(asks *dsl.Strand) (join func()) {
	list := s.always // another branch may set more meanwhile
	for _, sd := range list {
		sd.end(asks)
	}
	return func() {
		for _, sd := range list {
			if asks == nil || !asks.Within(sd) {
				<-sd.done
			}
		}
		s.st.lateFailure(list)
	}
}
