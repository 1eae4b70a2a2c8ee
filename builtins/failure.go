package builtins

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"omniexpect/internal/explain"
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

// stopped says that what a wait was for cannot come, because the program is stopped.
func (s *Session) stopped() []string {
	if p, ok := s.Stopped(); ok {
		return []string{p.String() + " is stopped, as by SIGSTOP, Ctrl-Z or a debugger: signal(\"CONT\") lets it go on"}
	}
	return nil
}
