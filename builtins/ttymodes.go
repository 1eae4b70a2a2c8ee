package builtins

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"omniexpect/internal/vt"
)

// ttyModes passes a session's output on to the user's terminal and notes the modes that the program switches there: the
// alternate screen, a hidden cursor, reports of the mouse. When the terminal goes back to the user, they go with the
// program; when the program gets it again, they come back.
type ttyModes struct {
	to      io.Writer
	parser  vt.Parser
	changed []int // private modes that are not what a terminal has by itself, in the order of their change
	keypad  bool
	margins bool
	keys    int // how often the program has changed how keys are reported, and not taken that back
}

// usualMode returns what a private mode is in a terminal that nobody has changed; known is false for those that are left alone.
func usualMode(n int) (on, known bool) {
	on = n == 7 || n == 25
	return on, on || slices.Contains([]int{1, 5, 6, 9, 47, 66, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 1047, 1049, 2004, 2026, 2031, 2048}, n)
}

func (m *ttyModes) Write(p []byte) (int, error) {
	m.note(p)
	return m.to.Write(p)
}

// note looks for modes in a piece of output.
func (m *ttyModes) note(p []byte) {
	for len(p) > 0 {
		e := m.parser.Next(p)
		p = p[e.N:]
		switch e.Kind {
		case vt.Esc:
			m.escape(e.Byte)
		case vt.CSI:
			m.sequence(e.Byte)
		}
	}
}

// escape notes what an escape sequence switches.
func (m *ttyModes) escape(final byte) {
	if m.parser.Intermediates() != "" {
		return
	}
	switch final {
	case '=', '>':
		m.keypad = final == '='
	case 'c':
		m.changed, m.margins, m.keypad, m.keys = nil, false, false, 0
	}
}

// sequence notes what a control sequence switches.
func (m *ttyModes) sequence(final byte) {
	if m.parser.Intermediates() != "" {
		return
	}
	switch private := m.parser.Private(); {
	case private == '?' && (final == 'h' || final == 'l'):
		for i := range m.parser.Params() {
			m.private(int(m.parser.Param(i, 0)), final == 'h')
		}
	case private == 0 && final == 'r':
		m.margins = m.parser.Params() > 0
	case private == '>' && final == 'u':
		m.keys++
	case private == '<' && final == 'u':
		m.keys = max(0, m.keys-1)
	}
}

func (m *ttyModes) private(n int, on bool) {
	usual, known := usualMode(n)
	if !known {
		return
	}
	m.changed = slices.DeleteFunc(m.changed, func(old int) bool { return old == n })
	if on != usual {
		m.changed = append(m.changed, n)
	}
}

// leave returns what gives the terminal back as it was, "" where the program has changed nothing.
func (m *ttyModes) leave() string {
	var b strings.Builder
	if m.keys > 0 {
		fmt.Fprintf(&b, "\x1b[<%du", m.keys)
	}
	switch alternate := slices.ContainsFunc(m.changed, func(n int) bool { return n == 47 || n == 1047 || n == 1049 }); {
	case m.margins && alternate:
		b.WriteString("\x1b[r")
	case m.margins: // which moves the cursor
		b.WriteString("\x1b7\x1b[r\x1b8")
	}
	if m.keypad {
		b.WriteString("\x1b>")
	}
	for _, n := range slices.Backward(m.changed) {
		usual, _ := usualMode(n)
		fmt.Fprintf(&b, "\x1b[?%d%c", n, switchTo(usual))
	}
	if b.Len() > 0 {
		b.WriteString("\x1b[m")
	}
	return b.String()
}

// enter returns what gives the terminal the modes that the program had left it with.
func (m *ttyModes) enter() string {
	var b strings.Builder
	for _, n := range m.changed {
		usual, _ := usualMode(n)
		fmt.Fprintf(&b, "\x1b[?%d%c", n, switchTo(!usual))
	}
	if m.keypad {
		b.WriteString("\x1b=")
	}
	return b.String()
}

func switchTo(on bool) byte {
	if on {
		return 'h'
	}
	return 'l'
}
