package session

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"omniexpect/internal/event"
	"omniexpect/internal/rawio"
)

// Status is how a program ended.
type Status struct {
	Code   int            // the exit status; -1 if a signal ended it
	Signal syscall.Signal // the signal that ended it; 0 if none did
}

// OK reports whether the program ended with status 0.
func (s Status) OK() bool { return s.Code == 0 && s.Signal == 0 }

// String says how the program ended in words.
func (s Status) String() string {
	if s.Signal != 0 {
		return fmt.Sprintf("killed by signal %d (%s)", int(s.Signal), s.Signal)
	}
	return fmt.Sprintf("exited with status %d", s.Code)
}

// Sentence says it as the end of a sentence about the program.
func (s Status) Sentence() string {
	if s.Signal != 0 {
		return "was " + s.String()
	}
	return "has " + s.String()
}

func statusOf(ws syscall.WaitStatus) Status {
	if ws.Signaled() {
		return Status{Code: -1, Signal: ws.Signal()}
	}
	return Status{Code: ws.ExitStatus()}
}

// lookAgain is how long a wait for the exit sleeps in the system call, before it leaves that to a goroutine.
const lookAgain = 20 * time.Millisecond

// watch sees to it that the exit is found out without anybody asking: who waits for output looks for it too, and once
// nobody does, or somebody needs to be told, a goroutine.
func (s *Session) watch() {
	if _, over := s.known(); over {
		return
	}
	s.watchOnce.Do(func() {
		if s.pidfd != nil {
			s.pidfd.Poll()
		}
		go s.await()
	})
}

// await waits for the exit: in Go's poller, or in a thread of its own where the system offers nothing better.
func (s *Session) await() {
	<-s.begun
	if s.pidfd == nil {
		for !s.reap(0) {
		}
		return
	}
	for !s.reap(syscall.WNOHANG) {
		if s.pidfd.WaitNews() != nil {
			rawio.Await(lookAgain, s.pidfd) // it cannot be polled
		}
	}
}

// reap looks whether the program has ended, and takes its status if so.
func (s *Session) reap(options int) bool {
	s.reapMu.Lock()
	defer s.reapMu.Unlock()
	if _, over := s.known(); over {
		return true
	}
	var ws syscall.WaitStatus
	pid, err := syscall.Wait4(s.PID, &ws, options, nil)
	if pid != s.PID && (err == nil || err == syscall.EINTR) {
		return false
	}
	s.status = statusOf(ws)
	if s.Log.Wants(event.KindExit) {
		ended := &event.Exit{Session: s.Name, Code: s.status.Code}
		if s.status.Signal != 0 {
			ended.Signal = unix.SignalName(s.status.Signal)
		}
		s.emit(ended)
	}
	close(s.exit)
	s.Out.Exited()
	if s.Err != nil {
		s.Err.Exited()
	}
	if s.pidfd != nil {
		s.pidfd.Close()
	}
	return true
}

// known returns how the program ended, as far as that was found out.
func (s *Session) known() (Status, bool) {
	select {
	case <-s.exit:
		return s.status, true
	default:
		return Status{}, false
	}
}

// Status returns how the program ended, and whether it did.
func (s *Session) Status() (Status, bool) {
	if s.pidfd != nil {
		s.reap(syscall.WNOHANG)
	}
	return s.known()
}

// Wait returns the status as soon as the program has ended.
func (s *Session) Wait(ctx context.Context) (Status, error) {
	if st, over := s.Status(); over {
		return st, nil
	}
	if s.pidfd != nil && s.Lead != nil && s.Lead.TryLock() {
		rawio.Await(lookAgain, s.pidfd)
		s.Lead.Unlock()
		if st, over := s.Status(); over {
			return st, nil
		}
	}
	select {
	case <-s.Exit():
		return s.status, nil
	case <-ctx.Done():
		return Status{}, ctx.Err()
	}
}

// Exit is closed when the program has ended.
func (s *Session) Exit() <-chan struct{} {
	s.watch()
	return s.exit
}
