package builtins

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// takeStops has SIGTSTP, which stops a job, wait until the user's terminal is given back, from the first interact on. The
// system's own answer to it never comes back once a Go program has asked for the signal, so it is given here.
func (st *State) takeStops() {
	if st.stops != nil {
		return
	}
	st.stops = make(chan struct{}, 1)
	signals, quit, done := make(chan os.Signal, 1), make(chan struct{}), make(chan struct{})
	signal.Notify(signals, syscall.SIGTSTP)
	go func() {
		defer close(done)
		for {
			select {
			case <-quit:
				return
			case <-signals:
			}
			if st.attended.Load() == nil {
				stopHere()
				continue
			}
			select {
			case st.stops <- struct{}{}:
			default:
			}
		}
	}()
	st.AtEnd(func(context.Context) {
		signal.Stop(signals)
		close(quit)
		<-done
	})
}

// stopSoon is how long a stop may take to come. Where there is nobody who could let us go on, it never does.
const stopSoon = 200 * time.Millisecond

// stopHere stops us until somebody lets us go on, like SIGTSTP. A process is not stopped yet when it has sent itself the
// signal: another one of its threads may take it.
func stopHere() {
	back := make(chan os.Signal, 1)
	signal.Notify(back, syscall.SIGCONT)
	defer signal.Stop(back)
	syscall.Kill(os.Getpid(), syscall.SIGTTIN)
	select {
	case <-back:
	case <-time.After(stopSoon):
	}
}
