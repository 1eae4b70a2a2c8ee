package repl

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

// tty reads from a descriptor only when the system says that it would not block, so that a wait ends with its context and
// leaves no goroutine behind, and nothing is read that belongs to somebody else.
type tty struct {
	in   *os.File
	wake [2]int // a pipe: a byte in it ends every wait
}

func newTTY(in *os.File) (*tty, error) {
	t := &tty{in: in}
	if err := unix.Pipe(t.wake[:]); err != nil {
		return nil, err
	}
	for _, fd := range t.wake {
		unix.CloseOnExec(fd)
		unix.SetNonblock(fd, true)
	}
	return t, nil
}

func (t *tty) close() {
	unix.Close(t.wake[0])
	unix.Close(t.wake[1])
}

// errQuiet is the error of a read to which nothing came in time.
var errQuiet = errors.New("nothing came")

// read returns what comes next, waiting for a time, 0 meaning any.
func (t *tty) read(ctx context.Context, buf []byte, timeout time.Duration) (int, error) {
	stop := context.AfterFunc(ctx, t.interrupt)
	defer stop()
	ms := -1
	if timeout > 0 {
		ms = int(timeout / time.Millisecond)
	}
	fd := int(t.in.Fd())
	for {
		if ctx.Err() != nil {
			t.rearm()
			return 0, context.Cause(ctx)
		}
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}, {Fd: int32(t.wake[0]), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, ms)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return 0, err
		case fds[1].Revents != 0:
			t.rearm()
			continue
		case n == 0:
			return 0, errQuiet
		}
		n, err = unix.Read(fd, buf)
		switch {
		case err == syscall.EINTR || err == syscall.EAGAIN:
			continue
		case err == syscall.EIO: // the terminal is gone
			return 0, io.EOF
		case err != nil:
			return 0, err
		case n <= 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

// pending says whether there is something to read.
func (t *tty) pending() bool {
	fds := []unix.PollFd{{Fd: int32(t.in.Fd()), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n == 1 && fds[0].Revents&unix.POLLIN != 0
}

// interrupt ends the wait that is under way.
func (t *tty) interrupt() { unix.Write(t.wake[1], []byte{0}) }

func (t *tty) rearm() {
	var buf [16]byte
	for {
		if n, err := unix.Read(t.wake[0], buf[:]); n <= 0 || err != nil {
			return
		}
	}
}

// modes are those of a terminal before we changed them.
type modes struct{ own *unix.Termios }

// raw makes every key come through as it is pressed.
func (m *modes) raw(fd int) error {
	now, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return err
	}
	if m.own == nil || now.Lflag&unix.ECHO != 0 { // somebody else has set them, as a shell does when it continues a job
		m.own = now
	}
	_, err = term.MakeRaw(fd)
	return err
}

// quiet gives the terminal its own modes but for the echo: what is typed while a statement runs would stand in the middle
// of its output, and the next prompt shows it.
func (m *modes) quiet(fd int) {
	if m.own != nil {
		without := *m.own
		without.Lflag &^= unix.ECHO
		unix.IoctlSetTermios(fd, setTermios, &without)
	}
}

// restore gives the terminal its own modes back.
func (m *modes) restore(fd int) {
	if m.own != nil {
		unix.IoctlSetTermios(fd, setTermios, m.own)
		m.own = nil
	}
}
