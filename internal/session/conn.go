package session

import (
	"context"
	"syscall"
	"time"

	"omniexpect/internal/clock"
	"omniexpect/internal/fault"
	"omniexpect/internal/match"
)

// Conn is what a session talks to: it reads what the other end writes, and writes what is sent. A program that Start runs
// is one; Open takes any other. A Conn that is a Terminal or a Process as well has what they have.
type Conn interface {
	match.Source
	// WriteAll writes all of p before the timeout, 0 meaning none, and returns how much was written. It fails with
	// os.ErrDeadlineExceeded once the timeout is over, and with syscall.EPIPE or os.ErrClosed where nobody reads any more.
	WriteAll(ctx context.Context, p []byte, timeout time.Duration) (int, error)
	// CloseWrite tells the other end that its input ends. On a Terminal a key does that, and it is not called.
	CloseWrite() error
	// Close ends the connection, and with it reads and writes that wait. It may be called several times.
	Close()
}

// Terminal is a Conn whose other end is a terminal.
type Terminal interface {
	Resize(rows, cols int) error
	// Modes reports whether the terminal repeats what is typed, and whether it collects lines before the program gets them.
	// One that cannot tell returns false twice.
	Modes() (echo, lines bool)
	LineKeys() LineKeys
}

// Process is a Conn at whose other end a program runs that ends with a status.
type Process interface {
	// Status returns how the program ended, and whether it did.
	Status() (Status, bool)
	// Exit is closed once the program has ended.
	Exit() <-chan struct{}
	Signal(sig syscall.Signal) error
}

// Open makes a session of a connection. Of the configuration it takes what does not say how a program is run. Without a
// Process the session ends when the output does, and has no exit status.
func Open(conn Conn, c Config) *Session {
	s := newSession(c)
	s.conn = conn
	s.term, _ = conn.(Terminal)
	s.process, _ = conn.(Process)
	if s.process == nil {
		s.HangupOnly = true
	}
	s.listen(conn, match.Config{}, nil)
	if s.process == nil {
		s.Out.Exited() // there is no exit to wait for
		return s
	}
	s.followed.Go(func() {
		select {
		case <-s.process.Exit():
		case <-s.closing: // both may be so
		}
		if st, over := s.process.Status(); over {
			s.exited(st)
			s.Out.Exited()
		}
	})
	return s
}

// newSession returns a session without its streams.
func newSession(c Config) *Session {
	s := &Session{Config: c, clock: clock.Or(c.Clock), sending: make(chan struct{}, 1), over: make(chan struct{}), closing: make(chan struct{})}
	s.Began = s.clock.Now()
	return s
}

// HasTerminal reports whether the session leads to a terminal.
func (s *Session) HasTerminal() bool { return s.term != nil }

// MayEcho reports whether what is sent may come back: from the terminal, or from a program that edits lines on one.
func (s *Session) MayEcho() bool { return s.term != nil && !s.NoEcho }

// LineEnd is what ends a line that is sent: what the Enter key sends, or a newline where no terminal makes one of it.
func (s *Session) LineEnd() string {
	if s.Raw || s.term == nil {
		return "\n"
	}
	return "\r"
}

// noTerminal is the error of what only a terminal can do.
func (s *Session) noTerminal() error {
	if s.program != nil {
		return fault.New(fault.Usage, "session %s has no terminal: it was spawned with pty=False", s.Name)
	}
	return fault.New(fault.Usage, "session %s has no terminal", s.Name)
}
