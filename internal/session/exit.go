package session

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"omniexpect/internal/event"
)

// Status is how a program ended.
type Status struct {
	Code   int            // the exit status; -1 if a signal ended it
	Signal syscall.Signal // the signal that ended it; 0 if none did

	Unknown bool // it is not known: the session has no Process, and its output has ended
}

// OK reports whether the program ended with status 0.
func (s Status) OK() bool { return s.Code == 0 && s.Signal == 0 }

// String describes how the program ended in words.
func (s Status) String() string {
	if s.Unknown {
		return "closed the connection"
	}
	if s.Signal != 0 {
		return fmt.Sprintf("killed by signal %d (%s)", int(s.Signal), s.Signal)
	}
	return fmt.Sprintf("exited with status %d", s.Code)
}

// Sentence returns how the program ended as the end of a sentence about it.
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

// exited passes on how the program ended.
func (s *Session) exited(st Status) {
	if !s.Log.Wants(event.KindExit) {
		return
	}
	ended := &event.Exit{Session: s.Name, Code: st.Code}
	if st.Signal != 0 {
		ended.Signal = unix.SignalName(st.Signal)
	}
	s.emit(ended)
}

// Status returns how the program ended, and whether it did. A session without a Process has ended once its output has.
func (s *Session) Status() (Status, bool) {
	if s.process != nil {
		return s.process.Status()
	}
	select {
	case <-s.over:
		return Status{Code: -1, Unknown: true}, true
	default:
		return Status{}, false
	}
}

// Exit is closed when the program has ended, or the output where there is no Process.
func (s *Session) Exit() <-chan struct{} {
	if s.process != nil {
		return s.process.Exit()
	}
	return s.over
}

// Wait returns the status as soon as the program has ended.
func (s *Session) Wait(ctx context.Context) (Status, error) {
	if st, over := s.Status(); over {
		return st, nil
	}
	if s.program != nil {
		s.program.lead(s.Lead)
		if st, over := s.Status(); over {
			return st, nil
		}
	}
	select {
	case <-s.Exit():
		st, _ := s.Status()
		return st, nil
	case <-ctx.Done():
		return Status{}, ctx.Err()
	}
}
