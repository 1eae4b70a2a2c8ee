package match

import (
	"testing"
	"time"
)

// TestLateReader has a reader that comes long after the program has ended, as on a busy machine: what is there by then
// is output, although nothing had come for so long.
func TestLateReader(t *testing.T) {
	for range 3 {
		f := newFeed(t, Config{})
		f.write("first\n")
		past := time.Now().Add(-time.Minute)
		f.s.mu.Lock()
		f.s.wake() // the reader goes on, as far as the lock
		f.s.exited, f.s.exitAt, f.s.lastData, f.s.emptyAt = true, past, past, past
		f.w.WriteString("last\n")
		f.s.mu.Unlock()
		r, err := f.s.Wait(t.Context(), Want{Set: compile(t, false, "last"), Deadline: time.Now().Add(time.Minute), Here: true})
		if err != nil || r.Why != Matched {
			t.Fatalf("%v, %v, want the last words", r.Why, err)
		}
		r, err = f.s.Wait(t.Context(), Want{Set: compile(t, false, "more"), Deadline: time.Now().Add(time.Minute), Here: true})
		if err != nil || r.Why != AtEOF {
			t.Fatalf("%v, %v, want the end", r.Why, err)
		}
	}
}

// TestLateIdle is the same for a wait that ends when nothing comes for some time.
func TestLateIdle(t *testing.T) {
	for range 10 {
		f := newFeed(t, Config{})
		done := make(chan Result, 1)
		go func() {
			r, _ := f.s.Wait(t.Context(), Want{Set: compile(t, false, "last"), Idle: time.Minute, Here: true})
			done <- r
		}()
		past := time.Now().Add(-time.Hour)
		for waits := false; !waits; {
			f.s.mu.Lock()
			if waits = f.s.waiter != nil; waits {
				f.s.wake()
				f.s.waiter.began, f.s.lastData = past, past
				f.w.WriteString("last\n")
			}
			f.s.mu.Unlock()
		}
		if r := <-done; r.Why != Matched {
			t.Fatalf("%v, want the output that came in time", r.Why)
		}
	}
}
