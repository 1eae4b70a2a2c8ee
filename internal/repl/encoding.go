package repl

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"omniexpect/internal/cells"
)

// encoding corrects the line editor, which takes every character for one column, about the others: a character of two
// columns is followed by a filler that is not written, and what belongs together (a letter with its marks, an emoji of
// several characters, a line end inside a line) is one character of the private plane, which stands for it. One thing is
// not told: a terminal moves a character of two columns to the next row when one column is left, and the editor does not
// know, so that such a line is drawn one column off until it is drawn again.
type encoding struct {
	texts []string // what private characters stand for
}

const (
	filler   = '\U0010FFFD'
	private  = '\U00100000'
	lineEnd  = "\u21B5" // how a line end inside a line looks
	tabShown = " "
	zwj      = '\u200D'
)

func isPrivate(r rune) bool { return r >= private }

// code returns the character that stands for a text.
func (c *encoding) code(text string) rune {
	for i, t := range c.texts {
		if t == text {
			return private + rune(i)
		}
	}
	if len(c.texts) >= filler-private {
		return '\uFFFD'
	}
	c.texts = append(c.texts, text)
	return private + rune(len(c.texts)-1)
}

// joins reports whether a character belongs to the one before.
func joins(before, r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me) || r == zwj || before == zwj && r > 0x2000 || flag(before) && flag(r)
}

func flag(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }

func wide(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return cells.Width(r) > 1 || strings.ContainsRune(text, '\uFE0F') || flag(r)
}

// encode returns a text as the editor has it. Control characters are left out.
func (c *encoding) encode(text string) string {
	var b strings.Builder
	rs := []rune(strings.ReplaceAll(text, "\r\n", "\n"))
	for i := 0; i < len(rs); {
		j := i + 1
		for j < len(rs) && rs[i] >= ' ' && joins(rs[j-1], rs[j]) && !(flag(rs[j]) && j-i > 1) {
			j++
		}
		cluster := string(rs[i:j])
		r := rs[i]
		i = j
		switch {
		case r == '\n' || r == '\r':
			b.WriteRune(c.code("\n"))
		case r == '\t':
			b.WriteRune(c.code("\t"))
		case unicode.IsControl(r) || isPrivate(r):
		case len([]rune(cluster)) > 1:
			b.WriteRune(c.code(cluster))
			if wide(cluster) {
				b.WriteRune(filler)
			}
		default:
			b.WriteRune(r)
			if wide(cluster) {
				b.WriteRune(filler)
			}
		}
	}
	return b.String()
}

// decode returns the text that an encoded one stands for.
func (c *encoding) decode(line string) string {
	return c.expand(line, func(t string) string { return t })
}

// shown is an encoded text as it is written to the terminal.
func (c *encoding) shown(line string) string {
	return c.expand(line, func(t string) string {
		switch t {
		case "\n":
			return lineEnd
		case "\t":
			return tabShown
		}
		return t
	})
}

func (c *encoding) expand(line string, show func(string) string) string {
	if strings.IndexFunc(line, isPrivate) < 0 {
		return line
	}
	var b strings.Builder
	for _, r := range line {
		switch {
		case r == filler:
		case isPrivate(r) && int(r-private) < len(c.texts):
			b.WriteString(show(c.texts[r-private]))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
