package explain

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"omniexpect/internal/lazy"
	"omniexpect/internal/match"
)

// draws reports whether the program puts text on its screen by moving the cursor from row to row.
func (e Evidence) draws() bool {
	if e.Alternate {
		return true
	}
	raw := e.Bytes[max(0, len(e.Bytes)-maxText):]
	return moves().Match(raw)
}

// moves matches what takes the cursor to another row.
var moves = lazy.Regexp(`\x1b(?:\[[0-9;]*[ABEFHdf]|\[\?(?:47|1047|1049)h|M)`)

// overwritten looks for what is only there when a person reads it: the program went back over what it had written.
func (e Evidence) overwritten(p match.Pattern) string {
	if e.Raw || !Found(p, match.Folded(e.Bytes[max(0, len(e.Bytes)-maxText):])) {
		return ""
	}
	return "it is there as a person reads it, but the program went back over what it had written (backspaces, cursor to the left), and its output has " +
		"both: wait for what it wrote last, or look at strip_ansi(output(\"raw\"))"
}

// alike looks for characters that look like those of the pattern.
func (e Evidence) alike(p match.Pattern) string {
	same := p
	same.Source = match.Alike(p.Source)
	text := match.Alike(string(e.Unread[max(0, len(e.Unread)-minText):]))
	if p.Kind == match.Bytes || same.Source == p.Source && text == string(e.Unread) || !Found(same, []byte(text)) {
		return ""
	}
	return fmt.Sprintf("it is there in characters that look the same: the output has %s, the pattern %s", e.strange(e.Unread), e.strange([]byte(p.Source)))
}

// maxStrange is how many characters a hint names.
const maxStrange = 5

// strange names the characters of a text that look like others.
func (e Evidence) strange(text []byte) string {
	var names []string
	for _, r := range string(text[max(0, len(text)-minText):]) {
		if r < utf8.RuneSelf || !match.Accent(r) && match.Alike(string(r)) == string(r) {
			continue
		}
		name := fmt.Sprintf("U+%04X", r)
		if unicode.IsGraphic(r) && !match.Accent(r) {
			name += fmt.Sprintf(" (%c)", r)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		if len(names) == maxStrange {
			return strings.Join(names, ", ") + " and more"
		}
	}
	if len(names) == 0 {
		return "plain ones"
	}
	return strings.Join(names, ", ")
}

// Discerned writes characters by their numbers that a person could not tell from others, or does not see at all.
func Discerned(text string) string {
	odd := func(r rune) bool {
		return r > 0x7f && (match.Unseen(r) || match.Accent(r) || unicode.IsSpace(r) || r < 0xa0)
	}
	if !strings.ContainsFunc(text, odd) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case !odd(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
