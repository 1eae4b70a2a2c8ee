// Package usertty is the terminal of the person at the keyboard, while a prompt, ask_user or interact has it.
//
// It is read and written only when the system says that it would not block, and never switched to non-blocking: that would
// hold for everybody who has it open, the shell that started us included. So a wait ends at once with its context and leaves
// no goroutine behind, and nothing is read that belongs to somebody else.
package usertty

import (
	"context"
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// TTY is a terminal, or a pipe or a file in its place, that is read from one descriptor and written to another.
type TTY struct {
	in, out int
	wake    [2]int        // a pipe: a byte in it ends every wait
	own     *unix.Termios // the modes it had before Raw
	rest    []byte        // what a write that was interrupted had left; for the next one
}

// New takes the terminal. Close has to be called.
func New(in, out int) (*TTY, error) {
	t := &TTY{in: in, out: out}
	if err := unix.Pipe(t.wake[:]); err != nil {
		return nil, err
	}
	for _, fd := range t.wake {
		unix.CloseOnExec(fd)
		unix.SetNonblock(fd, true)
	}
	return t, nil
}

// Close gives back what New took. The descriptors stay open.
func (t *TTY) Close() {
	unix.Close(t.wake[0])
	unix.Close(t.wake[1])
}

// ErrWoken ends a wait that Interrupt has ended; ErrQuiet a read that nothing came to in time.
var (
	ErrWoken = errors.New("woken")
	ErrQuiet = errors.New("nothing came")
)

// Interrupt ends all waits, those to come too, until Rearm.
func (t *TTY) Interrupt() { unix.Write(t.wake[1], []byte{0}) }

// Rearm lets waits wait again.
func (t *TTY) Rearm() {
	var buf [16]byte
	for {
		if n, err := unix.Read(t.wake[0], buf[:]); n <= 0 || err != nil {
			return
		}
	}
}

// StopAt interrupts the terminal's waits when the context ends. Nothing is interrupted any more once stop has returned.
func (t *TTY) StopAt(ctx context.Context) (stop func()) {
	done := make(chan struct{})
	unless := context.AfterFunc(ctx, func() {
		defer close(done)
		t.Interrupt()
	})
	return func() {
		if !unless() {
			<-done
		}
	}
}

// ready waits until a descriptor can be read or written, for a time, 0 meaning any.
func (t *TTY) ready(fd int, events int16, timeout time.Duration) error {
	fds := []unix.PollFd{{Fd: int32(fd), Events: events}, {Fd: int32(t.wake[0]), Events: unix.POLLIN}}
	ms := -1
	if timeout > 0 {
		ms = int(timeout / time.Millisecond)
	}
	if events == unix.POLLIN {
		events |= unix.POLLHUP // the end can be read
	}
	for {
		n, err := unix.Poll(fds, ms)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return err
		case fds[1].Revents != 0:
			return ErrWoken
		case n == 0:
			return ErrQuiet
		case fds[0].Revents&events == 0:
			return os.ErrClosed
		default:
			return nil
		}
	}
}

// Read returns what was typed, ErrQuiet when nothing was for a time, 0 meaning any, or io.EOF where the terminal is gone.
func (t *TTY) Read(buf []byte, timeout time.Duration) (int, error) {
	for {
		if err := t.ready(t.in, unix.POLLIN, timeout); err != nil {
			return 0, err
		}
		n, err := unix.Read(t.in, buf)
		switch {
		case err == syscall.EINTR || err == syscall.EAGAIN:
			continue
		case err == syscall.EIO:
			return 0, io.EOF
		case err != nil:
			return 0, err
		case n <= 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

// ReadContext is Read until the context ends, whose cause it returns then. It takes no interrupts but its own.
func (t *TTY) ReadContext(ctx context.Context, buf []byte, timeout time.Duration) (int, error) {
	defer t.StopAt(ctx)()
	for {
		if ctx.Err() != nil {
			t.Rearm()
			return 0, context.Cause(ctx)
		}
		n, err := t.Read(buf, timeout)
		if err != ErrWoken {
			return n, err
		}
		t.Rearm()
	}
}

// Pending reports whether there is something to read.
func (t *TTY) Pending() bool {
	fds := []unix.PollFd{{Fd: int32(t.in), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n == 1 && fds[0].Revents&unix.POLLIN != 0
}

// writePiece is how much is written to the terminal at a time: what it takes without blocking once it takes anything.
const writePiece = 128

// Write makes TTY an io.Writer that Interrupt stops. What it has not written then comes first in the next one.
func (t *TTY) Write(p []byte) (int, error) {
	all := len(p)
	p = append(t.rest, p...)
	t.rest = nil
	for len(p) > 0 {
		if err := t.ready(t.out, unix.POLLOUT, 0); err != nil {
			if errors.Is(err, ErrWoken) {
				t.rest = p
			}
			return all, err
		}
		n, err := unix.Write(t.out, p[:min(len(p), writePiece)])
		if err == syscall.EINTR || err == syscall.EAGAIN {
			continue
		}
		if err != nil {
			return 0, err
		}
		p = p[n:]
	}
	return all, nil
}

// Size returns the window's size, zeros if the terminal does not know it.
func (t *TTY) Size() (rows, cols int) {
	cols, rows, err := term.GetSize(t.out)
	if err != nil {
		return 0, 0
	}
	return rows, cols
}
