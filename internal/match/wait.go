package match

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Want is what a wait waits for, and for how long.
type Want struct {
	Set      *Set      // may have no patterns: then only the clocks and the end count
	Deadline time.Time // zero: none
	Once     bool      // try what is there, do not wait
	Idle     time.Duration
	Settle   time.Duration
	Count    int  // instead of a match: this many characters
	Peek     bool // leave the text unread
	Whole    bool // where unread output was dropped, the wait ends with Gap and leaves the rest unread
	Here     bool // the caller's goroutine may read the terminal itself: nothing but an interrupt cancels the wait

	// Until is what is waited for beside patterns: once it returns true the wait ends with Held. It is called where no pattern
	// matches, when the wait begins and after each read, whose output was emitted before. That is on the reading goroutine with
	// the stream locked: it must not block, nor use the stream.
	Until func() bool
}

// nothing reports whether there is no pattern to look for.
func (w Want) nothing() bool { return len(w.Set.pats) == 0 }

// Why describes how a wait ended.
type Why uint8

// The ways a wait ends.
const (
	Matched Why = iota
	TimedOut
	WentIdle
	AtEOF
	Overfull
	Gap
	Held // Want.Until returned true; consumes nothing
)

// Result is the outcome of a wait.
type Result struct {
	Why     Why
	Index   int    // in the set's patterns: what matched, or the EOF, TIMEOUT or FULL that was asked for; -1 for none
	Text    string // the match
	Before  Kept   // the unread text before it; all of it if nothing matched
	Groups  []string
	Start   int64 // where the match stands in the view
	End     int64
	Lost    int64 // bytes of unread text that were dropped before this
	Missed  int64 // those of them that were dropped before the wait began, which nothing was looked for in
	Elapsed time.Duration
	At      time.Time
}

// ErrBusy is returned to a second wait on the same stream.
var ErrBusy = errors.New("another wait on this session is not over")

// Wait looks for the patterns in the unread text until one matches, a clock runs out, or the text can no longer come.
// Only a match, EOF and FULL consume text.
func (s *Stream) Wait(ctx context.Context, w Want) (Result, error) {
	s.mu.Lock()
	if s.waiter != nil {
		s.mu.Unlock()
		return Result{}, ErrBusy
	}
	q := newSearch(w.Set, s.base(w.Set.raw), s.clock.Now())
	q.want, q.final, q.finalAt, q.missed = w, w.Once, q.began, s.lost
	s.waiter = q
	s.dry = s.cfg.Piecemeal // what an earlier read found says nothing about now
	for s.waiter == q && s.step() {
	}
	if s.waiter != q {
		s.retire(w)
	}
	if s.waiter == q && s.mayLead(w) {
		s.lead(ctx, q)
	}
	if s.waiter == q {
		s.attend(q)
		s.sleep(ctx, q)
	}
	defer s.mu.Unlock()
	if s.waiter != q {
		return q.res, nil
	}
	s.waiter = nil
	return Result{}, ctx.Err()
}

// sleep waits for the answer of the drain.
func (s *Stream) sleep(ctx context.Context, q *search) {
	q.done = make(chan struct{})
	s.mu.Unlock()
	select {
	case <-q.done:
	case <-ctx.Done():
	}
	s.mu.Lock()
}

// attend makes sure that the drain looks after a new wait. Where the text that is there cannot match, it only has to
// look when the next clock runs out.
func (s *Stream) attend(q *search) {
	switch {
	case s.driver == nobody:
		s.startDrain()
	case q.final || q.want.Count > 0 || q.found != nil || s.exited || s.hangup || s.closed || s.deferred(q):
		s.wake()
	default:
		s.arm(s.nextLook(s.clock.Now()))
	}
}

// expired reports whether the deadline is here.
func (q *search) expired(now time.Time) bool {
	return !q.want.Deadline.IsZero() && !now.Before(q.want.Deadline)
}

// idleAt returns when the idle clock runs out.
func (s *Stream) idleAt(q *search) time.Time {
	since := q.began
	if s.lastData.After(since) {
		since = s.lastData
	}
	return since.Add(q.want.Idle)
}

// wentIdle reports whether the idle clock has run out, and before the deadline: a reader that comes late finds both over.
func (s *Stream) wentIdle(q *search) bool {
	if q.want.Idle <= 0 {
		return false
	}
	at := s.idleAt(q)
	return !s.emptyAt.Before(at) && (q.want.Deadline.IsZero() || !at.After(q.want.Deadline))
}

// settledAt returns when a match that was found has stopped growing.
func (q *search) settledAt() time.Time { return q.foundAt.Add(q.want.Settle) }

// clocks returns when those clocks of a wait run out that output sets back. They count only once a read has shown that there
// is no output: on a busy machine a clock can be over before the output that came in time is read.
func (s *Stream) clocks(q *search) []time.Time {
	var list []time.Time
	if q.want.Idle > 0 {
		list = append(list, s.idleAt(q))
	}
	if q.found != nil {
		list = append(list, q.settledAt())
	}
	if s.exited && !s.hangup && !s.cfg.HangupOnly {
		list = append(list, s.quietAt())
	}
	return list
}

// overdue reports whether one of these clocks has run out.
func (s *Stream) overdue(q *search, now time.Time) bool {
	return slices.ContainsFunc(s.clocks(q), func(t time.Time) bool { return !now.Before(t) })
}

// nextLook returns when the reader has to look around although nothing comes.
func (s *Stream) nextLook(now time.Time) time.Time {
	var at time.Time
	sooner := func(t time.Time) {
		if !t.IsZero() && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	if q := s.waiter; q != nil {
		if !q.final {
			sooner(q.want.Deadline)
		}
		for _, over := range s.clocks(q) {
			if over.After(now) { // else a read is due, not a look
				sooner(over)
			}
		}
		if q.window > bigWindow && q.next.After(now) {
			sooner(q.next)
		}
	}
	for _, q := range s.watchers {
		if q.window > bigWindow && q.next.After(now) {
			sooner(q.next)
		}
	}
	return at
}

// conclude ends a wait for which nothing more is to be searched, if its time has come. It reports whether it did.
func (s *Stream) conclude(q *search, gone bool) bool {
	set := q.set
	r := s.view(set.raw)
	base := s.base(set.raw)
	if q.found != nil && (gone || q.final || !s.emptyAt.Before(q.settledAt())) {
		s.deliverMatch(q, q.found)
		return true
	}
	switch {
	case q.want.Until != nil && q.want.Until():
		s.deliver(q, Result{Why: Held, Index: -1}, base)
	case set.full >= 0 && (s.lost > 0 || r.end-base >= int64(s.cfg.Limit)):
		s.deliver(q, Result{Why: Overfull, Index: set.full}, r.end)
	case q.want.Count > 0 && s.take(q, r, base, gone):
	case gone:
		s.deliver(q, Result{Why: AtEOF, Index: set.eof}, r.end)
	case s.wentIdle(q):
		s.deliver(q, Result{Why: WentIdle, Index: set.timeout}, base)
	case q.final:
		s.deliver(q, Result{Why: TimedOut, Index: set.timeout}, base)
	default:
		return false
	}
	return true
}

// take ends a wait for a number of characters, or of bytes in the raw view, if they are there. At the end of the output
// fewer will do, but not none.
func (s *Stream) take(q *search, r *ring, base int64, gone bool) bool {
	if q.counted == 0 || q.countFrom != base { // what was counted before was dropped
		q.counted, q.countFrom, q.countTo = 0, base, base
	}
	for q.countTo < r.end && q.counted < q.want.Count {
		if q.set.raw {
			q.countTo++
		} else {
			q.countTo = nextRune(r, q.countTo)
		}
		q.counted++
	}
	if q.counted == 0 || q.counted < q.want.Count && !gone {
		return false
	}
	end := q.countTo
	res := Result{Why: Matched, Index: -1, Text: r.text(base, end), Start: base, End: end, Lost: s.lost}
	if !q.want.Peek {
		s.consume(q.set.raw, end)
	}
	s.finish(q, res)
	return true
}

// deliver ends a wait without a match; to is where unread text begins afterwards, if the outcome was asked for.
func (s *Stream) deliver(q *search, res Result, to int64) {
	r := s.view(q.set.raw)
	base := s.base(q.set.raw)
	res.Before = r.keep(base, r.end)
	res.Start, res.End, res.Lost = r.end, r.end, s.lost
	if res.Index >= 0 && res.Why != TimedOut && res.Why != WentIdle && !q.want.Peek {
		s.consume(q.set.raw, to)
	}
	s.finish(q, res)
}

// deliverMatch ends a wait with a match, or gives it to a watcher.
func (s *Stream) deliverMatch(q *search, m *found) {
	r := s.view(q.set.raw)
	res := Result{Why: Matched, Index: q.set.pats[m.pattern].index, Text: m.text, Groups: m.groups,
		Start: m.start, End: m.end, Lost: s.lost}
	if q.set.latin {
		res.Text = r.text(m.start, m.end)
		for i, g := range res.Groups {
			res.Groups[i] = fromLatin1(g)
		}
	}
	res.Before = r.keep(q.base, m.start)
	if q.on != nil {
		res.At = s.clock.Now()
		end := m.end
		if m.end == m.start {
			end++ // an empty match would be found again for ever
		}
		q.rebase(min(end, r.end))
		if end > r.end {
			q.tried = r.end // more has to come first
		}
		q.on(res)
		return
	}
	if !q.want.Peek {
		s.consume(q.set.raw, m.end)
	}
	s.finish(q, res)
}

func fromLatin1(s string) string {
	b := make([]byte, 0, len(s))
	for _, r := range s {
		b = append(b, byte(r))
	}
	return string(b)
}

func (s *Stream) finish(q *search, res Result) {
	res.At = s.clock.Now()
	res.Missed = min(q.missed, res.Lost)
	res.Elapsed = res.At.Sub(q.began)
	s.waiter, q.res = nil, res
	if q.done != nil {
		close(q.done)
	}
}

// Always calls on for every match of the set from now on, whatever is waited for; its matches consume nothing. on is
// called on the reading goroutine and must not block. The function that is returned ends it.
func (s *Stream) Always(set *Set, on func(Result)) (cancel func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := newSearch(set, s.base(set.raw), s.clock.Now())
	q.on, q.want.Set = on, set
	s.watchers = append(s.watchers, q)
	if s.driver != nobody {
		s.wake()
	} else if !s.finished() {
		s.startDrain()
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for i, w := range s.watchers {
			if w == q {
				s.watchers = append(s.watchers[:i:i], s.watchers[i+1:]...)
			}
		}
	}
}
