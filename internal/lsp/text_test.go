package lsp

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
)

func TestPositions(t *testing.T) {
	const body = "ab\nä😀c\r\n\r😀\n"
	for _, c := range []struct {
		bytes  bool
		p      position
		offset int
		back   position // if it is another one
	}{
		{false, position{0, 0}, 0, position{0, 0}},
		{false, position{0, 2}, 2, position{0, 2}},
		{false, position{0, 3}, 2, position{0, 2}}, // beyond the end of the line
		{false, position{1, 1}, 5, position{1, 1}}, // behind ä
		{false, position{1, 2}, 5, position{1, 1}}, // within 😀
		{false, position{1, 3}, 9, position{1, 3}},
		{false, position{1, 4}, 10, position{1, 4}},
		{false, position{1, 99}, 10, position{1, 4}},
		{false, position{2, 0}, 12, position{2, 0}}, // an empty line between \r\n and \r
		{false, position{3, 2}, 17, position{3, 2}},
		{false, position{4, 0}, 18, position{4, 0}},
		{false, position{4, 5}, 18, position{4, 0}},
		{false, position{99, 0}, 18, position{4, 0}},
		{false, position{1<<32 - 1, 1<<32 - 1}, 18, position{4, 0}},
		{true, position{1, 2}, 5, position{1, 2}},
		{true, position{1, 1}, 3, position{1, 0}}, // within ä
		{true, position{1, 6}, 9, position{1, 6}},
		{true, position{1, 7}, 10, position{1, 7}},
	} {
		x := newText(body, c.bytes)
		if got := x.offset(c.p); got != c.offset {
			t.Errorf("bytes %v: offset of %v is %d, want %d", c.bytes, c.p, got, c.offset)
		}
		if got := x.position(c.offset); got != c.back {
			t.Errorf("bytes %v: position of %d is %v, want %v", c.bytes, c.offset, got, c.back)
		}
	}
}

// lines is another way to look at a text: its lines, each as UTF-16.
func model(body string) [][]uint16 {
	var out [][]uint16
	for _, l := range strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(body), "\n") {
		out = append(out, utf16.Encode([]rune(l)))
	}
	return out
}

// apply makes a change in the other view, and returns the text with \n as line ends.
func apply(lines [][]uint16, from, to position, with string) string {
	var before, after []uint16
	for i, l := range lines {
		switch n := uint32(i); {
		case n < from.Line:
			before = append(append(before, l...), '\n')
		case n == from.Line:
			before = append(before, l[:from.Character]...)
		}
		switch n := uint32(i); {
		case n == to.Line:
			after = append(after, l[to.Character:]...)
		case n > to.Line:
			after = append(append(after, '\n'), l...)
		}
	}
	return string(utf16.Decode(before)) + with + string(utf16.Decode(after))
}

// TestEdits makes random changes and compares with the other view.
func TestEdits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "bc", "ä", "😀", "\n", "\r\n", "\n\n", "x = 1\n", "", "€", "\t"}
	word := func() string {
		var b strings.Builder
		for range rng.IntN(4) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		return b.String()
	}
	place := func(lines [][]uint16) position {
		line := rng.IntN(len(lines))
		col := rng.IntN(len(lines[line]) + 1)
		if col > 0 && utf16.IsSurrogate(rune(lines[line][col-1])) && col < len(lines[line]) && lines[line][col]>>10 == 0xDC00>>10 {
			col-- // not within a character
		}
		return position{uint32(line), uint32(col)}
	}
	x := newText("one\ntwo\r\nthree", false)
	for step := range 20000 {
		lines := model(x.body)
		from, to := place(lines), place(lines)
		if to.Line < from.Line || to.Line == from.Line && to.Character < from.Character {
			from, to = to, from
		}
		with := word()
		want := apply(lines, from, to, strings.ReplaceAll(with, "\r\n", "\n"))
		old := x.body
		x = x.edit(change{Range: &span{from, to}, Text: with})
		if got := strings.ReplaceAll(x.body, "\r\n", "\n"); got != want {
			t.Fatalf("step %d: %q with %q for %v to %v is %q, want %q", step, old, with, from, to, got, want)
		}
		if len(x.body) > 300 {
			x = x.edit(change{Text: word()})
		}
		if p := place(model(x.body)); x.position(x.offset(p)) != p {
			t.Fatalf("step %d: %v in %q comes back as %v", step, p, x.body, x.position(x.offset(p)))
		}
	}
}
