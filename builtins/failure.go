package builtins

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"omniexpect/internal/match"
)

// tailLength is how much of what was seen a failure shows.
const tailLength = 2000

// conceal masks secrets in a piece of output, also the beginning of one at its end: more of it may still come.
func (st *State) conceal(text string) string {
	if st.Mask == nil || !st.Mask.Active() {
		return text
	}
	var out strings.Builder
	st.Mask.Writer(&out).Write([]byte(text))
	return out.String()
}

// maskOf masks secrets in a text; more says that it goes on.
func (st *State) maskOf(text string, more bool) string {
	if more {
		return st.conceal(text)
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

// seen describes the unread output. Secrets are masked before it is cut, which could cut one of them.
func (st *State) seen(unread []byte, lost int64) string {
	unread = []byte(st.conceal(string(unread)))

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
	return head + "\n" + discerned(visible(string(tail)))
}

// visible shows control characters and what is no text.
func visible(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\n', r == '\t':
			b.WriteRune(r)
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\r':
			b.WriteString(`\r`)
		case r == 0x1b:
			b.WriteString(`\e`)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// stopped says that what a wait was for cannot come, because the program is stopped.
func (s *Session) stopped() []string {
	if p, ok := s.Stopped(); ok {
		return []string{p.String() + " is stopped, as by SIGSTOP, Ctrl-Z or a debugger: signal(\"CONT\") lets it go on"}
	}
	return nil
}
