package proc

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// sendSignal signals a process through a pidfd, after a look that the pidfd is of the same process, and lets a stopped
// one go on so that it can act on a polite signal. Failures are not told: the next reading of the set shows them.
func sendSignal(p Process, marker string, signal syscall.Signal) {
	if p.Start == unknownStart {
		plainSignal(p, marker, signal)
		return
	}
	fd, err := unix.PidfdOpen(p.PID, 0)
	if errors.Is(err, unix.ESRCH) {
		return
	}
	if err != nil {
		plainSignal(p, marker, signal)
		return
	}
	e, err := same(p, marker)
	if err != nil && err != errGone { // which may be for want of the descriptor that this takes
		unix.Close(fd)
		plainSignal(p, marker, signal)
		return
	}
	defer unix.Close(fd)
	if err != nil {
		return
	}
	if err := unix.PidfdSendSignal(fd, signal, nil, 0); errors.Is(err, unix.ENOSYS) {
		plainSignal(p, marker, signal)
		return
	}
	if wakes(signal, e) {
		unix.PidfdSendSignal(fd, unix.SIGCONT, nil, 0)
	}
}

// awaitExit waits for the end of a process, on the runtime's poller and so without a thread of its own. It reports
// whether the process has ended.
func awaitExit(ctx context.Context, p Process, deadline time.Time) bool {
	if p.Start == unknownStart {
		return rereadExit(ctx, p, deadline)
	}
	fd, err := unix.PidfdOpen(p.PID, unix.PIDFD_NONBLOCK)
	if errors.Is(err, unix.ESRCH) {
		return true
	}
	if err != nil {
		return rereadExit(ctx, p, deadline)
	}
	f := os.NewFile(uintptr(fd), "pidfd")
	defer f.Close()
	if _, err := same(p, ""); err == errGone {
		return true
	} else if err != nil { // a wait must not take the last descriptor from readings
		f.Close()
		return rereadExit(ctx, p, deadline)
	}
	conn, err := f.SyscallConn()
	if err != nil || f.SetReadDeadline(deadline) != nil {
		return rereadExit(ctx, p, deadline)
	}
	stop := context.AfterFunc(ctx, func() { f.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	ended := false
	conn.Read(func(fd uintptr) bool {
		ended = readable(int(fd))
		return ended
	})
	return ended
}

// readable reports whether a pidfd's process has ended.
func readable(fd int) bool {
	set := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := unix.Poll(set, 0)
	return err == nil && n == 1
}
