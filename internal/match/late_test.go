package match

import (
	"testing"
	"time"
)

// TestLateReader has a reader that comes long after the program has ended, as on a busy machine: what is there by then
// is output, although nothing had come for so long.
func TestLateReader(t *testing.T) {
	for range 10 {
		f := newFeed(t, Config{})
		f.write("first\n")
		past := time.Now().Add(-time.Minute)
		f.s.mu.Lock()
		f.s.wake() // the reader goes on, as far as the lock
		f.s.exited, f.s.exitAt, f.s.lastData = true, past, past
		f.w.WriteString("last\n")
		f.s.mu.Unlock()
		r, err := f.s.Wait(t.Context(), Want{Set: compile(t, false, "last"), Deadline: time.Now().Add(time.Minute)})
		if err != nil || r.Why != Matched {
			t.Fatalf("%v, %v, want the last words", r.Why, err)
		}
		r, err = f.s.Wait(t.Context(), Want{Set: compile(t, false, "more"), Deadline: time.Now().Add(time.Minute)})
		if err != nil || r.Why != AtEOF {
			t.Fatalf("%v, %v, want the end", r.Why, err)
		}
	}
}
