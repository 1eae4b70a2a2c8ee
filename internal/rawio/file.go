// Package rawio reads and writes descriptors that never block, and waits for them.
//
// Around an ordinary system call the Go runtime gets ready for one that takes long: it wakes the thread that watches for
// that, and after 20 µs gives the caller's processor to another thread, which the caller then has to wait for. Terminals
// and pipes in non-blocking mode answer within a few microseconds, but on a busy machine that happens all the time, and
// costs more than the call. The calls of this package do without.
//
// Go's poller has its price as well: of each piece of output it wakes a thread, which then looks for a goroutine to run
// and for other work. So a File is in the poller only while somebody waits for it there (WaitPolled, WriteAll). Who expects
// an answer soon sleeps in the system call instead (Await).
package rawio

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// File is a terminal or one end of a pipe.
type File struct {
	name   string
	closed atomic.Bool

	mu     sync.RWMutex // held for reading while what follows is used
	fd     int
	polled *os.File // the same descriptor, in Go's poller; nil while it is not there
	conn   syscall.RawConn
}

// Take makes a File of an open file, which it closes.
func Take(f *os.File) (*File, error) {
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return &File{name: f.Name(), fd: fd}, nil
}

// Read reads what is there, at most len(p) bytes, or fails with EAGAIN.
func (f *File) Read(p []byte) (n int, err error) {
	err = f.Control(func(fd int) error { n, err = read(fd, p); return err })
	return n, err
}

// Write writes what there is room for, or fails with EAGAIN.
func (f *File) Write(p []byte) (n int, err error) {
	err = f.Control(func(fd int) error { n, err = write(fd, p); return err })
	return n, err
}

// Await waits until one of the files has something to read, or to tell by a read, and reports whether one has. It sleeps in
// the system call, on the caller's thread. There are two files at most; those that are nil are left out.
func Await(patience time.Duration, files ...*File) bool {
	var fds [2]int
	n := 0
	for _, f := range files {
		if f == nil {
			continue
		}
		f.mu.RLock()
		defer f.mu.RUnlock()
		if f.closed.Load() {
			return true
		}
		fds[n] = f.fd
		n++
	}
	return await(fds[:n], patience)
}

// Control calls do with the descriptor, which it must not keep.
func (f *File) Control(do func(fd int) error) error {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.closed.Load() {
		return os.ErrClosed
	}
	return do(f.fd)
}

// Poll puts the file into Go's poller.
func (f *File) Poll() {
	f.mu.RLock()
	there := f.polled != nil
	f.mu.RUnlock()
	if there {
		return // WriteAll may be waiting there, with the lock
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.polled != nil || f.closed.Load() {
		return
	}
	f.polled = os.NewFile(uintptr(f.fd), f.name)
	f.conn, _ = f.polled.SyscallConn() // fails for no file only
}

// Unpoll removes the file from the poller and reports whether it succeeded. Only the goroutine that calls ReadPolled may call it.
func (f *File) Unpoll() bool {
	if !f.mu.TryLock() {
		return false // somebody waits in WriteAll
	}
	defer f.mu.Unlock()
	if f.polled == nil || f.closed.Load() {
		return f.polled == nil
	}
	// A descriptor leaves the poller when it is closed, and not before.
	fd, err := unix.FcntlInt(uintptr(f.fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return false
	}
	f.polled.Close()
	f.fd, f.polled, f.conn = fd, nil, nil
	return true
}

// ReadPolled reads like Read; if nothing is there and wait is set it waits in the poller for something.
func (f *File) ReadPolled(p []byte, wait bool) (n int, err error) {
	over := f.WaitPolled(func(fd int) bool {
		n, err = read(fd, p)
		return err != syscall.EAGAIN || !wait
	})
	if over != nil {
		return 0, over
	}
	return n, err
}

// WaitPolled calls try, with the file in the poller, whenever there may be news of it, until try returns true.
func (f *File) WaitPolled(try func(fd int) bool) error {
	f.mu.RLock()
	conn := f.conn
	f.mu.RUnlock()
	if conn == nil || f.closed.Load() {
		return os.ErrClosed
	}
	return conn.Read(func(fd uintptr) bool { return try(int(fd)) })
}

// WaitNews waits in the poller until there is something to read, or to be told by a read.
func (f *File) WaitNews() error {
	return f.WaitPolled(func(fd int) bool { return await([]int{fd}, 0) })
}

// SetReadDeadline ends a ReadPolled at a time with os.ErrDeadlineExceeded; the zero time sets no deadline.
func (f *File) SetReadDeadline(at time.Time) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.polled != nil {
		f.polled.SetReadDeadline(at)
	}
}

// WriteAll writes all of p before the timeout, 0 meaning none. The common case is one system call.
func (f *File) WriteAll(ctx context.Context, p []byte, timeout time.Duration) (int, error) {
	n, err := f.Write(p)
	if n == len(p) || err != nil && err != syscall.EAGAIN {
		return n, err
	}
	file, err := f.hold()
	if err != nil {
		return n, err
	}
	defer f.mu.RUnlock()
	if timeout > 0 {
		file.SetWriteDeadline(time.Now().Add(timeout))
	}
	stop := context.AfterFunc(ctx, func() { file.SetWriteDeadline(time.Unix(1, 0)) })
	more, err := file.Write(p[n:])
	if !stop() {
		return n + more, ctx.Err()
	}
	file.SetWriteDeadline(time.Time{})
	return n + more, err
}

// hold puts the file into the poller and takes the lock that keeps it there.
func (f *File) hold() (*os.File, error) {
	for {
		f.Poll()
		f.mu.RLock()
		if f.polled != nil && !f.closed.Load() {
			return f.polled, nil
		}
		f.mu.RUnlock()
		if f.closed.Load() {
			return nil, os.ErrClosed
		}
	}
}

// Close gives the descriptor back, once nobody uses it any more, and ends the waits.
func (f *File) Close() {
	if f.closed.Swap(true) {
		return
	}
	f.mu.RLock()
	if f.polled != nil {
		f.polled.SetDeadline(time.Unix(1, 0))
	}
	f.mu.RUnlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.polled != nil {
		f.polled.Close()
		return
	}
	unix.Close(f.fd)
}
