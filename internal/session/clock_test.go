package session

import (
	"bytes"
	"errors"
	"os"
	"testing"
	"time"

	"omniexpect/internal/clock"
	"omniexpect/internal/fault"
	"omniexpect/internal/proc"
)

// TestSendGoesByTheClock moves the clock on where a program does not read what it is sent, and where another sends.
func TestSendGoesByTheClock(t *testing.T) {
	noon := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	v := clock.NewVirtual(noon)
	s := start(t, "none", proc.KillTree, func(c *Config) { c.Pipes, c.Clock = true, v })
	if !s.Began.Equal(noon) {
		t.Errorf("began at %s", s.Began)
	}
	sent := make(chan error)
	send := func() {
		_, err := s.SendPart(t.Context(), bytes.Repeat([]byte("x\n"), 1<<20), 5*time.Hour, true)
		sent <- err
	}
	go send()
	for i := range 2 { // the pipe is full, and then the turn is taken
		n, more := v.Waiting()
		for n <= i {
			<-more
			n, more = v.Waiting()
		}
		if i == 0 {
			go send()
		}
	}
	v.Advance(5 * time.Hour)
	for range 2 {
		if err := <-sent; fault.KindOf(err) != fault.Timeout {
			t.Errorf("got %v, want a timeout", err)
		} else if errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%v has the kernel's word", err)
		}
	}
}
