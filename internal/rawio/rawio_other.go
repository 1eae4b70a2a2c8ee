//go:build !linux

package rawio

import (
	"syscall"
	"time"
)

// CanAwait reports whether Await works on this system: elsewhere than on Linux, poll does not know all terminals.
const CanAwait = false

func read(fd int, p []byte) (int, error)  { return retry(syscall.Read, fd, p) }
func write(fd int, p []byte) (int, error) { return retry(syscall.Write, fd, p) }

func retry(call func(int, []byte) (int, error), fd int, p []byte) (int, error) {
	for {
		n, err := call(fd, p)
		if err != syscall.EINTR {
			return max(n, 0), err
		}
	}
}

func await([]int, time.Duration) bool { return false }
