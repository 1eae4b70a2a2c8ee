package session

import "golang.org/x/sys/unix"

const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
	noChar     = 0xff // of a key that the terminal does not have
)
