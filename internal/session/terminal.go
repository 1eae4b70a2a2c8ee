package session

import (
	"os"

	"golang.org/x/sys/unix"

	"omniexpect/internal/event"
	"omniexpect/internal/fault"
)

// setModes sets the modes that a terminal has when its program starts.
func setModes(tty *os.File, noEcho, raw bool) error {
	if !noEcho && !raw {
		return nil
	}
	fd := int(tty.Fd())
	t, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return err
	}
	if noEcho {
		t.Lflag &^= unix.ECHO
	}
	if raw {
		t.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
		t.Oflag &^= unix.OPOST
		t.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
		t.Cflag = t.Cflag&^(unix.CSIZE|unix.PARENB) | unix.CS8
	}
	return unix.IoctlSetTermios(fd, setTermios, t)
}

// control runs f on the terminal's descriptor, if there is one.
func (s *Session) control(f func(fd int) error) error {
	if s.Pipes {
		return fault.New(fault.Usage, "session %s has no terminal: it was spawned with pty=False", s.Name)
	}
	return s.out.Control(f)
}

func (s *Session) termios() *unix.Termios {
	var t *unix.Termios
	if s.control(func(fd int) (err error) { t, err = unix.IoctlGetTermios(fd, getTermios); return err }) != nil {
		return nil
	}
	return t
}

// canonical reports whether the terminal collects lines before the program gets them.
func (s *Session) canonical() bool {
	t := s.termios()
	return t != nil && t.Lflag&unix.ICANON != 0
}

// Modes reports whether the terminal repeats what is typed, and whether it collects lines before the program gets them.
func (s *Session) Modes() (echo, canonical bool) {
	t := s.termios()
	return t != nil && t.Lflag&unix.ECHO != 0, t != nil && t.Lflag&unix.ICANON != 0
}

// eofChar returns the terminal's end-of-file character, and whether it has one; Ctrl-D, as most have it, if it has none.
func (s *Session) eofChar() (char byte, ok bool) {
	const ctrlD = 0x04
	switch t := s.termios(); {
	case t == nil:
		return ctrlD, true
	case t.Cc[unix.VEOF] == noChar:
		return ctrlD, false
	default:
		return t.Cc[unix.VEOF], true
	}
}

// LineKeys are the keys of a terminal that collects lines, 0 for one that it does not have.
type LineKeys struct {
	Kill  byte   // takes the line back
	Quote byte   // has the next one taken as it is
	End   byte   // ends a line
	Other []byte // printable characters that are keys as well
}

// LineKeys returns the terminal's keys.
func (s *Session) LineKeys() LineKeys {
	t := s.termios()
	if t == nil {
		return LineKeys{End: '\n'}
	}
	keys := LineKeys{Kill: keyOf(t, unix.VKILL), End: '\n'}
	if t.Lflag&unix.IEXTEN != 0 {
		keys.Quote = keyOf(t, unix.VLNEXT)
	}
	if t.Iflag&unix.INLCR != 0 { // which would make no line end of it
		keys.End = '\r'
	}
	for _, i := range []int{unix.VINTR, unix.VQUIT, unix.VERASE, unix.VKILL, unix.VEOF, unix.VEOL, unix.VEOL2, unix.VSUSP, unix.VSTART,
		unix.VSTOP, unix.VLNEXT, unix.VREPRINT, unix.VWERASE, unix.VDISCARD} {
		if c := keyOf(t, i); c > ' ' || c == '\t' {
			keys.Other = append(keys.Other, c)
		}
	}
	return keys
}

func keyOf(t *unix.Termios, i int) byte {
	if t.Cc[i] == noChar {
		return 0
	}
	return t.Cc[i]
}

// foreground returns the terminal's foreground process group, or 0.
func (s *Session) foreground() int {
	pgrp := 0
	s.control(func(fd int) (err error) { pgrp, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP); return err })
	return pgrp
}

// InForeground reports whether the program itself, and no other that it started, is in the foreground of its terminal.
func (s *Session) InForeground() bool {
	pgrp := s.foreground()
	return pgrp <= 0 || pgrp == s.PID
}

// Resize gives the terminal another size; the program gets a SIGWINCH.
func (s *Session) Resize(rows, cols int) error {
	if !s.Pipes && s.Ended() {
		return fault.New(fault.EOF, "resize %s: the terminal is gone", s.Name)
	}
	err := s.control(func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(rows), Col: uint16(cols)})
	})
	if err != nil {
		if _, typed := err.(*fault.Error); typed {
			return err
		}
		return fault.New(fault.EOF, "resize %s: the terminal is gone", s.Name)
	}
	s.Rows, s.Cols = rows, cols
	s.Out.Resize(rows, cols)
	if s.Log.Wants(event.KindResize) {
		s.emit(&event.Resize{Session: s.Name, Rows: rows, Cols: cols})
	}
	return nil
}
