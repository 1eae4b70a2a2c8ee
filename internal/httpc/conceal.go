package httpc

import (
	"fmt"
	"strings"

	"omniexpect/internal/vt"
)

// Conceal masks what must not be seen in a text. It is asked before a text is cut for a message, since what is cut could
// not be found any more. more says that the text went on where it ends, so that its end may be the beginning of a secret.
type Conceal func(text string, more bool) string

func (c Conceal) whole(text string) string {
	if c == nil {
		return text
	}
	return c(text, false)
}

func (c Conceal) part(text string) string {
	if c == nil {
		return text
	}
	return c(text, true)
}

// oneLine cuts a text for a message.
func (c Conceal) oneLine(s string, limit int) string {
	s = vt.Visible(strings.ReplaceAll(c.whole(s), "\n", `\n`))
	if r := []rune(s); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return s
}

// tail is the end of a stream for a failure's detail; open says that more of it may come.
func (c Conceal) tail(heading string, raw []byte, open bool) string {
	const limit = 2000
	text := validText(raw)
	if open {
		text = c.part(text)
	} else {
		text = c.whole(text)
	}
	r := []rune(strings.TrimRight(text, "\n"))
	if len(r) > limit {
		r = r[len(r)-limit:]
	}
	if len(r) == 0 {
		return ""
	}
	return fmt.Sprintf("%s:\n%s", heading, vt.Visible(string(r)))
}

// split masks a text on both sides of an offset, where a secret may stand across it.
func (c Conceal) split(text string, at int) (left, right string) {
	whole, rest := c.whole(text), c.whole(text[at:])
	if whole == text {
		return text[:at], text[at:]
	}
	n := 0
	for n < min(len(whole), len(rest)) && whole[len(whole)-1-n] == rest[len(rest)-1-n] {
		n++
	}
	return whole[:len(whole)-n], whole[len(whole)-n:]
}
