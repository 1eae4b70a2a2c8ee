package rawio

import (
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// CanAwait reports whether Await works on this system.
const CanAwait = true

func read(fd int, p []byte) (int, error)  { return call(syscall.SYS_READ, fd, p) }
func write(fd int, p []byte) (int, error) { return call(syscall.SYS_WRITE, fd, p) }

func call(number uintptr, fd int, p []byte) (int, error) {
	for {
		n, _, errno := syscall.RawSyscall(number, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)))
		switch errno {
		case 0:
			return int(n), nil
		case syscall.EINTR:
		default:
			return 0, errno
		}
	}
}

func await(fds []int, patience time.Duration) bool {
	var list [2]unix.PollFd
	for i, fd := range fds {
		list[i] = unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
	}
	for until := time.Now().Add(patience); ; patience = time.Until(until) {
		t := unix.NsecToTimespec(int64(max(patience, 0)))
		n, err := unix.Ppoll(list[:len(fds)], &t, nil)
		if err != syscall.EINTR { // a signal is not news
			return n > 0
		}
	}
}
