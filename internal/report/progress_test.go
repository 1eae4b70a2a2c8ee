package report_test

import (
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"omniexpect/internal/event"
	"omniexpect/internal/report"
)

// written is a text that another goroutine writes.
type written struct {
	mu   sync.Mutex
	text strings.Builder
}

func (w *written) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *written) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// counted describes a wait, and counts how often it is asked to.
type counted struct{ asked *atomic.Int32 }

func (c counted) Patterns() []string { return nil }

func (c counted) String() string {
	c.asked.Add(1)
	return "rain"
}

// TestProgress makes sure that a wait is named when it lasts, and that nobody is asked for its name before.
func TestProgress(t *testing.T) {
	for _, tty := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var errs written
			r := report.New(io.Discard, &errs)
			r.TTY = tty
			var asked atomic.Int32
			now := time.Now()
			var log event.Log
			r.Listen(&log)
			defer r.Close()
			log.Emit("main", event.Pos{}, &event.Wait{ID: 7, What: counted{&asked}, Began: now, Deadline: now.Add(time.Minute)})
			first := 10 * time.Second
			want := "... waiting 10.0s for rain (of 60.0s)\n"
			if tty {
				first, want = time.Second, "\rwaiting 1.0s for rain (of 60.0s)"
			}
			time.Sleep(first - time.Millisecond)
			synctest.Wait()
			if asked.Load() != 0 || errs.String() != "" {
				t.Errorf("TTY %v: asked %d times and shown %q before the wait lasts", tty, asked.Load(), errs.String())
			}
			time.Sleep(time.Millisecond)
			synctest.Wait()
			if asked.Load() != 1 || errs.String() != want {
				t.Errorf("TTY %v: asked %d times and shown %q, want once and %q", tty, asked.Load(), errs.String(), want)
			}
			log.Emit("main", event.Pos{}, &event.Got{ID: 7})
			time.Sleep(time.Hour)
			synctest.Wait()
			if asked.Load() != 1 {
				t.Errorf("TTY %v: asked %d times, also after the wait was over", tty, asked.Load())
			}
		})
	}
}
