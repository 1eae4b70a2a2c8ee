package terminals_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// step is some output of a program, or a new size.
type step struct {
	Write      string
	Rows, Cols int
}

// mixture is a random program: steps that a terminal is to obey.
type mixture struct {
	rows, cols int
	steps      []step
}

func (m mixture) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d rows of %d:", m.rows, m.cols)
	for _, s := range m.steps {
		if s.Rows > 0 {
			fmt.Fprintf(&b, " resize(%d, %d)", s.Rows, s.Cols)
		} else {
			fmt.Fprintf(&b, " %q", s.Write)
		}
	}
	return b.String()
}

// kind is one thing that a program does.
type kind func(r *rand.Rand, rows, cols int) string

func text(choices ...string) kind {
	return func(r *rand.Rand, _, _ int) string { return choices[r.IntN(len(choices))] }
}

// csi is a control sequence with up to two numbers.
func csi(finals string, numbers int) kind {
	return func(r *rand.Rand, rows, cols int) string {
		final := finals[r.IntN(len(finals))]
		switch r.IntN(6) {
		case 0:
			return fmt.Sprintf("\x1b[%c", final)
		case 1:
			return fmt.Sprintf("\x1b[%d%c", r.IntN(3), final)
		}
		if numbers == 2 {
			return fmt.Sprintf("\x1b[%d;%d%c", 1+r.IntN(rows), 1+r.IntN(cols), final)
		}
		return fmt.Sprintf("\x1b[%d%c", r.IntN(max(rows, cols)+2), final)
	}
}

func renditions(r *rand.Rand, _, _ int) string {
	simple := []string{"", "0", "1", "2", "3", "4", "5", "7", "8", "9", "21", "22", "23", "24", "25", "27", "28", "29", "53", "55",
		"31", "42", "39", "49", "93", "104", "38;5;123", "48;5;17", "38;2;1;2;3", "48;2;200;100;50", "38:5:99", "48:2::9:8:7", "4:3", "4:0"}
	out := simple[r.IntN(len(simple))]
	for r.IntN(2) == 0 {
		out += ";" + simple[r.IntN(len(simple))]
	}
	return "\x1b[" + out + "m"
}

// kinds are what both a person's programs do and the references agree how to do; the weights are how often.
var kinds = []struct {
	weight int
	do     kind
}{
	{20, text("hello", "x", "a longer text that may wrap", "word ", "=====", "0123456789")},
	{4, text("漢", "漢字かな", "한글", "é", "─│┌", "⠋⠙", "😀")},
	{10, text("\r\n", "\n", "\r", "\b", "\t")},
	{3, text("\x1bD", "\x1bE", "\x1bM")},
	{8, csi("ABCDEFGd`", 1)},
	{8, csi("Hf", 2)},
	{3, csi("I", 0)},
	{8, text("\x1b[J", "\x1b[1J", "\x1b[2J", "\x1b[K", "\x1b[1K", "\x1b[2K")},
	{8, csi("@PLMX", 1)},
	{3, csi("S", 1)},
	{3, csi("r", 2)},
	{1, text("\x1b[r")},
	{8, renditions},
	{2, text("\x1b[4h", "\x1b[4l", "\x1b[?25l", "\x1b[?25h")},
	{2, text("\x1b(0", "\x1b(B")},
	{1, text("\x1b[r\x1b[?1049h", "\x1b[r\x1b[?1049l", "\x1b[r\x1b[?1049l")},
	{2, text("\x1b]0;title\x07", "\x1b]8;;http://x/\x1b\\link\x1b]8;;\x1b\\", "\x1b]2;漢\x1b\\", "\x1bP+q544e\x1b\\")},
	{1, text("\x1bH", "\x1b[g", "\x1b[3g", "\x1b[2b", "\x1b[Z", "\x1b[!p")},
}

// onlyOneSize are kinds that the references do differently when the size changes.
func onlyOneSize(text string) bool {
	return strings.Contains(text, "?1049") || text == "\x1b[1J" || strings.HasSuffix(text, "\x1bH") || strings.HasSuffix(text, "g")
}

// mix makes a program of n steps.
func mix(r *rand.Rand, n int, resizes bool) mixture {
	side := func(small, big int) int { return small + r.IntN(big-small) }
	m := mixture{rows: side(3, 12), cols: side(8, 40)}
	total := 0
	for _, k := range kinds {
		total += k.weight
	}
	rows, cols := m.rows, m.cols
	for range n {
		if resizes && r.IntN(30) == 0 {
			rows, cols = side(3, 12), side(8, 40)
			m.steps = append(m.steps, step{Write: "\x1b[99E"}) // xterm.js loses lines below the cursor
			m.steps = append(m.steps, step{Rows: rows, Cols: cols})
			continue
		}
		at := r.IntN(total)
		for _, k := range kinds {
			if at -= k.weight; at < 0 {
				if text := k.do(r, rows, cols); !resizes || !onlyOneSize(text) {
					m.steps = append(m.steps, step{Write: text})
				}
				break
			}
		}
	}
	return m
}
