package repl

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"omniexpect/internal/mask"
)

// Session is a session as the prompt knows it.
type Session struct {
	ID     any // which one it is, as the current session of a strand has it
	Name   string
	PID    int
	Brief  string // how it ended, in a word or two; "" while it runs
	News   func(from int64) (text string, end int64)
	Output func() string
	Exit   <-chan struct{}
}

// follower shows what one session writes.
type follower struct {
	from int64         // what was taken of its text
	out  *mask.Writer  // into held
	held *bytes.Buffer // what may be shown
}

// The times of showing what comes: how long more is waited for, how long an unfinished line is kept, and the least time
// between two pieces of a flood.
const (
	newsPatience = 20 * time.Millisecond
	linePatience = 100 * time.Millisecond
	newsPace     = 50 * time.Millisecond
	floodPace    = time.Second
)

// maxNews is how many lines of a piece are shown, and maxFlood how many when the piece before had more.
const (
	maxNews  = 200
	maxFlood = 5
)

// take shows what the current session has written since the last time, up to the last line end; with all, also what
// stands behind that. It reports whether something is left.
func (l *Loop) take(all bool) (left bool) {
	s, ok := l.session()
	if !ok {
		return false
	}
	f := l.followers[s.ID]
	if f == nil {
		f = &follower{held: new(bytes.Buffer)}
		f.out = l.Mask.Writer(f.held)
		l.followers[s.ID] = f
	}
	text, end := s.News(f.from)
	f.from = end
	f.out.Write([]byte(text))
	if all || s.Brief != "" {
		f.out.Flush()
	}
	ready := f.held.Bytes()
	n := bytes.LastIndexByte(ready, '\n') + 1
	if all {
		n = len(ready)
	}
	if n > 0 {
		text, out := newest(plainLines(string(f.held.Next(n))), l.flood)
		l.flood = out
		io.WriteString(l.Stdout(), l.Mask.Mask(text))
	}
	return f.held.Len() > 0 || text != "" && !all
}

// newest cuts the beginning off a piece that is too long to be read, and reports whether it was.
func newest(text string, flood bool) (shown string, cut bool) {
	most := maxNews
	if flood {
		most = maxFlood
	}
	text = strings.TrimSuffix(text, "\n")
	if n := strings.Count(text, "\n") + 1; n > most {
		lines := strings.Split(text, "\n")
		return fmt.Sprintf("… %d lines left out; .output has the newest …\n", n-most) + strings.Join(lines[n-most:], "\n") + "\n", true
	}
	return text + "\n", false
}

// follow shows what the current session writes while somebody sits at a prompt, and lets the prompt say when it has ended.
func (l *Loop) follow(ctx context.Context, prompt string) {
	for {
		var exit <-chan struct{}
		s, ok := l.session()
		switch {
		case ok && s.Brief == "":
			exit = s.Exit
		case ok && !l.screen.continued && l.promptText() != prompt:
			prompt = l.promptText()
			l.screen.prompt(prompt)
		}
		select {
		case <-ctx.Done():
			return
		case <-exit:
			l.settle(ctx)
		case <-l.heard:
			l.settle(ctx)
		}
	}
}

// settle shows a piece: what comes together is shown together, and an unfinished line when it stays unfinished.
func (l *Loop) settle(ctx context.Context) {
	if !sleep(ctx, newsPatience) {
		return
	}
	left := l.take(false)
	pace := newsPace
	if l.flood {
		pace = floodPace
	}
	if !sleep(ctx, pace) {
		return
	}
	if !left {
		return
	}
	select {
	case <-ctx.Done():
	case <-l.heard: // it goes on
		l.Kick()
	case <-time.After(linePatience):
		l.take(true)
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
