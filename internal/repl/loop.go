package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/interp"
	"omniexpect/internal/mask"
	"omniexpect/internal/usertty"
	"omniexpect/internal/vt"
)

// Config is what a loop is joined from.
type Config struct {
	In, Out, Err *os.File
	Term         string // the kind of terminal, as in TERM
	HistoryFile  string // "" keeps no history
	Editor       string // the command of .edit

	Run        *interp.Run
	Vocabulary *dsl.Vocabulary
	Mask       *mask.Masker
	Explain    func(error) string                // all that is to say about a failure
	Session    func(current any) (Session, bool) // what the current session of a strand is
	Sessions   func() []Session                  // all that were not forgotten; called with the run's lock
	Kill       func()                            // ends all sessions at once
	Reset      func(context.Context)             // ends sessions and what else the run started
}

// Loop is one interactive session.
type Loop struct {
	Config
	console *interp.Console
	screen  *screen
	tty     *usertty.TTY
	editor  *editor // nil where there is no terminal, or none with escape sequences
	dumb    bool    // a terminal without escape sequences
	history *history

	current   any // the current session
	followers map[any]*follower
	heard     chan struct{}
	flood     bool // more was written than can be read
	paused    bool // a script waits for .continue
	piped     int  // lines read without a terminal
	begins    int  // lines before what is executed, without a terminal
	log       []logged
	last      string // the last statement, for .edit
	failed    error  // the last failure, for .trace
	first     error  // the first one, for the exit status without a terminal
	timed     bool
	took      time.Duration
	broken    int      // Ctrl-C at an empty prompt, in a row
	column    int      // where the line that was typed begins
	above     []string // the lines of the statement before the one that is being typed

	mu     sync.Mutex
	cancel context.CancelCauseFunc // of what is under way
	hit    time.Time               // the last Ctrl-C
	busy   bool                    // a statement is under way
	missed int                     // how often Ctrl-C came between two things that it could have stopped
	twice  bool                    // that was more than once
}

// mainName is what positions call what was typed.
const mainName = "<repl>"

// New returns a loop. Close has to be called.
func New(c Config) (*Loop, error) {
	l := &Loop{Config: c, console: interp.NewConsole(c.Run), screen: newScreen(c.Out, c.Err), followers: map[any]*follower{},
		heard: make(chan struct{}, 1)}
	t, err := usertty.New(int(c.In.Fd()), int(c.Out.Fd()))
	if err != nil {
		return nil, fault.New(fault.Env, "repl: %w", err)
	}
	l.tty = t
	history := ""
	if term.IsTerminal(int(c.In.Fd())) {
		history = c.HistoryFile
		l.dumb = true
		if l.screen.outTTY && c.Term != "" && c.Term != "dumb" {
			l.dumb = false
			l.editor = &editor{tty: t, screen: l.screen, names: sequences(), complete: l.complete}
		}
	}
	l.history = newHistory(history, l.holdsSecret)
	if l.editor != nil {
		l.editor.history = l.history
	}
	if host := c.Run.Host; host.MainFile == "" {
		host.MainFile = mainName
	} else if !slices.Contains(host.AlsoMain, mainName) {
		host.AlsoMain = append(host.AlsoMain, mainName)
	}
	return l, nil
}

// Close gives everything back that New took.
func (l *Loop) Close() { l.tty.Close() }

// Stdout and Stderr are where the run has to write while the loop lives: above the line that is being typed.
func (l *Loop) Stdout() io.Writer { return l.screen.to(l.Out, l.screen.outTTY) }

// Stderr is the same for standard error.
func (l *Loop) Stderr() io.Writer { return l.screen.to(l.Err, l.screen.errTTY) }

// Source returns what was read under a name, for messages.
func (l *Loop) Source(name string) string { return l.console.Text(name) }

// Interactive reports whether somebody sits at a terminal.
func (l *Loop) Interactive() bool { return l.editor != nil || l.dumb }

// Kick reports that a session wrote something.
func (l *Loop) Kick() {
	select {
	case l.heard <- struct{}{}:
	default:
	}
}

// screenOut writes lines of our own to standard output as print does: secrets hidden, and with the same end of all if they
// cannot be written.
func (l *Loop) screenOut(text string) { l.Run.Host.Print(strings.TrimSuffix(text, "\n")) }

// say writes a line about what goes on, which is not the script's output.
func (l *Loop) say(format string, args ...any) {
	io.WriteString(l.Stderr(), vt.Visible(l.Mask.Mask(fmt.Sprintf(format, args...)))+"\n")
}

func (l *Loop) session() (Session, bool) {
	if l.current == nil {
		return Session{}, false
	}
	return l.Session(l.current)
}

// promptText returns which session is current and whether it lives.
func (l *Loop) promptText() string {
	s, ok := l.session()
	if !ok {
		return "> "
	}
	name := strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, l.Mask.Mask(s.Name))
	if rs := []rune(name); len(rs) > 24 {
		name = string(rs[:23]) + "…"
	}
	if s.Brief != "" {
		name += " (" + s.Brief + ")"
	}
	return name + "> "
}

// errLeave ends the loop; errContinue goes on with the script that waits.
var (
	errLeave    = errors.New("leave")
	errContinue = errors.New("continue")
)

// Interrupt is Ctrl-C as a signal: it stops what is under way. A second one within a second ends all sessions.
func (l *Loop) Interrupt() {
	l.mu.Lock()
	again := l.busy && time.Since(l.hit) < time.Second
	if l.busy {
		l.hit = time.Now()
	}
	defer l.mu.Unlock()
	cancel, busy := l.cancel, l.busy
	switch {
	case again:
		l.mu.Unlock()
		defer l.mu.Lock()
		l.killAll()
	case cancel == nil:
		l.missed++
	case busy:
		cancel(fault.New(fault.Interrupt, "interrupted by Ctrl-C"))
	default:
		cancel(errInterrupt)
	}
}

// again reports whether a Ctrl-C at the prompt is the second one after one that stopped a statement.
func (l *Loop) again() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	again := time.Since(l.hit) < time.Second
	l.hit = time.Time{}
	return again
}

func (l *Loop) killAll() {
	l.Kill()
	l.say("all sessions were killed")
}

// begin makes what follows the thing that Ctrl-C stops.
func (l *Loop) begin(ctx context.Context, busy bool) (inner context.Context, end func()) {
	inner, cancel := context.WithCancelCause(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cancel, l.busy = cancel, busy
	switch {
	case busy && l.missed > 0:
		l.hit = time.Now()
		cancel(fault.New(fault.Interrupt, "interrupted by Ctrl-C"))
	case busy:
		l.hit = time.Time{}
	case l.missed > 0:
		cancel(errInterrupt)
	}
	l.twice = l.missed > 1
	l.missed = 0
	return inner, func() {
		l.mu.Lock()
		l.cancel, l.busy = nil, false
		l.mu.Unlock()
		cancel(nil)
	}
}

// Loop reads and executes statements until the person leaves, the input ends or the context does. The error is an
// *dsl.Exit for exit() and .quit, the context's cause, or without a terminal the first failure.
func (l *Loop) Loop(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.Panicked(p)
		}
	}()
	defer l.restore()
	if l.Interactive() {
		l.take(false)
	}
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		text, err := l.read(ctx)
		switch {
		case err == errInterrupt:
			if leave, err := l.interrupted(text); leave {
				return err
			}
			continue
		case err == io.EOF:
			return l.leaving()
		case err != nil:
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return fault.New(fault.Env, "repl: %w", err)
		}
		err = l.do(ctx, text)
		var exit *dsl.Exit
		switch {
		case err == nil:
		case errors.As(err, &exit):
			return exit
		case err == errLeave:
			if l.paused {
				return &dsl.Exit{Code: 0}
			}
			return nil
		case err == errContinue:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		default:
			if l.first == nil {
				l.first = err
			}
		}
	}
}

// interrupted is Ctrl-C at the prompt, with what had been typed by then. It reports whether that ends the loop, and how.
func (l *Loop) interrupted(text string) (leave bool, err error) {
	again := l.again()
	switch {
	case text != "": // it clears what was typed since
		l.broken = 0
		return false, nil
	case again:
		l.killAll()
		return false, nil
	}
	l.broken++
	switch {
	case l.broken > 1 && l.paused: // whoever presses it does not want the rest of the script
		return true, &dsl.Exit{Code: 130}
	case l.broken > 1:
		return true, l.leaving()
	case l.paused:
		l.say("Ctrl-C again ends the script, Ctrl-D goes on with it")
	default:
		l.say("Ctrl-C again, or Ctrl-D, leaves")
	}
	return false, nil
}

// restore gives the terminal the modes back that it had before the first prompt.
func (l *Loop) restore() {
	if l.editor != nil {
		l.tty.Restore()
	}
}

// leaving is how the loop ends at the end of its input.
func (l *Loop) leaving() error {
	if !l.Interactive() {
		return l.first
	}
	return nil
}

// holdsSecret reports whether an entry of the history holds a secret: a value that is known to be one, or a literal in the
// place of one.
func (l *Loop) holdsSecret(text string) bool {
	return l.Mask.Mask(text) != text || len(secretLiterals(text, l.Vocabulary)) > 0 || beginsSecret(text, l.Vocabulary)
}
