package shell

import (
	"bytes"
	"strings"

	"omniexpect/internal/session"
)

// The keys with which most editors of lines take the line back, and take the next key as it is.
const (
	killLine  = 0x15
	quoteNext = 0x16
)

// EditorKeys are the keys of a shell that edits its lines itself.
func EditorKeys() session.LineKeys {
	return session.LineKeys{Kill: killLine, Quote: quoteNext, End: '\n'}
}

// Typing is how a line gets to a shell.
type Typing struct {
	Keys  session.LineKeys // of the terminal where it edits lines, else EditorKeys
	Lines bool             // the terminal edits lines
	Begun bool             // a line was begun and is not ended
}

// Typed returns what is sent for a command. It ends its lines with LF, which does where a command before it has switched the
// terminal's processing off as well. Where the terminal edits lines, a line that was begun is taken back, and control
// characters are quoted, or they would be its own: Ctrl-C in a text is not an interrupt. Where it does not, or has no key for
// that, a line that was begun is ended: it is a command of its own. Where nothing quotes, the shell gets control characters
// by their numbers.
func (d Dialect) Typed(id int, text string, pieces func(line string) []string, t Typing) string {
	edited := t.Lines || d.Edits
	quotes := t.Keys.Quote != 0 && edited
	line := d.Line(id, text, pieces, !quotes || d.Spells)
	var b strings.Builder
	switch {
	case !t.Begun:
	case t.Keys.Kill != 0 && edited:
		b.WriteByte(t.Keys.Kill)
	default:
		b.WriteByte(t.Keys.End)
	}
	for i := range len(line) {
		switch c := line[i]; {
		case c == '\n' && edited:
			b.WriteByte(t.Keys.End)
			continue
		case quotes && (c < ' ' && c != '\t' || c == 0x7f || bytes.IndexByte(t.Keys.Other, c) >= 0):
			b.WriteByte(t.Keys.Quote)
		}
		b.WriteByte(line[i])
	}
	b.WriteByte(t.Keys.End)
	return b.String()
}
