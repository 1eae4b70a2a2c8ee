package match

import (
	"context"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"omniexpect/internal/event"
)

// newLed returns a stream whose waits read themselves, at rest after one of them.
func newLed(t *testing.T) *feed {
	t.Helper()
	if !leading {
		t.Skip("for pipes")
	}
	f := newFeed(t, Config{Lead: new(sync.Mutex)})
	if !f.s.leads() {
		t.Skip("waits cannot read themselves on this system")
	}
	f.w.WriteString("start\n")
	f.expect(time.Minute, "start\n")
	return f
}

// reader returns who reads the stream now.
func (f *feed) reader() driver {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	return f.s.driver
}

// eventually waits until something holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within a minute", what)
		}
	}
}

// A program that writes while nobody waits is read all the same.
func TestNobodyWaits(t *testing.T) {
	f := newLed(t)
	f.w.(*os.File).SetWriteDeadline(time.Now().Add(time.Minute))
	if _, err := f.w.WriteString(strings.Repeat("more than a pipe holds\n", 1<<16)); err != nil {
		t.Fatal(err)
	}
	if r := f.reader(); r != drainer {
		t.Errorf("read by %d, want the drain", r)
	}
}

// Who asks for the output gets what was written by then.
func TestOutputAtRest(t *testing.T) {
	for name, last := range map[string]func(*Stream) string{
		"Unread": func(s *Stream) string { text, _ := s.Unread(false); return string(text) },
		"Output": func(s *Stream) string { text, _ := s.Output(true); return string(text[len("start\n"):]) },
		"Since":  func(s *Stream) string { text, _ := s.Since(int64(len("start\n"))); return string(text) },
		"End":    func(s *Stream) string { return strings.Repeat("x", int(s.End(false))-len("start\n")) },
	} {
		f := newLed(t)
		f.w.WriteString("xxx")
		if got := last(f.s); got != "xxx" {
			t.Errorf("%s: got %q, want xxx", name, got)
		}
	}
}

// Modes that a program has switched count from the moment on.
func TestModesAtRest(t *testing.T) {
	f := newLed(t)
	f.w.WriteString("\x1b[?2004h\x1b[?1h")
	if !f.s.BracketedPaste() || !f.s.ApplicationCursor() {
		t.Error("the modes are not known")
	}
}

// A wait that lasts leaves the reading, and the right to do it, to others.
func TestLongWaitIsLeftToTheDrain(t *testing.T) {
	f := newLed(t)
	done := f.later(Want{Set: compile(t, false, "late")})
	eventually(t, "the drain reads", func() bool { return f.reader() == drainer })
	if !f.s.cfg.Lead.TryLock() {
		t.Error("no other wait may read itself")
	} else {
		f.s.cfg.Lead.Unlock()
	}
	f.w.WriteString("late\n")
	if r := <-done; r.Why != Matched {
		t.Errorf("got %+v", r)
	}
	eventually(t, "the drain ends", func() bool { return f.reader() != drainer })
}

// Where one wait reads itself, another has its drain.
func TestOneLeads(t *testing.T) {
	f, g := newLed(t), newLed(t)
	g.s.cfg.Lead = f.s.cfg.Lead
	f.s.cfg.Lead.Lock()
	done := g.later(Want{Set: compile(t, false, "go")})
	eventually(t, "the drain reads", func() bool { return g.reader() == drainer })
	g.w.WriteString("go\n")
	if r := <-done; r.Why != Matched {
		t.Errorf("got %+v", r)
	}
	f.s.cfg.Lead.Unlock()
}

// Waits that find their text there already, one after the other, end the drain.
func TestDrainRetires(t *testing.T) {
	f := newLed(t)
	eventually(t, "the drain reads", func() bool { return f.reader() == drainer })
	f.n = f.s.End(true)
	eventually(t, "the drain ends", func() bool {
		if f.reader() == drainer {
			f.write("ab") // it has been read now
			f.expect(time.Minute, "a")
			f.expect(time.Minute, "b")
		}
		return f.reader() == nobody
	})
}

// An interrupt ends a wait that reads itself.
func TestInterruptWhileReading(t *testing.T) {
	f := newLed(t)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		_, err := f.s.Wait(ctx, Want{Set: compile(t, false, "never"), Here: true})
		done <- err
	}()
	eventually(t, "the wait reads", func() bool { return f.reader() != nobody })
	cancel()
	if err := <-done; err != context.Canceled {
		t.Errorf("got %v", err)
	}
	f.w.WriteString("never\n")
	if r := f.expect(time.Minute, "never"); r.Why != Matched {
		t.Errorf("got %+v", r)
	}
}

// Closing a stream ends a wait on it, whoever reads.
func TestCloseWhileReading(t *testing.T) {
	for range 20 {
		f := newLed(t)
		done := f.later(Want{Set: compile(t, false, "never")})
		eventually(t, "somebody waits", func() bool {
			f.s.mu.Lock()
			defer f.s.mu.Unlock()
			return f.s.waiter != nil
		})
		f.s.Close()
		if r := <-done; r.Why != AtEOF {
			t.Errorf("got %+v", r)
		}
	}
}

// What a stream has left after its end can be waited for, and leaves no goroutine behind.
func TestWaitAfterTheEnd(t *testing.T) {
	for _, end := range []func(f *feed){
		func(f *feed) { f.s.Close() },
		func(f *feed) { f.w.Close(); f.s.Exited(); f.expect(time.Minute, Pattern{Kind: EOF}) },
	} {
		f := newLed(t)
		f.w.WriteString("one two")
		f.expect(time.Minute, "one")
		peek := f.wait(Want{Set: compile(t, false, "two"), Peek: true})
		end(f)
		if r := f.wait(Want{Set: compile(t, false, "two"), Deadline: time.Now().Add(time.Minute)}); peek.Text != "two" || r.Why != Matched && r.Why != AtEOF {
			t.Errorf("got %+v", r)
		}
		f.s.mu.Lock()
		if f.s.gexp != nil {
			t.Error("goexpect is still there")
		}
		f.s.mu.Unlock()
	}
}

// A wait that comes while somebody only looks at the output has its clocks all the same.
func TestWaitWhileSomebodyLooks(t *testing.T) {
	f := newLed(t)
	f.s.mu.Lock()
	f.s.driver = direct // as refresh does
	f.s.mu.Unlock()
	done := f.later(Want{Set: compile(t, false, "never"), Deadline: time.Now().Add(50 * time.Millisecond)})
	eventually(t, "the wait sleeps", func() bool {
		f.s.mu.Lock()
		defer f.s.mu.Unlock()
		return f.s.waiter != nil && f.s.waiter.done != nil
	})
	f.s.mu.Lock()
	f.s.rest()
	f.s.mu.Unlock()
	select {
	case r := <-done:
		if r.Why != TimedOut {
			t.Errorf("got %+v", r)
		}
	case <-time.After(time.Minute):
		t.Fatal("the wait does not end")
	}
}

// onRead returns a log that calls f when something was read, on the reading goroutine.
func onRead(f func()) *event.Log {
	log := &event.Log{}
	log.Add(event.Func(func(event.Event) { f() }), event.KindOut)
	return log
}

// A program that never stops writing does not put a deadline off, also where reading takes long.
func TestDeadlineInAFlood(t *testing.T) {
	var reads atomic.Int32
	f := newFeed(t, Config{Log: onRead(func() {
		reads.Add(1)
		time.Sleep(50 * time.Millisecond)
	})})
	over := make(chan struct{})
	go func() {
		defer close(over)
		for _, err := f.w.WriteString("0"); err == nil; {
			_, err = f.w.WriteString(strings.Repeat("flood\n", 1000))
		}
	}()
	eventually(t, "it floods", func() bool { return reads.Load() > 0 })
	reads.Store(0)
	if r := f.wait(Want{Set: compile(t, false, "never"), Once: true}); r.Why != TimedOut {
		t.Errorf("got %+v", r)
	}
	if n := reads.Load(); n > 5 {
		t.Errorf("%d reads of 50ms, want no more after 100ms", n)
	}
	f.w.Close()
	<-over
}
