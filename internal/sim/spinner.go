package sim

import (
	"fmt"
	"io"
	"os"
	"time"
)

const spinnerFrames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"

// spinner shows what the command line waits for: one line that is rewritten on a terminal, plain lines elsewhere.
type spinner struct {
	w    io.Writer
	tty  bool
	text chan string
	done chan struct{}
}

func newSpinner(w *os.File) *spinner {
	s := &spinner{w: w, tty: isTerminal(w) && os.Getenv("OMNIGENT_NO_SPINNER") == ""}
	if s.tty {
		s.text, s.done = make(chan string), make(chan struct{})
		go s.draw()
	}
	return s
}

func (s *spinner) say(text string) {
	switch {
	case s.tty && s.text != nil:
		s.text <- text
	case !s.tty:
		fmt.Fprintln(s.w, text)
	}
}

// stop erases the line; it may be called twice.
func (s *spinner) stop() {
	if s.text != nil {
		close(s.text)
		<-s.done
		s.text = nil
	}
}

func (s *spinner) draw() {
	defer close(s.done)
	frames := []rune(spinnerFrames)
	tick := time.NewTicker(80 * time.Millisecond)
	defer tick.Stop()
	text, shown := "", 0
	for {
		select {
		case next, ok := <-s.text:
			if !ok {
				if shown > 0 {
					fmt.Fprint(s.w, "\r\x1b[2K\n\x1b[?25h\r\x1b[1A\x1b[2K")
				}
				return
			}
			text = next
		case <-tick.C:
		}
		if text == "" {
			continue
		}
		if shown == 0 {
			fmt.Fprint(s.w, "\x1b[?25l")
		} else {
			fmt.Fprint(s.w, "\r\x1b[2K")
		}
		fmt.Fprintf(s.w, "\x1b[38;5;205m%c\x1b[0m %s", frames[shown%len(frames)], text)
		shown++
	}
}
