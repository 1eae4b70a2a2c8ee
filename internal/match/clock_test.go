package match

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"omniexpect/internal/clock"
)

// hurry moves a clock on whenever a timer is set, until the test is over. Within a bubble, settled is synctest.Wait: a
// timer is seen to before the next one runs out.
func hurry(t *testing.T, v *clock.Virtual, settled func()) {
	over, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for {
			settled()
			n, more := v.Waiting()
			if n > 0 {
				v.Jump()
				continue
			}
			select {
			case <-more:
			case <-over:
				return
			}
		}
	}()
	t.Cleanup(func() { close(over); <-gone })
}

// Waits that would take hours are over at once by a clock that is moved.
func TestWaitsGoByTheClock(t *testing.T) {
	noon := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		want Want
		why  Why
	}{
		"deadline": {Want{Set: compile(t, false, "never"), Deadline: noon.Add(5 * time.Hour)}, TimedOut},
		"idle":     {Want{Set: compile(t, false, "never"), Idle: 5 * time.Hour}, WentIdle},
		"settle":   {Want{Set: compile(t, false, "never|x+"), Settle: 5 * time.Hour}, Matched},
	} {
		t.Run(name, func(t *testing.T) {
			v := clock.NewVirtual(noon)
			f := newFeed(t, Config{Clock: v})
			f.write("xx")
			hurry(t, v, func() {})
			c.want.Here = true
			r, err := f.s.Wait(context.Background(), c.want)
			if err != nil || r.Why != c.why {
				t.Fatalf("got %+v, %v", r, err)
			}
			if r.Elapsed < 5*time.Hour || r.Elapsed > 6*time.Hour || r.At.Before(noon.Add(5*time.Hour)) {
				t.Errorf("took %s, until %s", r.Elapsed, r.At)
			}
		})
	}
}

// A reader that comes late finds the deadline over and the idle clock too: what ran out first counts.
func TestTheFirstOfTwoClocks(t *testing.T) {
	noon := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	for idle, want := range map[time.Duration]Why{3 * time.Hour: WentIdle, 5 * time.Hour: TimedOut} {
		bubble(t, func(t *testing.T) {
			v := clock.NewVirtual(noon)
			f := newFeed(t, Config{Clock: v})
			f.write("tick")
			done := f.later(Want{Set: compile(t, false, "never"), Idle: idle, Deadline: noon.Add(4 * time.Hour)})
			synctest.Wait()
			v.Advance(10 * time.Hour)
			if r := <-done; r.Why != want {
				t.Errorf("idle %s: got %v, want %v", idle, r.Why, want)
			}
		})
	}
}
