package report

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestProgress makes sure that a wait is named when it lasts, and that nobody is asked for its name before.
func TestProgress(t *testing.T) {
	for _, tty := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var errs strings.Builder
			r := New(&strings.Builder{}, &errs)
			r.TTY = tty
			asked := 0
			now := time.Now()
			done := r.Progress(func() string { asked++; return "rain" }, now, now.Add(time.Minute))
			first := 10 * time.Second
			want := "... waiting 10.0s for rain (of 60.0s)\n"
			if tty {
				first, want = time.Second, "\rwaiting 1.0s for rain (of 60.0s)"
			}
			time.Sleep(first - time.Millisecond)
			synctest.Wait()
			if asked != 0 || errs.Len() > 0 {
				t.Errorf("TTY %v: asked %d times and shown %q before the wait lasts", tty, asked, errs.String())
			}
			time.Sleep(time.Millisecond)
			synctest.Wait()
			if asked != 1 || errs.String() != want {
				t.Errorf("TTY %v: asked %d times and shown %q, want once and %q", tty, asked, errs.String(), want)
			}
			done()
			time.Sleep(time.Hour)
			synctest.Wait()
			if asked != 1 {
				t.Errorf("TTY %v: asked %d times, also after the wait was over", tty, asked)
			}
		})
	}
}
