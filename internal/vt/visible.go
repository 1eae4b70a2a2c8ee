package vt

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Visible shows what a terminal would obey and what is not text, and leaves the rest as it is: control characters but line
// ends and tabs as \r, \x1b or \u009b, bytes that are not UTF-8 as \x9b, and characters that turn the direction of writing
// around as \u202e.
func Visible(s string) string {
	at := firstHidden(s)
	if at == len(s) {
		return s
	}
	var b strings.Builder
	for ; at < len(s); at = firstHidden(s) {
		b.WriteString(s[:at])
		r, n := utf8.DecodeRuneInString(s[at:])
		switch {
		case r == '\r':
			b.WriteString(`\r`)
		case r == utf8.RuneError && n == 1, r < utf8.RuneSelf:
			fmt.Fprintf(&b, `\x%02x`, s[at])
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		s = s[at+n:]
	}
	return b.String() + s
}

// firstHidden returns where the first character stands that Visible does not leave as it is, or the end.
func firstHidden(s string) int {
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < del || c == '\n' || c == '\t' {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			return i
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return i
		}
		i += n
	}
	return len(s)
}
