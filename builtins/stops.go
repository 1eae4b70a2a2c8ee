package builtins

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"omniexpect/internal/usertty"
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
				usertty.StopProcess()
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
