package dsl_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"omniexpect/internal/clock"
	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
)

// TestPace makes sure that a computation hears of an interrupt and of a deadline, and keeps what it heard.
func TestPace(t *testing.T) {
	var none *dsl.Pace
	if none.Step(1<<30) != nil || none.Look() != nil || none.Over() != nil {
		t.Error("a nil pace ends something")
	}
	host := &dsl.Host{Clock: clock.System{}}
	ctx, cancel := context.WithCancelCause(t.Context())
	s := host.NewStrand(ctx, "main")
	defer s.Done()
	p := s.Pace()
	for range 100 {
		if err := p.Step(1000); err != nil {
			t.Fatal(err)
		}
	}
	why := errors.New("why")
	cancel(why)
	if err := p.Step(1 << 20); err != why || p.Over() != why || p.Step(1) != why {
		t.Errorf("interrupted: %v", err)
	}
	late := host.NewStrand(t.Context(), "late")
	defer late.Done()
	late.Deadline = time.Now().Add(-time.Second)
	if err := late.Pace().Look(); fault.KindOf(err) != fault.Timeout {
		t.Errorf("at the deadline: %v", err)
	}
}
