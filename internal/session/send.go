package session

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"runtime"
	"syscall"
	"time"

	"omniexpect/internal/clock"
	"omniexpect/internal/fault"
)

// lineLimit is how many bytes of one line a terminal in canonical mode takes; the kernel drops the rest without a word.
func lineLimit() int {
	if runtime.GOOS == "linux" {
		return 4095
	}
	return 1024
}

// Send writes p to the program's terminal, or its standard input. What the terminal's line discipline would silently
// drop is refused unless force is given.
func (s *Session) Send(ctx context.Context, p []byte, timeout time.Duration, force bool) error {
	_, err := s.SendPart(ctx, p, timeout, force)
	return err
}

// SendPart is Send, and returns how much was written.
func (s *Session) SendPart(ctx context.Context, p []byte, timeout time.Duration, force bool) (int, error) {
	began := s.clock.Now()
	if err := s.turn(ctx, timeout); err != nil {
		return 0, err
	}
	defer s.endTurn()
	if s.closed.Load() {
		return 0, fault.New(fault.Usage, "send: session %s is closed", s.Name)
	}
	limit := timeout
	if limit > 0 {
		limit = max(limit-clock.Since(s.clock, began), time.Millisecond)
	}
	if st, over := s.overBy(); over && s.unread() {
		return 0, fault.New(fault.EOF, "send to %s: the program %s", s.Name, st.Sentence())
	}
	line, longest := s.lines(p)
	if s.term != nil && (line > 0 || longest > lineLimit()) && !s.canonical() {
		line, longest, s.line = 0, 0, 0 // the program has read it, or will, key by key
	}
	if longest > lineLimit() && !force && s.term != nil {
		return 0, s.tooLong(longest)
	}
	n, err := s.writeAll(ctx, p, limit)
	if n == len(p) {
		s.line = line
		return n, nil
	}
	s.line, _ = s.lines(p[:n])
	return n, s.sendError(ctx, err, n, len(p), timeout)
}

// writeAll writes all of p before the timeout, 0 meaning none. The kernel's deadlines go by the system's clock.
func (s *Session) writeAll(ctx context.Context, p []byte, timeout time.Duration) (int, error) {
	if _, real := s.clock.(clock.System); real || timeout == 0 {
		return s.conn.WriteAll(ctx, p, timeout)
	}
	bounded, cancel := clock.WithTimeout(ctx, s.clock, timeout)
	defer cancel()
	n, err := s.conn.WriteAll(bounded, p, 0)
	if err != nil && ctx.Err() == nil && bounded.Err() == context.DeadlineExceeded {
		err = os.ErrDeadlineExceeded
	}
	return n, err
}

// ErrLongLine is what is to be done about a line that the terminal would cut.
var ErrLongLine = errors.New("send shorter lines, or switch the terminal to raw mode")

// Fits reports whether the terminal takes a line of n bytes now, and how long a line it takes.
func (s *Session) Fits(n int) (limit int, ok bool) {
	limit = lineLimit()
	return limit, n <= limit || !s.canonical()
}

// tooLong refuses a line that the terminal would cut.
func (s *Session) tooLong(n int) error {
	return fault.New(fault.Usage, "send to %s: a line of %d bytes: the terminal is in canonical mode and takes %d; "+
		"%w", s.Name, n, lineLimit(), ErrLongLine)
}

// turn waits until what others send is sent; endTurn lets the next one send.
func (s *Session) turn(ctx context.Context, timeout time.Duration) error {
	select {
	case s.sending <- struct{}{}:
		return nil
	default:
	}
	var over <-chan time.Time
	if timeout > 0 {
		timer := s.clock.NewTimer(timeout)
		defer timer.Stop()
		over = timer.C()
	}
	select {
	case s.sending <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-over:
		return fault.New(fault.Timeout, "send to %s: another branch's send has not finished after %s: the program is not reading its input",
			s.Name, fault.Human(timeout))
	}
}

func (s *Session) endTurn() { <-s.sending }

// overBy returns how the program ended, without asking the system as long as somebody has its terminal open.
func (s *Session) overBy() (Status, bool) {
	if s.Out.HungUp() {
		return s.Status()
	}
	if s.program != nil {
		return s.program.known()
	}
	return s.Status()
}

// unread reports that nobody is left to read what is sent, although the kernel may take it: the program has ended, and no
// other process has the terminal open.
func (s *Session) unread() bool {
	return s.Ended() || s.program != nil && s.term != nil && runtime.GOOS == "linux" && len(s.Holders()) == 0
}

// lines returns how long the unfinished line is after sending p, and the longest line on the way. One that p only ends is
// none: what was too long of it has been sent. The keys that take a line back, and those that interrupt the program, empty
// it, unless the key before them quotes them.
func (s *Session) lines(p []byte) (last, longest int) {
	last = s.line
	for len(p) > 0 {
		i := bytes.IndexAny(p, lineKeys)
		if i < 0 {
			last += len(p)
			return last, max(longest, last)
		}
		if i > 0 {
			longest = max(longest, last+i)
		}
		if p[i] == quoteKey {
			n := min(i+2, len(p))
			last, p = last+n-1, p[n:]
			longest = max(longest, last)
			continue
		}
		last, p = 0, p[i+1:]
	}
	return last, longest
}

// The keys that end a line, or take it back, as terminals have them by themselves: Enter, Ctrl-J, Ctrl-D, Ctrl-U, Ctrl-C,
// Ctrl-Z and Ctrl-\; and Ctrl-V, which quotes the next one.
const (
	quoteKey = 0x16
	lineKeys = "\r\n\x04\x15\x03\x1a\x1c\x16"
)

func (s *Session) sendError(ctx context.Context, err error, n, all int, timeout time.Duration) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fault.New(fault.Timeout, "send to %s: took %d of %d bytes in %s: the program is not reading its input",
			s.Name, n, all, fault.Human(timeout))
	case errors.Is(err, syscall.EIO), errors.Is(err, syscall.EPIPE), errors.Is(err, os.ErrClosed):
		if st, over := s.Status(); over {
			return fault.New(fault.EOF, "send to %s: the program %s", s.Name, st.Sentence())
		}
		if s.inputEnded {
			return fault.New(fault.Usage, "send to %s: its standard input was ended by send_eof", s.Name)
		}
		return fault.New(fault.EOF, "send to %s: the program has closed its input", s.Name)
	}
	return fault.New(fault.Env, "send to %s: %w", s.Name, err)
}

// SendEOF tells the program that its input ends: on a terminal in canonical mode with the end-of-file character, twice
// if a line is unfinished; in other modes with the character once; on pipes by closing them.
func (s *Session) SendEOF(ctx context.Context, timeout time.Duration) error {
	if s.term == nil {
		if err := s.turn(ctx, timeout); err != nil {
			return err
		}
		defer s.endTurn()
		s.inputEnded = true
		if err := s.conn.CloseWrite(); err != nil {
			return fault.New(fault.Env, "send_eof to %s: %w", s.Name, err)
		}
		return nil
	}
	if err := s.turn(ctx, timeout); err != nil {
		return err
	}
	unfinished := s.line > 0
	s.endTurn()
	lines, char := s.canonical(), s.LineKeys().EOF
	keys := []byte{cmp.Or(char, ctrlD)}
	switch {
	case lines && char == 0:
		return fault.New(fault.Usage, "send_eof to %s: its terminal has no key for the end of the input (stty eof undef)", s.Name)
	case lines && unfinished:
		keys = append(keys, char)
	}
	return s.Send(ctx, keys, timeout, true)
}
