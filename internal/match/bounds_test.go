package match

import (
	"context"
	"fmt"
	"omniexpect/internal/event"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// counted is a stream that counts what goexpect is asked, and how much text it is shown for that.
func counted(t *testing.T, cfg Config) (f *feed, passes, shown *atomic.Int64) {
	passes, shown = new(atomic.Int64), new(atomic.Int64)
	cfg.Log = &event.Log{}
	cfg.Log.Add(event.Func(func(e event.Event) {
		passes.Add(1)
		if try := e.Body.(*event.Try); try.Verdict != event.Absent {
			shown.Add(try.To - try.From)
		}
	}), event.KindTry)
	return newFeed(t, cfg), passes, shown
}

// later waits in the background.
func (f *feed) later(w Want) chan Result {
	w.Here = true
	done := make(chan Result, 1)
	go func() {
		r, err := f.s.Wait(context.Background(), w)
		if err != nil {
			f.t.Error(err)
		}
		done <- r
	}()
	return done
}

func TestWorkGrowsWithTheOutput(t *testing.T) {
	once(t)
	for _, tt := range []struct{ name, expr, line, last string }{
		{"unbounded with its literal early", `(?s)BEGIN.*END`, "some line\n", "END"},
		{"no literal at all", `(?s)[b-d]+.[x-z]{3}`, "aaaaaaaa\n", "bcd\nxyz"},
		{"a line that never ends", `key=.*;`, "key=value ", ";"},
		{"anchored lines", `(?m)^end of it$`, "the end of it is near\n", "\nend of it\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, passes, shown := counted(t, Config{})
			if tt.name == "unbounded with its literal early" {
				f.write("BEGIN")
			}
			done := f.later(Want{Set: compile(t, false, tt.expr)})
			total := 0
			for total < 300<<10 {
				f.write(strings.Repeat(tt.line, 50))
				total += 50 * len(tt.line)
			}
			for range 300 {
				f.write(tt.line[:1])
			}
			f.write(tt.last)
			select {
			case r := <-done:
				if r.Why != Matched {
					t.Fatalf("got %v", r.Why)
				}
			case <-time.After(time.Minute):
				t.Fatal("no match")
			}
			// A window above 32 KB is shown again when it has grown by an eighth, or when nothing comes for as long as
			// the pass before took: a constant factor. All of it at each write would be 400 times as much.
			if n := shown.Load(); n > 60*int64(total) {
				t.Errorf("%d passes showed %d bytes of %d", passes.Load(), n, total)
			}
		})
	}
}

func TestDroppedWhileWaiting(t *testing.T) {
	f := newFeed(t, Config{Limit: 64 << 10, History: 64 << 10})
	done := f.later(Want{Set: compile(t, false, `(?s)BEGIN.*END`, "SECOND-(.)")})
	f.write("BEGIN")
	f.write(strings.Repeat("0123456789abcde\n", 20<<10/4))
	f.write("END SECOND-x tail")
	r := <-done
	if r.Index != 1 || r.Groups[0] != "x" || r.Lost == 0 || r.Before.Len() > 64<<10+matchBuffer {
		t.Fatalf("index %d %q lost %d before %d", r.Index, r.Text, r.Lost, r.Before.Len())
	}
	if r := f.expect(time.Minute, "tail"); r.Before.String() != " " || r.Lost != 0 {
		t.Fatalf("got %+v", r)
	}
}

func TestFullBeatsNothingThatIsThere(t *testing.T) {
	f := newFeed(t, Config{Limit: 64 << 10, History: 64 << 10})
	f.write(strings.Repeat("x", 70<<10) + "HERE")
	if r := f.expect(time.Minute, "HERE", Pattern{Kind: Full}); r.Index != 0 || r.Lost == 0 {
		t.Fatalf("%v, index %d, lost %d", r.Why, r.Index, r.Lost)
	}
}

func TestAnchorsInNarrowWindows(t *testing.T) {
	f := newFeed(t, Config{})
	filler := strings.Repeat("word ", 20<<10) + "\n" + strings.Repeat("another line\n", 8<<10)
	for _, tt := range []struct{ expr, text string }{
		{`\bend\b.`, "bend ends xend the end."},
		{`(?m)^end.`, "the end.\nbend.\nend."},
		{`(?m)at$\n`, "at it\nhat\n"},
		{`\Bnd!`, "nd! !nd! end!"},
		{`[^d]end!`, "dend! aend!"},
	} {
		f.write(filler + tt.text)
		// What goexpect finds when it sees everything from the beginning of unread text.
		_, before, want, _, ok := canonical(tt.text, []string{tt.expr})
		if !ok {
			t.Fatalf("%s is not in %q", tt.expr, tt.text)
		}
		r := f.expect(time.Minute, tt.expr)
		if r.Text != want || !strings.HasSuffix(r.Before.String(), before) || r.Before.Len() < len(filler) {
			t.Errorf("%s: %q after …%q, want %q after …%q", tt.expr, r.Text, r.Before.String()[max(0, r.Before.Len()-20):], want, before)
		}
		f.wait(Want{Set: compile(t, false, `\z`), Once: true})
	}
	f.write("\nsecond")
	if r := f.expect(0, `\Asecond`); r.Why != TimedOut {
		t.Errorf("\\A in the middle of unread text: %+v", r)
	}
	if r := f.expect(time.Minute, `^\n?second`); r.Why != Matched {
		t.Errorf("^ at the beginning of unread text: %+v", r)
	}
}

func TestAlwaysManyMatches(t *testing.T) {
	f := newFeed(t, Config{})
	var served atomic.Int64
	cancel := f.s.Always(compile(t, false, `key (\d+);`), func(Result) { served.Add(1) })
	defer cancel()
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "press key %d; ", i)
	}
	done := f.later(Want{Set: compile(t, false, "all done")})
	f.write(b.String() + "all done")
	if r := <-done; r.Why != Matched || r.Before.Len() != b.Len() {
		t.Fatalf("%v with %d bytes before", r.Why, r.Before.Len())
	}
	if n := served.Load(); n != 5000 {
		t.Errorf("served %d times", n)
	}
}

func TestOnceWithAProgramThatNeverStops(t *testing.T) {
	f := newFeed(t, Config{Limit: 256 << 10, History: 256 << 10})
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		line := []byte(strings.Repeat("y\n", 8<<10))
		for {
			select {
			case <-stop:
				return
			default:
				f.w.Write(line)
			}
		}
	}()
	for range 20 {
		if r := f.wait(Want{Set: compile(t, false, "never"), Once: true}); r.Why != TimedOut {
			t.Errorf("got %v", r.Why)
		}
	}
	close(stop)
	f.s.Close()
	f.w.Close()
	f.s.cfg.Source.(interface{ Close() }).Close() // frees a writer that waits for room
	<-stopped
}

func TestWaitsAfterTheEnd(t *testing.T) {
	f := newFeed(t, Config{})
	f.write("one two three")
	f.w.Close()
	f.s.Exited()
	for _, w := range []string{"one", "two", "three"} {
		if r := f.expect(time.Minute, w); r.Why != Matched {
			t.Fatalf("%s: %+v", w, r)
		}
	}
	for range 3 {
		if r := f.expect(time.Minute, "four"); r.Why != AtEOF || r.Before.String() != "" {
			t.Fatalf("got %+v", r)
		}
	}
	f.s.Close()
	if r := f.expect(time.Minute, "four"); r.Why != AtEOF {
		t.Fatalf("after Close: %+v", r)
	}
	if all, _ := f.s.Output(false); string(all) != "one two three" {
		t.Fatalf("kept %q", all)
	}
}

func TestSettleWaitsUntilTheMatchStopsGrowing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFeed(t, Config{})
		done := f.later(Want{Set: compile(t, false, `n=(\d+)`), Settle: time.Second})
		for i := range 8 {
			f.write(fmt.Sprint(i))
			if i == 0 {
				f.write("n=")
			}
			time.Sleep(900 * time.Millisecond)
		}
		f.write(" ")
		if r := <-done; r.Groups[0] != "1234567" || r.Elapsed < 7*900*time.Millisecond {
			t.Fatalf("got %+v", r)
		}
		f.w.Close()
		f.s.Exited()
		if r := f.wait(Want{Set: compile(t, false, ` *$`), Settle: time.Hour}); r.Why != Matched || r.Elapsed > time.Second {
			t.Fatalf("the end settles everything: %+v", r)
		}
	})
}

func TestIdleIsAfterTheLastOutput(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFeed(t, Config{})
		began := time.Now()
		done := f.later(Want{Set: compile(t, false, "never"), Idle: time.Minute, Deadline: time.Now().Add(time.Hour)})
		time.Sleep(50 * time.Second)
		f.write("x")
		if r := <-done; r.Why != WentIdle || r.Before.String() != "x" || r.At.Sub(began).Round(time.Second) != 110*time.Second {
			t.Fatalf("got %+v", r)
		}
	})
}

func TestTerminalThatIsOpenedAnew(t *testing.T) {
	master, name := openTerminal(t)
	s := newStream(t, Config{Source: take(t, master), Rows: 24, Cols: 80, HangupOnly: true})
	f := &feed{t: t, s: s}
	defer s.Close()
	for i := range 3 {
		tty, err := os.OpenFile(name, os.O_RDWR|oNoCTTY, 0)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(tty, "time %d\n", i)
		if r := f.expect(time.Minute, fmt.Sprintf("time %d\n", i)); r.Why != Matched {
			t.Fatalf("got %+v", r)
		}
		tty.Close()
	}
	s.Exited()
	if r := f.expect(time.Minute, "more", Pattern{Kind: EOF}); r.Why != AtEOF || r.Before.String() != "" {
		t.Fatalf("got %+v", r)
	}
}

// TestLastWordsOnATerminalOpenedAnew has a program that let go of its terminal open it once more just before it ends.
func TestLastWordsOnATerminalOpenedAnew(t *testing.T) {
	for i := range 20 {
		master, name := openTerminal(t)
		s := newStream(t, Config{Source: take(t, master), Rows: 24, Cols: 80})
		write := func(text string) {
			tty, err := os.OpenFile(name, os.O_RDWR|oNoCTTY, 0)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprint(tty, text)
			tty.Close()
		}
		write("first")
		for !s.HungUp() {
			s.End(false)
		}
		write("last")
		s.Exited()
		f := &feed{t: t, s: s}
		if r := f.expect(time.Minute, "last", Pattern{Kind: EOF}); r.Why != Matched {
			t.Errorf("%d: got %+v", i, r)
		}
		s.Close()
	}
}
