package report

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// screen collects what is written.
type screen struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *screen) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.b.Reset()
	return s.b.String()
}

func TestProgressInAPipe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out screen
		r := New(&out, &out)
		for range 1000 {
			r.Progress("what comes at once", time.Now(), time.Time{})()
		}
		time.Sleep(5 * time.Second)
		done := r.Progress("x", time.Now(), time.Now().Add(time.Hour))
		time.Sleep(9 * time.Second)
		if got := out.take(); got != "" {
			t.Errorf("after 9 s: %q", got)
		}
		time.Sleep(2 * time.Second)
		if got := out.take(); got != "... waiting 10.0s for x (of 3600.0s)\n" {
			t.Errorf("after 11 s: %q", got)
		}
		time.Sleep(time.Hour)
		if n := strings.Count(out.take(), "\n"); n < 55 || n > 65 {
			t.Errorf("%d lines in an hour", n)
		}
		done()
		time.Sleep(time.Hour)
		if got := out.take(); got != "" {
			t.Errorf("after its end: %q", got)
		}
	})
}

func TestProgressOnATerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out screen
		r := New(&out, &out)
		r.TTY = true
		first := r.Progress("one", time.Now(), time.Time{})
		time.Sleep(500 * time.Millisecond)
		second := r.Progress("two", time.Now(), time.Time{})
		time.Sleep(600 * time.Millisecond)
		if got := out.take(); got != "\rwaiting 1.0s for one" {
			t.Errorf("got %q", got)
		}
		first()
		if got := out.take(); got != "\r\x1b[K" {
			t.Errorf("its end left %q", got)
		}
		time.Sleep(500 * time.Millisecond)
		if got := out.take(); got != "\rwaiting 1.0s for two" {
			t.Errorf("got %q", got)
		}
		second()
	})
}
