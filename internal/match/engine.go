package match

import (
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	expect "github.com/google/goexpect"

	"omniexpect/internal/event"
)

// question is one question to goexpect: does a window hold a match?
type question struct {
	active     bool
	q          *search
	candidates []int
	w          span
	trust      int64
	fed        int64 // what of the window was handed over

	phase     phase
	best      *found // the match so far, while other windows are tried
	lo, hi    int64  // a shortest window that holds a match ends in (lo, hi]
	whole     span   // the window in which the first match was found
	lookahead []int  // the candidates that shorter windows are not tried with
	taken     bool   // the match so far is one of a shorter window
}

// step does the next thing that can be done about what was read, and reports whether there was one.
func (s *Stream) step() bool {
	if !s.question.active {
		return s.work()
	}
	for s.question.fed < s.question.w.end {
		s.turn()
	}
	s.ask()
	return true
}

// work takes one step for the waiter and the watchers, and reports whether there was one to take.
func (s *Stream) work() bool {
	over := s.closed || s.exited && s.hangup
	for _, q := range s.watchers {
		if s.advance(q, over) {
			return true
		}
	}
	q := s.waiter
	if q == nil {
		return false
	}
	if q.want.Whole && s.lost > 0 {
		s.deliver(q, Result{Why: Gap, Index: -1}, 0)
		return true
	}
	now := s.clock.Now()
	if !q.final && q.expired(now) {
		q.final, q.finalAt = true, now
	}
	gone := s.gone()
	if q.final && !q.drained && !gone && !s.hangup && q.mayRead(now) {
		return false // read first what is there
	}
	if gone {
		s.dec.flush(s) // nothing follows what is held back
	}
	if s.advance(q, gone || q.final) {
		return true
	}
	return s.conclude(q, gone)
}

// advance starts a question for q if its window has to be looked at.
func (s *Stream) advance(q *search, force bool) bool {
	r := s.view(q.set.raw)
	if q.on == nil {
		s.follow(q, s.base(q.set.raw), r)
	} else {
		s.follow(q, r.start, r)
	}
	q.scan(r)
	q.top = s.top(q, force)
	if q.tried >= q.top || q.want.nothing() {
		return false
	}
	if !q.possible() {
		if s.cfg.Log.Wants(event.KindTry) {
			s.traceNone(q)
		}
		return false
	}
	candidates := q.candidates()
	w, trust := q.windowFor(r, candidates)
	size := w.end - w.start
	quiet := s.dry && !s.clock.Now().Before(q.next)
	if size > bigWindow && !force && !quiet && r.end-q.seen < q.window/8 {
		return false // it is searched once an eighth is new, also where as much was dropped from its front
	}
	s.begin(question{q: q, candidates: candidates, w: w, trust: trust})
	return true
}

// top returns the end of what is searched: of a character that is not whole yet, a regular expression would take the first
// bytes for one. all takes them too, for nothing follows.
func (s *Stream) top(q *search, all bool) int64 {
	r := s.view(q.set.raw)
	if all || !q.set.raw || q.set.latin {
		return r.end
	}
	return r.whole(max(q.base, r.start))
}

// follow moves a search on when text before it was dropped.
func (s *Stream) follow(q *search, base int64, r *ring) {
	if base <= q.base {
		return
	}
	q.base = base
	if q.scanned < base {
		q.scanned, q.row = base, 0
	}
	for i, h := range q.hit {
		switch {
		case h < 0 || h >= base:
		case len(q.set.pats[i].lits) == 0:
			q.hit[i] = base
		default:
			q.rescan(r, i, base)
		}
	}
}

// begin empties goexpect's store, unless it holds the beginning of the window.
func (s *Stream) begin(p question) {
	if s.gexp == nil {
		s.couple()
	}
	p.active = true
	h := s.held
	if h.raw == p.w.raw && h.latin == p.w.latin && h.start == p.w.start && h.end <= p.w.end {
		p.fed = h.end
	} else {
		p.fed = p.w.start
		s.empty(span{start: p.w.start, end: p.w.start, raw: p.w.raw, latin: p.w.latin})
	}
	s.question = p
}

// empty takes everything out of goexpect's store; what it gets next is at the place that is given.
func (s *Stream) empty(at span) {
	s.held = at
	for {
		if n, err := s.gexp.Read(s.idle); n == 0 || err != nil {
			return
		}
	}
}

// feed copies the next part of the window for goexpect to take.
func (s *Stream) feed(p []byte) int {
	w := s.question.w
	r := s.view(w.raw)
	if !w.latin {
		n := r.copyTo(p, s.question.fed, w.end)
		s.question.fed += int64(n)
		s.held.end = s.question.fed
		return n
	}
	n := 0
	for s.question.fed < w.end && n+2 <= len(p) {
		n += utf8.EncodeRune(p[n:], rune(r.at(s.question.fed)))
		s.question.fed++
	}
	s.held.end = s.question.fed
	return n
}

// ask lets goexpect decide about the window it now has.
func (s *Stream) ask() {
	began := s.clock.Now()
	m := s.goexpect()
	p := &s.question
	q := p.q
	q.window = p.w.end - p.w.start
	q.seen = max(q.seen, p.w.end)
	if q.window > bigWindow {
		now := s.clock.Now()
		q.next = now.Add(now.Sub(began))
	}
	if s.cfg.Log.Wants(event.KindTry) {
		s.trace(m)
	}
	p.active = false
	r := s.view(p.w.raw)
	switch {
	case p.phase == narrowing:
		s.narrow(m)
	case p.phase == rivals:
		s.rival(m)
	case p.phase == growing:
		s.grown(m)
	case m == nil:
		q.found = nil
		if !q.failed(r, p.w, p.candidates) && p.w.end < q.top {
			s.widen()
		}
	case q.distrusts(p.w, m, p.candidates):
		s.retry(q.base, p.w.end, p.trust)
	case p.w.end < q.top && m.start > p.trust:
		s.widen()
	default:
		s.matched(m)
	}
}

// retry asks again with a larger window.
func (s *Stream) retry(start, end, trust int64) {
	p := s.question
	p.w.start, p.w.end, p.trust = start, end, trust
	s.begin(p)
}

// widen asks again with a later end, and at last with all that there is.
func (s *Stream) widen() {
	p := &s.question
	for p.q.slice < sliceSize {
		p.q.slice *= sliceGrows
		if w, trust := p.q.windowFor(s.view(p.w.raw), p.candidates); w.end > p.w.end {
			s.retry(p.w.start, w.end, trust)
			return
		}
	}
	s.retry(p.w.start, p.q.top, p.q.top)
}

// goexpect asks goexpect, and translates its answer.
func (s *Stream) goexpect() *found {
	p := &s.question
	set := p.q.set
	if re := set.expression(p.candidates); re != nil {
		m := s.decide(re)
		if m == nil || len(p.candidates) == 1 || set.pick(m, p.candidates) {
			return m
		}
	}
	return s.inTurn()
}

// inTurn asks for one candidate after the other, where one expression for all of them would be too large or would not
// tell which one it was. As in an alternation, the match that begins first wins, then the one listed first.
func (s *Stream) inTurn() (first *found) {
	p := &s.question
	for _, c := range p.candidates {
		s.begin(*p)
		for p.fed < p.w.end {
			s.turn()
		}
		if m := s.decide(p.q.set.pats[c].regexp()); m != nil && (first == nil || m.start < first.start) {
			m.pattern, first = c, m
		}
	}
	return first
}

// decide asks goexpect for an expression in what it has of the window.
func (s *Stream) decide(re *regexp.Regexp) *found {
	p := &s.question
	if s.asked != re {
		s.asked, s.cases[0] = re, &expect.Case{R: re}
	}
	out, groups, which, err := s.gexp.ExpectSwitchCase(s.cases[:], 24*time.Hour)
	if err != nil || which != 0 {
		return nil
	}
	m := &found{pattern: p.candidates[0], text: groups[0], groups: groups[1:]}
	before, text := len(out)-len(m.text), len(m.text)
	m.detach(p.w.end - p.w.start)
	if p.w.latin {
		before, text = utf8.RuneCountInString(out[:before]), utf8.RuneCountInString(m.text)
	}
	m.start = p.w.start + int64(before)
	m.end = m.start + int64(text)
	s.held.start = m.end
	return m
}

// detach gives a match texts of its own. goexpect hands over parts of its copy of the window, and a script that keeps one
// group of each match must not keep all that was unread at the time.
func (m *found) detach(window int64) {
	if window > int64(len(m.text))+detachSlack {
		m.text = strings.Clone(m.text)
	} else if len(m.text) <= detachSlack {
		return // nothing large is held
	}
	for i, g := range m.groups {
		switch {
		case g == "":
			m.groups[i] = ""
		case len(m.text) > len(g)+detachSlack/4:
			m.groups[i] = strings.Clone(g)
		default:
			at := strings.Index(m.text, g)
			m.groups[i] = m.text[at : at+len(g)]
		}
	}
}

// detachSlack is how much more than its own length a text of a match may hold.
const detachSlack = 64

// pick finds out which candidate of an alternation matched, by the group around it. That does not tell for an empty match.
func (s *Set) pick(m *found, candidates []int) bool {
	at := 0
	for _, c := range candidates {
		n := s.pats[c].groups
		if m.text != "" && m.groups[at] == m.text {
			m.pattern, m.groups = c, m.groups[at+1:at+1+n]
			return true
		}
		at += n + 1
	}
	return false
}

// accept takes a match that is decided.
func (s *Stream) accept(m *found) {
	q := s.question.q
	s.question.active, s.question.phase, s.question.best = false, searching, nil
	q.tried = q.top
	if q.want.Settle > 0 || s.mayGrow(q, m) {
		if q.found == nil || q.found.end != m.end || q.found.start != m.start || q.found.pattern != m.pattern {
			q.found, q.foundAt = m, s.clock.Now()
		}
		return
	}
	s.deliverMatch(q, m)
}

// openTail bounds what is read to see whether a match with an open tail goes on.
const openTail = 64 << 10

// mayGrow reports whether a match ends where the text does for now, by a pattern that would take more. The kernel hands over
// a line in pieces as it likes: what it has at this moment belongs to what is there.
func (s *Stream) mayGrow(q *search, m *found) bool {
	if q.on != nil || q.final || !q.set.pats[m.pattern].open || m.end < q.tried || m.end-m.start >= openTail {
		return false
	}
	return !s.dry
}

// wantQuiet reports whether somebody wants to know that there is nothing more to read.
func (s *Stream) wantQuiet() bool {
	if q := s.waiter; q != nil && (q.final && !q.drained || s.deferred(q) || s.overdue(q, s.clock.Now())) {
		return true
	}
	for _, q := range s.watchers {
		if s.deferred(q) {
			return true
		}
	}
	return false
}

// deferred reports whether a search waits for its window to grow, and may be done now that nothing comes.
func (s *Stream) deferred(q *search) bool {
	if q.tried >= s.top(q, false) || q.window <= bigWindow || s.clock.Now().Before(q.next) {
		return false
	}
	return q.possible()
}
