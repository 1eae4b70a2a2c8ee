package usertty

import (
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// Modes returns the modes of a terminal.
func Modes(fd int) (*unix.Termios, error) { return unix.IoctlGetTermios(fd, getTermios) }

// Raw makes every key come through as it is pressed. Restore brings the modes back that the terminal had before the first
// time, or that somebody else has given it since, as a shell does when it continues a job.
func (t *TTY) Raw() error {
	now, err := Modes(t.in)
	if err != nil {
		return err
	}
	if t.own == nil || now.Lflag&unix.ECHO != 0 {
		t.own = now
	}
	_, err = term.MakeRaw(t.in)
	return err
}

// Quiet gives the terminal its own modes back but for the echo: what is typed while a statement runs would stand in the
// middle of its output, and the next prompt shows it.
func (t *TTY) Quiet() {
	if t.own != nil {
		without := *t.own
		without.Lflag &^= unix.ECHO
		unix.IoctlSetTermios(t.in, setTermios, &without)
	}
}

// Signals makes Ctrl-C a signal again in a terminal that is raw.
func (t *TTY) Signals() {
	if mode, err := Modes(t.in); err == nil {
		mode.Lflag |= unix.ISIG
		unix.IoctlSetTermios(t.in, setTermios, mode)
	}
}

// Restore gives the terminal its own modes back.
func (t *TTY) Restore() {
	if t.own != nil {
		unix.IoctlSetTermios(t.in, setTermios, t.own)
		t.own = nil
	}
}

// WithoutEcho switches the echo of a terminal off, until back is called.
func WithoutEcho(fd int) (back func(), err error) {
	own, err := Modes(fd)
	if err != nil {
		return nil, err
	}
	silent := *own
	silent.Lflag &^= unix.ECHO
	if err := unix.IoctlSetTermios(fd, setTermios, &silent); err != nil {
		return nil, err
	}
	return func() { unix.IoctlSetTermios(fd, setTermios, own) }, nil
}
