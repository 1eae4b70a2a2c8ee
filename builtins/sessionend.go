package builtins

import (
	"context"
	"sort"
	"sync"

	"omniexpect/internal/proc"
)

// forgetEnded drops sessions that ended by themselves and hold nothing, so that a script can spawn without end. What
// they may have left behind is looked for at the end of the run.
func (st *State) forgetEnded() {
	if len(st.sessions) < 64 {
		return
	}
	kept := st.sessions[:0]
	for _, s := range st.sessions {
		if s.Closed() {
			continue
		}
		if _, over := s.Status(); over && s.Ended() {
			if plan, ok := s.Plan(); ok {
				st.ended = append(st.ended, plan)
			}
			continue
		}
		kept = append(kept, s)
	}
	clear(st.sessions[len(kept):])
	st.sessions = kept
}

// closeSessions ends all sessions at the same time, and names what could not be ended or was meant to stay.
func (st *State) closeSessions(ctx context.Context) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	left := map[int]proc.Process{}
	keep := func(list []proc.Process) {
		mu.Lock()
		defer mu.Unlock()
		for _, p := range list {
			left[p.PID] = p
		}
	}
	all := false
	for _, s := range st.sessions {
		all = all || s.Kill == proc.KillAll
		join := s.endAlways(nil)
		wg.Go(func() {
			join()
			keep(s.Close(ctx))
		})
	}
	wg.Wait()
	marked := []proc.Process(nil)
	if len(st.sessions)+len(st.ended) > 0 {
		marked = proc.Marked(st.ScopeMarker())
	}
	if len(marked) > 0 {
		reaped := make(chan struct{})
		close(reaped)
		for _, plan := range st.ended {
			keep(proc.End(ctx, plan, reaped))
		}
		keep(proc.Marked(st.ScopeMarker()))
	}
	st.sessions, st.ended = nil, nil
	var list []proc.Process
	for _, p := range left {
		if q, lives := proc.Lookup(p.PID); lives && q.Same(p) {
			list = append(list, p)
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].PID < list[j].PID })
	if len(list) > 0 {
		st.leave(proc.Names(list), "left running: "+proc.Names(list)+"; spawn with kill=\"all\" ends daemons too")
	}
}
