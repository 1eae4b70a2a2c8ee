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
func (p *program) control(f func(fd int) error) error {
	if p.tty == "" {
		return os.ErrInvalid
	}
	return p.File.Control(f)
}

func (p *program) termios() *unix.Termios {
	var t *unix.Termios
	if p.control(func(fd int) (err error) { t, err = unix.IoctlGetTermios(fd, getTermios); return err }) != nil {
		return nil
	}
	return t
}

// Modes reports whether the terminal repeats what is typed, and whether it collects lines before the program gets them.
func (p *program) Modes() (echo, lines bool) {
	t := p.termios()
	return t != nil && t.Lflag&unix.ECHO != 0, t != nil && t.Lflag&unix.ICANON != 0
}

// Resize gives the terminal another size; the program gets a SIGWINCH.
func (p *program) Resize(rows, cols int) error {
	return p.control(func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(rows), Col: uint16(cols)})
	})
}

// foreground returns the terminal's foreground process group, or 0.
func (p *program) foreground() int {
	pgrp := 0
	p.control(func(fd int) (err error) { pgrp, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP); return err })
	return pgrp
}

// LineKeys are the keys of a terminal that collects lines, 0 for one that it does not have.
type LineKeys struct {
	Kill  byte   // takes the line back
	Quote byte   // has the next one taken as it is
	End   byte   // ends a line
	EOF   byte   // ends the input
	Other []byte // printable characters that are keys as well
}

// ctrlD is the key that ends the input where a terminal does not tell.
const ctrlD = 0x04

// LineKeys returns the terminal's keys.
func (p *program) LineKeys() LineKeys {
	t := p.termios()
	if t == nil {
		return LineKeys{End: '\n', EOF: ctrlD}
	}
	keys := LineKeys{Kill: keyOf(t, unix.VKILL), End: '\n', EOF: keyOf(t, unix.VEOF)}
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

// Modes reports whether the terminal repeats what is typed, and whether it collects lines before the program gets them.
func (s *Session) Modes() (echo, lines bool) {
	if s.term == nil {
		return false, false
	}
	return s.term.Modes()
}

// canonical reports whether the terminal collects lines before the program gets them.
func (s *Session) canonical() bool {
	_, lines := s.Modes()
	return lines
}

// LineKeys returns the terminal's keys.
func (s *Session) LineKeys() LineKeys {
	if s.term == nil {
		return LineKeys{End: '\n'}
	}
	return s.term.LineKeys()
}

// Resize gives the terminal another size.
func (s *Session) Resize(rows, cols int) error {
	if s.term == nil {
		return s.noTerminal()
	}
	if s.Ended() || s.term.Resize(rows, cols) != nil {
		return fault.New(fault.EOF, "resize %s: the terminal is gone", s.Name)
	}
	s.Rows, s.Cols = rows, cols
	s.Out.Resize(rows, cols)
	if s.Log.Wants(event.KindResize) {
		s.emit(&event.Resize{Session: s.Name, Rows: rows, Cols: cols})
	}
	return nil
}
