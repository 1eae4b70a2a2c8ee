package builtins

import (
	"strings"
	"unicode/utf8"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/match"
)

// echoMost is how much text after a sent line is looked through for its echo.
const echoMost = 64 << 10

// echoOf returns where in a text the echo of a sent line begins and ends, its line end included; whole is false where
// the text ends before the echo does. Terminals and line editors fold it at the margin, in one of several ways.
func echoOf(text, sent string) (from, to int, whole bool) {
	line := strings.TrimRight(sent, "\r\n")
	if line == "" {
		return 0, 0, true
	}
	text = text[:min(len(text), echoMost)]
	partial := -1
	for i := 0; i < len(text); i++ {
		if text[i] != line[0] && !(text[i] == '^' && line[0] < ' ') {
			continue
		}
		end, matched := echoAt(text, i, line)
		switch {
		case matched && (end < len(text) || line == sent):
			return i, lineEndAfter(text, end), true
		case end == len(text) && partial < 0:
			partial = i
		}
	}
	if partial >= 0 {
		return partial, len(text), false
	}
	return 0, 0, true
}

// echoAt matches an echo from i on. Where the text ends first, the end is the text's.
func echoAt(text string, i int, line string) (end int, matched bool) {
	j := 0
	for j < len(line) {
		switch {
		case i >= len(text):
			return len(text), false
		case text[i] == line[j]:
			i++
			j++
		case text[i] == '^' && line[j] < ' ' && i+1 < len(text) && text[i+1] == line[j]^0x40:
			i += 2
			j++
		case text[i] == '\r' || text[i] == '\n' || text[i] == '\b':
			i++
		case text[i] == ' ' && i+1 < len(text) && text[i+1] == '\r':
			i += 2
		case text[i] == ' ' && line[j] >= utf8.RuneSelf: // the last column, where a wide character does not fit
			i++
		case i > 0 && j > 0 && text[i-1] == '\r' && text[i] == line[j-1]: // written before the fold, and again after it
			i++
		default:
			return i, false
		}
	}
	return i, true
}

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

// echoes says whether what is sent may come back as an echo: from the terminal, or from a program that edits lines.
func (s *Session) echoes() bool {
	if s.Pipes || s.NoEcho {
		return false
	}
	echo, canonical := s.Modes()
	return echo || !canonical
}

// echoSpan returns where the echo of what was sent last stands in the text view.
func (s *Session) echoSpan() (from, to int64, whole bool) {
	if s.lastSent == "" || s.NoEcho || s.Pipes {
		return 0, 0, true
	}
	text, base := s.Out.Since(s.sentAt)
	a, b, whole := echoOf(string(text), s.st.Mask.Resolve(s.lastSent))
	return base + int64(a), base + int64(b), whole
}

// beyondEcho waits for a match that the echo of the last sent line has no part in. The echo is read on the way.
func (w *waiting) beyondEcho(c *dsl.Call) (match.Result, error) {
	s := w.session
	if w.set.Raw() {
		return match.Result{}, fault.New(fault.Usage, "%s: skip_echo goes with the text view", w.who)
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
