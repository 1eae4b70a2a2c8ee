package main

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"omniexpect/internal/fault"
)

// signals turns signals into the end of a run: the first one cancels it, so that it cleans up; the second one cuts the
// clean-up short; the third one ends the process at once.
type signals struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	hurry  context.Context // ends at the second signal
	ch     chan os.Signal
	done   chan struct{}
	first  atomic.Int32
}

func listen() *signals {
	s := &signals{ch: make(chan os.Signal, 4), done: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	var hurry context.CancelFunc
	s.hurry, hurry = context.WithCancel(context.Background())
	// What was ignored when we were started, as under nohup, stays without effect on us.
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(sig) {
			signal.Notify(s.ch, sig)
		}
	}
	// A closed standard output is an error of print, not a death without clean-up.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	go func() {
		defer close(s.done)
		defer hurry()
		n := 0
		for sig := range s.ch {
			number := sig.(syscall.Signal)
			switch n++; n {
			case 1:
				s.first.Store(int32(number))
				s.cancel(fault.New(fault.Interrupt, "interrupted by %s", name(number)))
			case 2:
				hurry()
			default:
				os.Exit(128 + int(number))
			}
		}
	}()
	return s
}

func name(s syscall.Signal) string {
	switch s {
	case syscall.SIGINT:
		return "Ctrl-C (SIGINT)"
	case syscall.SIGTERM:
		return "SIGTERM"
	case syscall.SIGHUP:
		return "SIGHUP"
	}
	return s.String()
}

// code is the exit status that the signal asks for, or 0 if there was none.
func (s *signals) code() int {
	if n := s.first.Load(); n != 0 {
		return 128 + int(n)
	}
	return 0
}

func (s *signals) stop() {
	signal.Stop(s.ch)
	close(s.ch)
	<-s.done
	s.cancel(nil)
}
