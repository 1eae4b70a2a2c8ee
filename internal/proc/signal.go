package proc

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// rereadEvery is how often the process table is read for an exit that nothing else reports.
const rereadEvery = 5 * time.Millisecond

// CatchIgnored makes sure that no child inherits an ignored signal: what this process ignores since it was started (under
// nohup, or in the background of a shell) it catches and drops from now on, and a child gets the default.
func CatchIgnored() {
	for sig := syscall.Signal(1); sig < 32; sig++ {
		if sig != syscall.SIGKILL && sig != syscall.SIGSTOP && signal.Ignored(sig) {
			signal.Notify(make(chan os.Signal, 1), sig)
		}
	}
}

// same reads a process again. The error is errGone unless it still lives, as the same process and, if a marker is given,
// with that marker.
func same(p Process, marker string) (entry, error) {
	e, err := scanOne(p.PID)
	if err == nil && (e.dead || e.Start != p.Start || marker != "" && !hasMarker(&e, marker)) {
		err = errGone
	}
	return e, err
}

// plainSignal reads a process again and then signals its process id.
func plainSignal(p Process, marker string, signal syscall.Signal) {
	if p.Start == unknownStart {
		if syscall.Kill(-p.PGID, signal) != nil {
			syscall.Kill(p.PID, signal)
		}
		return
	}
	e, err := same(p, marker)
	if err != nil {
		return
	}
	syscall.Kill(p.PID, signal)
	if wakes(signal, e) {
		syscall.Kill(p.PID, syscall.SIGCONT)
	}
}

// wakes reports whether a signal must be followed by SIGCONT: a stopped process acts on none but SIGKILL.
func wakes(signal syscall.Signal, e entry) bool {
	return e.stopped && (signal == syscall.SIGHUP || signal == syscall.SIGTERM)
}

// rereadExit waits for the end of a process by reading it again and again. It reports whether the process has ended.
func rereadExit(ctx context.Context, p Process, deadline time.Time) bool {
	tick := time.NewTicker(rereadEvery)
	defer tick.Stop()
	for {
		if p.Start == unknownStart {
			if syscall.Kill(p.PID, 0) == syscall.ESRCH {
				return true
			}
		} else if _, err := same(p, ""); err == errGone {
			return true
		}
		if !time.Now().Before(deadline) {
			return false
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
}
