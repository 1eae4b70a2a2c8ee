package session

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// keepInherited keeps from children what this process inherited besides standard input, output and error: a descriptor
// of the shell that started it, or a lock or a pipe of a program that waits for its end. Files that are opened here are
// kept from children anyway.
func keepInherited() {
	if closeOnExec() {
		return
	}
	list, err := os.ReadDir("/dev/fd")
	if err != nil {
		return
	}
	for _, e := range list {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			unix.FcntlInt(uintptr(fd), unix.F_SETFD, unix.FD_CLOEXEC) // one that is closed by now needs none
		}
	}
}
