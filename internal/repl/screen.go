package repl

import (
	"bytes"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"
)

// screen is where everything goes that the person sees. While a line is being typed, it is written above that line.
type screen struct {
	out, err       *os.File
	outTTY, errTTY bool

	mu        sync.Mutex
	term      *term.Terminal // while a line is being edited
	plain     string         // the prompt that stands on a terminal without escape sequences
	continued bool           // the line goes on with a statement
}

func newScreen(out, err *os.File) *screen {
	return &screen{out: out, err: err, outTTY: term.IsTerminal(int(out.Fd())), errTTY: term.IsTerminal(int(err.Fd()))}
}

func (s *screen) enter(t *term.Terminal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.term = t
}

func (s *screen) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.term, s.plain = nil, ""
}

func (s *screen) prompting(plain string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plain = plain
}

// prompt changes the prompt that stands there.
func (s *screen) prompt(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.term != nil {
		s.term.SetPrompt(text)
		s.term.Write(nil)
	} else if s.plain != "" {
		s.plain = text
	}
}

// to returns a writer to one of the two files, which may be the same terminal.
func (s *screen) to(f *os.File, tty bool) io.Writer { return screenWriter{s, f, tty} }

type screenWriter struct {
	s   *screen
	f   *os.File
	tty bool
}

// Write writes above the line that is being typed. What is written then is whole lines.
func (w screenWriter) Write(p []byte) (int, error) {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	if !w.tty || w.s.term == nil && w.s.plain == "" {
		return w.f.Write(p)
	}
	text := p
	if !bytes.HasSuffix(p, []byte("\n")) {
		text = append(bytes.Clone(p), '\n')
	}
	var err error
	if w.s.term != nil {
		_, err = w.s.term.Write(text)
	} else {
		_, err = io.WriteString(w.f, "\n"+string(text)+w.s.plain)
	}
	return len(p), err
}

// plainLines makes of what a program wrote lines that can be shown anywhere: of what a lone CR or a backspace goes back
// over, the last state; nothing of other control characters.
func plainLines(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f }) < 0 {
		return text
	}
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(overtyped(line))
	}
	return b.String()
}

func overtyped(line string) string {
	var cells []rune
	at := 0
	for _, r := range line {
		switch {
		case r == '\r':
			at = 0
		case r == '\b':
			at = max(at-1, 0)
		case r == '\t':
			for n := 8 - at%8; n > 0; n-- {
				cells, at = put(cells, at, ' '), at+1
			}
		case r < ' ' || r == 0x7f:
		default:
			cells, at = put(cells, at, r), at+1
		}
	}
	return string(cells)
}

func put(cells []rune, at int, r rune) []rune {
	if at < len(cells) {
		cells[at] = r
		return cells
	}
	return append(cells, r)
}
