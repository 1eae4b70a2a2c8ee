// Package rawio reads and writes descriptors that never block.
//
// Around an ordinary system call the Go runtime gets ready for one that takes long: it wakes the thread that watches for
// that, and after 20 µs gives the caller's processor to another thread, which the caller then has to wait for. Terminals
// and pipes in non-blocking mode answer within a few microseconds, but on a busy machine that happens all the time, and
// costs more than the call. These calls do without. A descriptor that can block must not be used with them.
package rawio

import (
	"syscall"
	"unsafe"
)

// Read reads what is there, at most len(p) bytes, or fails with EAGAIN.
func Read(fd uintptr, p []byte) (int, error) { return call(syscall.SYS_READ, fd, p) }

// Write writes what there is room for, or fails with EAGAIN.
func Write(fd uintptr, p []byte) (int, error) { return call(syscall.SYS_WRITE, fd, p) }

func call(number, fd uintptr, p []byte) (int, error) {
	n, _, errno := syscall.RawSyscall(number, fd, uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)))
	if errno != 0 {
		return -1, errno
	}
	return int(n), nil
}
