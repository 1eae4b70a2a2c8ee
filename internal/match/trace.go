package match

import (
	"omniexpect/internal/event"
)

// traceTail is how much of the end of a window an event of an attempt has.
const traceTail = 120

// traceContext is how much before that it has for a sink that looks for what it must not show.
const traceContext = 4096

// emit passes on what was read, before it is searched. The lock is not held: only the reader moves the end of raw.
func (s *Stream) emit(p []byte) {
	s.cfg.Log.Emit("", event.Pos{}, &event.Out{Session: s.cfg.Name, Stream: s.cfg.Stream, Off: s.raw.end, Data: p,
		Handed: s.cfg.Handed != nil && s.cfg.Handed.Load()})
}

// trace emits one question to goexpect: what was looked for, where, and what came of it.
func (s *Stream) trace(m *found) {
	p := &s.question
	t := &event.Try{Verdict: event.NoMatch, Again: p.phase == narrowing}
	for _, c := range p.candidates {
		t.Patterns = append(t.Patterns, p.q.set.Patterns[p.q.set.pats[c].index].String())
	}
	t.Needs = p.q.set.pats[p.candidates[0]].lits
	if m != nil {
		t.Verdict, t.Text = event.Matched, m.text
	}
	s.emitTry(t, p.w.raw, p.w.start, p.w.end)
}

// traceNone emits that text cannot match, so that goexpect was not asked.
func (s *Stream) traceNone(q *search) {
	r := s.view(q.set.raw)
	if q.traced == r.end+1 || r.end == q.base {
		return
	}
	q.traced = r.end + 1
	for _, p := range q.set.pats {
		s.emitTry(&event.Try{Patterns: []string{q.set.Patterns[p.index].String()}, Verdict: event.Absent, Needs: p.lits},
			q.set.raw, q.base, r.end)
	}
}

// emitTry adds the window to an attempt, and emits it.
func (s *Stream) emitTry(t *event.Try, raw bool, start, end int64) {
	t.Session, t.Raw, t.From, t.To = s.cfg.Name, raw, start, end
	from := max(start, end-traceTail)
	t.Before = s.view(raw).bytes(from-traceContext, from)
	t.Tail = s.view(raw).bytes(from, end)
	s.cfg.Log.Emit("", event.Pos{}, t)
}
