package clock

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func TestVirtualTimersRunOutInOrder(t *testing.T) {
	v := NewVirtual(noon)
	late, early := v.NewTimer(time.Hour), v.NewTimer(time.Minute)
	if !v.Jump() {
		t.Fatal("no timer is set")
	}
	if got := <-early.C(); !got.Equal(noon.Add(time.Minute)) || !v.Now().Equal(got) {
		t.Errorf("the early timer ran out at %s, the clock shows %s", got, v.Now())
	}
	select {
	case <-late.C():
		t.Error("the late timer ran out as well")
	default:
	}
	v.Advance(2 * time.Hour)
	if got := <-late.C(); !got.Equal(noon.Add(time.Hour)) {
		t.Errorf("the late timer ran out at %s", got)
	}
	if !v.Now().Equal(noon.Add(time.Minute + 2*time.Hour)) {
		t.Errorf("the clock shows %s", v.Now())
	}
	if v.Jump() {
		t.Error("a timer is left")
	}
}

func TestVirtualTimerCanBeStoppedAndSetAnew(t *testing.T) {
	v := NewVirtual(noon)
	timer := v.NewTimer(time.Second)
	if !timer.Stop() || timer.Stop() {
		t.Error("Stop reports whether the timer had still to run out")
	}
	timer.Reset(time.Minute)
	v.Advance(time.Second)
	select {
	case <-timer.C():
		t.Error("ran out at the time of before")
	default:
	}
	v.Advance(time.Hour)
	if timer.Reset(time.Minute) {
		t.Error("it had run out")
	}
	select {
	case <-timer.C():
		t.Error("the time of before is received")
	default:
	}
}

func TestContextEndsByTheClock(t *testing.T) {
	for _, c := range []Clock{System{}, NewVirtual(noon)} {
		ctx, cancel := WithTimeout(t.Context(), c, 50*time.Millisecond)
		if v, ok := c.(*Virtual); ok {
			v.Jump()
		}
		<-ctx.Done()
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			t.Errorf("%T: %v", c, ctx.Err())
		}
		if at, ok := ctx.Deadline(); !ok || at.IsZero() {
			t.Errorf("%T: no deadline", c)
		}
		cancel()
		ctx, cancel = WithTimeout(t.Context(), c, time.Hour)
		cancel()
		if !errors.Is(ctx.Err(), context.Canceled) {
			t.Errorf("%T: %v", c, ctx.Err())
		}
	}
}

func TestSleepIsWokenByClockAndContext(t *testing.T) {
	v := NewVirtual(noon)
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := Sleep(t.Context(), v, time.Hour); err != nil {
			t.Error(err)
		}
	})
	n, more := v.Waiting()
	for n == 0 {
		<-more
		n, more = v.Waiting()
	}
	v.Jump()
	wg.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Sleep(ctx, v, time.Hour); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
