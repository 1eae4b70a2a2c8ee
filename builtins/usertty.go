package builtins

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"omniexpect/internal/fault"
)

// userTTY is the terminal of the person at the keyboard, while a session has it. It is read and written only when the
// system says that it would not block, and never switched to non-blocking: that would hold for everybody who has it open,
// the shell that started us included. So a wait ends at once, and leaves no goroutine behind.
type userTTY struct {
	in, out int
	wake    [2]int // a pipe: a byte in it ends every wait
	saved   *term.State
	rest    []byte // what a write that was interrupted had left; for the next one
}

// openUserTTY takes the user's terminal.
func openUserTTY(in, out *os.File) (*userTTY, error) {
	for _, f := range []struct {
		file *os.File
		name string
	}{{in, "standard input"}, {out, "standard output"}} {
		if f.file == nil || !term.IsTerminal(int(f.file.Fd())) {
			return nil, fault.New(fault.Env, "interact: there is no terminal to hand over: %s is none, as under cron, in CI or "+
				"behind a pipe", f.name)
		}
	}
	t, err := newUserTTY(int(in.Fd()), int(out.Fd()))
	if err != nil {
		return nil, fault.New(fault.Env, "interact: %w", err)
	}
	return t, nil
}

func newUserTTY(in, out int) (*userTTY, error) {
	t := &userTTY{in: in, out: out}
	if err := unix.Pipe(t.wake[:]); err != nil {
		return nil, err
	}
	unix.CloseOnExec(t.wake[0])
	unix.CloseOnExec(t.wake[1])
	unix.SetNonblock(t.wake[0], true)
	unix.SetNonblock(t.wake[1], true)
	return t, nil
}

func (t *userTTY) close() {
	unix.Close(t.wake[0])
	unix.Close(t.wake[1])
}

// raw makes every key come through as it is pressed. What cooked gives back is what the terminal had at the first time.
func (t *userTTY) raw() error {
	saved, err := term.MakeRaw(t.in)
	if err != nil {
		return fault.New(fault.Env, "interact: the terminal cannot be made raw: %w", err)
	}
	if t.saved == nil {
		t.saved = saved
	}
	return nil
}

// cooked gives the terminal the modes back that it had.
func (t *userTTY) cooked() {
	if t.saved != nil {
		term.Restore(t.in, t.saved)
		t.saved = nil
	}
}

// interrupt ends all waits, until rearm.
func (t *userTTY) interrupt() { unix.Write(t.wake[1], []byte{0}) }

func (t *userTTY) rearm() {
	var buf [16]byte
	for {
		if n, err := unix.Read(t.wake[0], buf[:]); n <= 0 || err != nil {
			return
		}
	}
}

// errWoken ends a wait that interrupt has ended; errQuiet one that nothing came to.
var (
	errWoken = errors.New("woken")
	errQuiet = errors.New("nothing came")
)

// ready waits until a descriptor can be read or written, for a time, 0 meaning any.
func (t *userTTY) ready(fd int, events int16, timeout time.Duration) error {
	fds := []unix.PollFd{{Fd: int32(fd), Events: events}, {Fd: int32(t.wake[0]), Events: unix.POLLIN}}
	ms := -1
	if timeout > 0 {
		ms = int(timeout / time.Millisecond)
	}
	for {
		n, err := unix.Poll(fds, ms)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return err
		case fds[1].Revents != 0:
			return errWoken
		case n == 0:
			return errQuiet
		case fds[0].Revents&events == 0:
			return os.ErrClosed
		default:
			return nil
		}
	}
}

// read returns what was typed, or errQuiet when nothing was for a time.
func (t *userTTY) read(buf []byte, timeout time.Duration) ([]byte, error) {
	if err := t.ready(t.in, unix.POLLIN, timeout); err != nil {
		return nil, err
	}
	n, err := unix.Read(t.in, buf)
	if err == syscall.EINTR || err == syscall.EAGAIN {
		return nil, nil
	}
	if n <= 0 {
		return nil, os.ErrClosed
	}
	return buf[:n], nil
}

// writePiece is how much is written to the terminal at a time: what it takes without blocking once it takes anything.
const writePiece = 128

// Write makes userTTY an io.Writer that interrupt stops. What it has not written then comes first in the next one.
func (t *userTTY) Write(p []byte) (int, error) {
	all := len(p)
	p = append(t.rest, p...)
	t.rest = nil
	for len(p) > 0 {
		if err := t.ready(t.out, unix.POLLOUT, 0); err != nil {
			if errors.Is(err, errWoken) {
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

// size returns the window's size, zeros if the terminal does not know it.
func (t *userTTY) size() (rows, cols int) {
	cols, rows, err := term.GetSize(t.out)
	if err != nil {
		return 0, 0
	}
	return rows, cols
}

// stopAt interrupts the terminal's waits when the context ends. Nothing is interrupted any more once stop has returned.
func (t *userTTY) stopAt(ctx context.Context) (stop func()) {
	done := make(chan struct{})
	unless := context.AfterFunc(ctx, func() {
		defer close(done)
		t.interrupt()
	})
	return func() {
		if !unless() {
			<-done
		}
	}
}
