package builtins

import (
	"omniexpect/internal/dsl"
	"omniexpect/internal/echo"
	"omniexpect/internal/fault"
	"omniexpect/internal/match"
)

// lineEndAfter skips the line end after an echo, and the CR that some editors write around it.
func lineEndAfter(text string, i int) int {
	skip := func(c byte) {
		for i < len(text) && text[i] == c {
			i++
		}
	}
	skip('\r')
	if i < len(text) && text[i] == '\n' {
		i++
		skip('\r')
	}
	return i
}

// echoes reports whether what is sent may come back as an echo: from the terminal, or from a program that edits lines.
func (s *Session) echoes() bool {
	if !s.MayEcho() {
		return false
	}
	echo, canonical := s.Modes()
	return echo || !canonical
}

// echoContext is how much of the output before a line tells where the cursor was when it was sent.
const echoContext = 4096

// echoSpan returns where the echo of what was sent last stands in the text view, with its line end; whole is false where
// the text ends within it.
func (s *Session) echoSpan() (from, to int64, whole bool) {
	if s.lastSent == "" || !s.MayEcho() {
		return 0, 0, true
	}
	raw, base := s.Out.RawSince(s.sentRaw - echoContext)
	at := int(max(s.sentRaw-base, 0))
	span := echo.Find(echo.Input{Before: raw[:at], After: raw[at:], Width: s.Cols, Prompt: s.atPrompt, Sent: s.st.Mask.Resolve(s.lastSent)})
	if span.To == 0 {
		return 0, 0, span.Whole
	}
	base += int64(at)
	from, to = s.Out.TextOf(base+int64(span.From)), s.Out.TextOf(base+int64(span.To))
	rest, _ := s.Out.Since(to)
	for len(rest) > 0 && rest[0] == '\r' { // some editors write one more
		to, rest = to+1, rest[1:]
	}
	return from, to, span.Whole
}

// beyondEcho waits for a match that the echo of the last sent line has no part in. The echo is read on the way.
func (w *waiting) beyondEcho(c *dsl.Call) (match.Result, error) {
	s := w.session
	if w.set.Raw() {
		return match.Result{}, fault.New(fault.Usage, "%s: skip_echo works in the text view only", w.who)
	}
	peek := w.want.Peek
	defer func() { w.want.Peek = peek }()
	for {
		w.want.Peek = true
		res, err := w.do(c)
		if err != nil {
			return res, err
		}
		if res.Why == match.Matched && s.echoes() {
			from, to, _ := s.echoSpan()
			if from < to && res.End > from && res.End-int64(res.Before.Len()+len(res.Text)) < to {
				s.Out.Skip(to)
				continue
			}
		}
		if !peek {
			w.out.Consume(false, res)
		}
		return res, nil
	}
}
