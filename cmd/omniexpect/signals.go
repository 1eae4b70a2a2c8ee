package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"omniexpect/internal/fault"
)

// signals turns signals into the end of a run: the first one cancels it, so that it cleans up; the second one cuts the
// clean-up short, which then kills instead of asking. More of them change nothing while that goes on; if it is not over after
// lastGrace, they end the process, with whatever it has started.
type signals struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	hurry  context.Context // ends at the second signal
	short  context.CancelCauseFunc
	ch     chan os.Signal
	quit   chan struct{}
	done   chan struct{}
	first  atomic.Int32
	ctrlC  atomic.Pointer[func()] // takes a SIGINT, while somebody sits at a prompt
	kill   atomic.Pointer[func()] // kills what the run has started, before the process ends in the middle of its clean-up
}

// newSignals returns signals that nobody listens to yet.
func newSignals() *signals {
	s := &signals{}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.hurry, s.short = context.WithCancelCause(context.Background())
	return s
}

// listen takes the signals over. It takes a tenth of what an empty script takes, so that a run which has nothing to clean
// up and cannot last does not ask for it.
func (s *signals) listen() {
	s.ch, s.quit, s.done = make(chan os.Signal, 4), make(chan struct{}), make(chan struct{})
	// SIGINT and SIGHUP that were ignored when we were started, as under nohup, stay without effect on us. Whether others
	// were, the runtime does not tell.
	for _, sig := range endings() {
		if !signal.Ignored(sig) {
			signal.Notify(s.ch, sig)
		}
	}
	go func() {
		defer close(s.done)
		s.serve()
	}()
}

// endings are the signals that end a run. SIGQUIT is a key of the terminal too: without us, the runtime would dump its stacks
// and clean nothing up. Batch systems announce with the last ones that a job's time is over: the runtime would drop them, and
// SIGKILL would follow.
func endings() []os.Signal {
	return []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT,
		syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM, syscall.SIGVTALRM, syscall.SIGXCPU, syscall.SIGXFSZ, syscall.SIGIO}
}

// lastGrace is how long the clean-up may take after the second signal before a further one ends the process.
const lastGrace = 5 * time.Second

// killTimeout is how long a process that ends in the middle of its clean-up looks for what it has to kill.
const killTimeout = 2 * time.Second

func (s *signals) serve() {
	var second time.Time
	var last <-chan time.Time
	for n := 1; ; n++ {
		var number syscall.Signal
		select {
		case sig := <-s.ch:
			number = sig.(syscall.Signal)
		case <-last:
			if kill := s.kill.Load(); kill != nil {
				(*kill)()
			}
			os.Exit(s.code())
		case <-s.quit:
			return
		}
		if f := s.ctrlC.Load(); f != nil && number == syscall.SIGINT {
			(*f)()
			n--
			continue
		}
		switch n {
		case 1:
			s.first.Store(int32(number))
			s.cancel(fault.New(fault.Interrupt, "interrupted by %s", name(number)))
		case 2:
			second = time.Now()
			s.short(fault.New(fault.Interrupt, "cut short by %s", name(number)))
		case 3:
			last = time.After(time.Until(second.Add(lastGrace)))
		}
	}
}

// divert makes a SIGINT call f instead of ending the run, until back is called.
func (s *signals) divert(f func()) (back func()) {
	old := s.ctrlC.Swap(&f)
	return func() { s.ctrlC.Store(old) }
}

// survivor is standard output or error. That it is closed is an error of a write, not a death without clean-up. Asking
// the runtime for that takes a tenth of what an empty script takes, so that a silent program does not ask.
type survivor struct {
	io.Writer
	once *sync.Once // one for both
}

func (w survivor) Write(p []byte) (int, error) {
	w.once.Do(func() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) })
	return w.Writer.Write(p)
}

func name(s syscall.Signal) string {
	switch s {
	case syscall.SIGINT:
		return "Ctrl-C (SIGINT)"
	case syscall.SIGTERM:
		return "SIGTERM"
	case syscall.SIGHUP:
		return "SIGHUP"
	case syscall.SIGQUIT:
		return `Ctrl-\ (SIGQUIT)`
	}
	return unix.SignalName(s)
}

// code is the exit status that the signal asks for, or 0 if there was none.
func (s *signals) code() int {
	if n := s.first.Load(); n != 0 {
		return 128 + int(n)
	}
	return 0
}

// stop ends the goroutine, if there is one. The process is about to end: the signals stay as they are, since changing
// them takes longer than an empty script.
func (s *signals) stop() {
	if s.quit != nil {
		close(s.quit)
		<-s.done
	}
	s.short(nil)
	s.cancel(nil)
}
