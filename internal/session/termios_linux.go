package session

import "golang.org/x/sys/unix"

const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETS
	noChar     = 0 // of a key that the terminal does not have
)
