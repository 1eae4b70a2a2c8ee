package match

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// traceTail is how much of the end of a window a trace shows.
const traceTail = 120

// traceContext is how much before that is looked at for what must not be shown.
const traceContext = 4096

// trace tells a person of one question to goexpect: what was looked for, where, and what came of it.
func (s *Stream) trace(m *found) {
	p := &s.pass
	var names []string
	for _, c := range p.cands {
		names = append(names, p.q.set.Patterns[p.q.set.pats[c].index].String())
	}
	verdict := "no match: what it needs is there, but not in one piece"
	if p.q.set.pats[p.cands[0]].lits == nil {
		verdict = "no match"
	}
	if m != nil {
		verdict = "matched " + s.quoted(m.text)
	}
	if p.stage == narrowing { // after a match: a person would take it for the end of the wait
		if m == nil {
			verdict = "no match"
		}
		verdict = "less of it, to see where the match is complete: " + verdict
	}
	s.cfg.Trace(fmt.Sprintf("%s: %s; %s", strings.Join(names, " or "), verdict, s.shown(p.w.raw, p.w.start, p.w.end)))
}

// traceNone tells of text that cannot match, so that goexpect was not asked.
func (s *Stream) traceNone(q *search) {
	r := s.view(q.set.raw)
	if q.traced == r.end+1 || r.end == q.base {
		return
	}
	q.traced = r.end + 1
	for _, p := range q.set.pats {
		why := "no match"
		switch {
		case s.hidden(q.set.Patterns[p.index].Source): // parts of it would show what is hidden
		case len(p.lits) == 1:
			why = "no " + s.quoted(p.lits[0])
		case len(p.lits) > 1:
			why = fmt.Sprintf("none of %q", p.lits)
		}
		s.cfg.Trace(fmt.Sprintf("%s: %s in it; %s", q.set.Patterns[p.index], why, s.shown(q.set.raw, q.base, r.end)))
	}
}

// quoted writes a text without what must not be shown. Where its end is kept back, for it may be the beginning of that, it
// says so.
func (s *Stream) quoted(text string) string {
	shown := s.redact(text)
	if len(shown) < len(text) && strings.HasPrefix(text, shown) {
		return fmt.Sprintf("%q…", shown)
	}
	return fmt.Sprintf("%q", shown)
}

func (s *Stream) redact(text string) string {
	if s.cfg.Redact == nil {
		return text
	}
	return s.cfg.Redact(text)
}

// hidden says whether a text holds what must not be shown.
func (s *Stream) hidden(text string) bool { return !strings.HasPrefix(text, s.redact(text)) }

// shown describes a window by its place, its length and its end.
func (s *Stream) shown(raw bool, start, end int64) string {
	// What is hidden may begin before the window: it is looked for in more than is shown.
	from := max(start, end-traceTail)
	before := s.view(raw).bytes(from-traceContext, from)
	text := append(before, s.view(raw).bytes(from, end)...)
	if s.cfg.Redact != nil {
		text = []byte(s.cfg.Redact(string(text)))
		text = text[max(0, len(text)-int(end-from)):]
	} else {
		text = text[len(before):]
	}
	for len(text) > 0 && !raw && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	more := ""
	if int64(len(text)) < end-start {
		more = "…"
	}
	unit := "bytes"
	if end-start == 1 {
		unit = "byte"
	}
	return fmt.Sprintf("looked at %d %s from %d: %s%q", end-start, unit, start, more, text)
}
