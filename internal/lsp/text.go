package lsp

import (
	"sort"
	"unicode/utf8"
)

// text is the text of a document, with positions as the protocol has them: in UTF-16, or in bytes if that was agreed on.
type text struct {
	body  string
	lines []int // where each line begins
	bytes bool
}

func newText(body string, bytes bool) text {
	t := text{body: body, lines: []int{0}, bytes: bytes}
	for i := 0; i < len(body); i++ {
		if body[i] == '\n' || body[i] == '\r' && (i+1 == len(body) || body[i+1] != '\n') {
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

// lineEnd returns where a line ends, without what ends it.
func (t *text) lineEnd(line int) int {
	end := len(t.body)
	if line+1 < len(t.lines) {
		end = t.lines[line+1]
	}
	for end > t.lines[line] && (t.body[end-1] == '\n' || t.body[end-1] == '\r') {
		end--
	}
	return end
}

// offset returns the offset of a position. What is beyond the end of a line or of the text is at that end, what is within
// a character at its beginning.
func (t *text) offset(p position) int {
	if int64(p.Line) >= int64(len(t.lines)) {
		return len(t.body)
	}
	at, end := t.lines[p.Line], t.lineEnd(int(p.Line))
	left := int64(p.Character)
	for at < end {
		r, n := utf8.DecodeRuneInString(t.body[at:])
		if left -= int64(t.width(r, n)); left < 0 {
			break
		}
		at += n
	}
	return at
}

// width is what a character of n bytes counts.
func (t *text) width(r rune, n int) int {
	switch {
	case t.bytes:
		return n
	case r >= 0x10000:
		return 2
	}
	return 1
}

// position returns the position of an offset.
func (t *text) position(offset int) position {
	offset = min(max(offset, 0), len(t.body))
	line := sort.SearchInts(t.lines, offset+1) - 1
	offset = min(offset, t.lineEnd(line))
	count := 0
	for at := t.lines[line]; at < offset; {
		r, n := utf8.DecodeRuneInString(t.body[at:])
		count += t.width(r, n)
		at += n
	}
	return position{uint32(line), uint32(count)}
}

func (t *text) span(from, to int) span { return span{t.position(from), t.position(to)} }

// edit returns the text with one change made.
func (t *text) edit(c change) text {
	if c.Range == nil {
		return newText(c.Text, t.bytes)
	}
	from, to := t.offset(c.Range.Start), t.offset(c.Range.End)
	if to < from {
		from, to = to, from
	}
	return newText(t.body[:from]+c.Text+t.body[to:], t.bytes)
}
