package match

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"omniexpect/internal/clock"
)

func TestPushedReadsWhatWasWritten(t *testing.T) {
	p := NewPushed()
	b := make([]byte, 4)
	if _, err := p.Read(b); err != syscall.EAGAIN {
		t.Errorf("empty: %v, want EAGAIN", err)
	}
	p.Write([]byte("hello"))
	p.End()
	for _, want := range []string{"hell", "o", "", ""} {
		if n, err := p.ReadPolled(b, true); string(b[:n]) != want || err != nil {
			t.Errorf("got %q, %v, want %q", b[:n], err, want)
		}
	}
	if _, err := p.Write([]byte("x")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("written after the end: %v", err)
	}
}

// A deadline that is over ends a read that waits, also where there is something to read, until it is taken back.
func TestPushedIsInterrupted(t *testing.T) {
	p := NewPushed()
	done := make(chan error)
	go func() {
		_, err := p.ReadPolled(make([]byte, 1), true)
		done <- err
	}()
	p.SetReadDeadline(past())
	if err := <-done; err != os.ErrDeadlineExceeded {
		t.Error(err)
	}
	p.Write([]byte("x"))
	if n, err := p.ReadPolled(make([]byte, 1), false); n != 0 || err != os.ErrDeadlineExceeded {
		t.Error(n, err)
	}
	p.SetReadDeadline(time.Time{})
	if n, err := p.ReadPolled(make([]byte, 1), true); n != 1 || err != nil {
		t.Error(n, err)
	}
}

// A writer that is faster than the reader waits for it, and is freed when nobody reads any more.
func TestPushedHoldsAsMuchAsAPipe(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := NewPushed()
		all := make([]byte, 5*pushedRoom+17)
		rnd := rand.New(rand.NewPCG(1, 2))
		for i := range all {
			all[i] = byte(rnd.Uint32())
		}
		done := make(chan error, 1)
		go func() {
			_, err := io.Copy(p, bytes.NewReader(all))
			p.End()
			done <- err
		}()
		synctest.Wait()
		if held := len(p.buf); held != pushedRoom || cap(p.buf) > 4*pushedRoom {
			t.Errorf("holds %d bytes in %d", held, cap(p.buf))
		}
		var got []byte
		for b := make([]byte, 10000); ; {
			n, err := p.ReadPolled(b[:1+rnd.IntN(len(b))], true)
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				break
			}
			got = append(got, b[:n]...)
		}
		if err := <-done; err != nil || !bytes.Equal(got, all) {
			t.Errorf("%v, equal: %v", err, bytes.Equal(got, all))
		}
		p = NewPushed()
		go func() {
			n, err := p.Write(all)
			if n != pushedRoom {
				t.Errorf("wrote %d", n)
			}
			done <- err
		}()
		synctest.Wait()
		p.Close()
		if err := <-done; !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
	})
}

// A wait on what is pushed goes by the clock of its stream: here none of the hours passes.
func TestPushedUnderAVirtualClock(t *testing.T) {
	noon := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		want   Want
		why    Why
		after  time.Duration
		before string
	}{
		"deadline":            {Want{Set: compile(t, false, "never"), Deadline: noon.Add(2 * time.Hour)}, TimedOut, 2 * time.Hour, "tick tick tick"},
		"idle":                {Want{Set: compile(t, false, "never"), Idle: 90 * time.Minute}, WentIdle, 90 * time.Minute, "tick tick tick"},
		"settle":              {Want{Set: compile(t, false, "(?s)tick.*"), Settle: 3 * time.Hour}, Matched, 3 * time.Hour, ""},
		"matched at once":     {Want{Set: compile(t, false, "tick"), Deadline: noon.Add(time.Hour)}, Matched, 0, ""},
		"a deadline of noon":  {Want{Set: compile(t, false, "never"), Deadline: noon}, TimedOut, 0, "tick tick tick"},
		"idle, never, and so": {Want{Set: compile(t, false, "x"), Idle: 5 * time.Hour, Deadline: noon.Add(4 * time.Hour)}, TimedOut, 4 * time.Hour, "tick tick tick"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				v := clock.NewVirtual(noon)
				f := newFeed(t, Config{Clock: v})
				f.write(strings.TrimSpace(strings.Repeat("tick ", 3)))
				hurry(t, v, synctest.Wait)
				r := f.wait(c.want)
				if r.Why != c.why || r.Elapsed != c.after || r.Before.String() != c.before {
					t.Errorf("%v after %s, %q before", r.Why, r.Elapsed, r.Before.String())
				}
			})
		})
	}
}
