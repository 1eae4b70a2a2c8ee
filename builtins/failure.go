package builtins

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"omniexpect/internal/explain"
	"omniexpect/internal/fault"
	"omniexpect/internal/match"
	"omniexpect/internal/vt"
)

// tailLength is how much of what was seen a failure shows.
const tailLength = 2000

// conceal masks secrets in a piece of output of which more may come, also the beginning of one at its end.
func (st *State) conceal(text string) string { return st.maskOf(text, true) }

// maskOf masks secrets in a text; more says that it goes on.
func (st *State) maskOf(text string, more bool) string {
	if more {
		return st.Mask.Excerpt(text)
	}
	return st.Mask.Mask(text)
}

// short cuts a text for a message, after its secrets were masked.
func (st *State) short(s string, n int) string {
	if s = st.Mask.Mask(s); utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n]) + "…"
}

// seen describes the unread output; more says that it may go on. Secrets are masked before it is cut, which could cut one
// of them.
func (st *State) seen(unread []byte, lost int64, more bool) string {
	return described([]byte(st.maskOf(string(unread), more)), lost)
}

// seenOf is seen for the unread output of a stream, where what was read may end with the beginning of a secret.
func (st *State) seenOf(out *match.Stream, unread []byte, raw bool, lost int64) string {
	return described([]byte(st.Mask.Behind(string(readBefore(out, unread, raw)), string(unread), !out.Gone())), lost)
}

// readBefore returns the end of what was read before the unread output.
func readBefore(out *match.Stream, unread []byte, raw bool) []byte {
	const most = 1 << 10
	from := out.End(raw) - int64(len(unread)) - most
	text, _ := out.Since(from)
	if raw {
		text, _ = out.RawSince(from)
	}
	return text[:max(0, bytes.LastIndex(text, unread))]
}

func described(unread []byte, lost int64) string {
	if len(unread) == 0 {
		return "unread output: none"
	}
	tail := match.Tail(unread, tailLength)
	head := "unread output:"
	if len(tail) < len(unread) {
		head = fmt.Sprintf("unread output, the last %d of %d bytes:", len(tail), len(unread))
	}
	if lost > 0 {
		head += fmt.Sprintf(" (%d bytes before it were dropped: the buffer was full)", lost)
	}
	return head + "\n" + explain.Discerned(vt.Visible(string(tail)))
}

// stopped reports that what a wait was for cannot come, because the program is stopped.
func (s *Session) stopped() []string {
	if p, ok := s.Stopped(); ok {
		return []string{p.String() + " is stopped, as by SIGSTOP, Ctrl-Z or a debugger: signal(\"CONT\") lets it go on"}
	}
	return nil
}

// ending describes how the output ended.
func (s *Session) ending() string {
	st, over := s.Status()
	if !over || s.Closed() {
		return "the session was closed meanwhile"
	}
	why := "the program " + st.Sentence() + " without printing it"
	if s.lastSent != "" && s.Out.End(false) == s.sentAt {
		why += "; nothing came after the last send, which it may not have read before it ended"
	}
	if held := s.heldBy(); held != "" {
		why += strings.Replace(held, ", but", ";", 1) + " (eof=\"hangup\" waits for it)"
	}
	return why
}

// heldBy names, at the end of a sentence, who still has the terminal or the pipes of a program that has ended.
func (s *Session) heldBy() string {
	if s.Ended() {
		return ""
	}
	holders := s.Holders()
	if len(holders) == 0 {
		return ""
	}
	what := "the terminal"
	if !s.HasTerminal() {
		what = "its output"
	}
	return fmt.Sprintf(", but %s still has %s open", holders[0], what)
}

// failure adds what was seen to a message.
func (s *Session) failure(kind fault.Kind, msg string, w *waiting, res match.Result) error {
	e := fault.New(kind, "%s", msg)
	if st, over := s.Status(); over && kind != fault.EOF {
		e.Msg += "; the program " + st.Sentence() + s.heldBy()
	}
	raw, out := w != nil && w.set.Raw(), s.Out
	if w != nil {
		out = w.out
	}
	unread, lost := out.Unread(raw)
	e.Detail = s.st.seenOf(out, unread, raw, max(lost, res.Lost))
	if other, name := s.other(out); other != nil {
		if text, _ := other.Unread(false); len(text) > 0 {
			e.Detail += "\n" + name + ":\n" + vt.Visible(string(match.Tail([]byte(s.st.maskOf(string(text), !other.Gone())), tailLength)))
		}
	}
	if res.Why == match.Gap {
		e.Hints = []string{fmt.Sprintf("spawn(…, buffer=…) keeps more than %d bytes unread; lost_ok=True continues after what was dropped", s.Limit)}
	} else if w != nil && kind != fault.Assert {
		e.Hints = s.explain(out, w.patterns, raw)
	}
	if kind == fault.Timeout {
		e.Hints = append(append(s.paged(), s.tabbed()...), e.Hints...)
	}
	e.Hints = append(s.stopped(), e.Hints...)
	return e
}
