package match

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"omniexpect/internal/clock"
	"omniexpect/internal/event"
)

// bells is a sink that counts the bells of an output: a toy of what else than text can be waited for.
type bells struct{ n atomic.Int64 }

func (b *bells) Take(e event.Event) {
	b.n.Add(int64(strings.Count(string(e.Body.(*event.Out).Data), "\a")))
}

func (b *bells) feed(t *testing.T, cfg Config) *feed {
	cfg.Log = &event.Log{}
	cfg.Log.Add(b, event.KindOut)
	return newFeed(t, cfg)
}

// rung returns a condition that holds once there were n bells.
func (b *bells) rung(n int64) func() bool { return func() bool { return b.n.Load() >= n } }

func TestUntil(t *testing.T) {
	for name, c := range map[string]struct {
		pats   []any
		writes []string
		want   Why
		before string
	}{
		"there already":             {nil, []string{"one\a two\a"}, Held, "one\a two\a"},
		"comes later":               {nil, []string{"one\a", " two", "\a."}, Held, "one\a two\a."},
		"a pattern comes before it": {[]any{"tw."}, []string{"one\a", " two"}, Matched, "one\a "},
		"it comes before a pattern": {[]any{"tw."}, []string{"\aone\a"}, Held, "\aone\a"},
		"neither comes":             {[]any{"never"}, []string{"one\a"}, AtEOF, "one\a"},
		"comes with the end":        {[]any{"never"}, []string{"\a\a"}, Held, "\a\a"},
	} {
		t.Run(name, func(t *testing.T) {
			var b bells
			f := b.feed(t, Config{})
			done := f.later(Want{Set: compile(t, false, c.pats...), Until: b.rung(2), Deadline: time.Now().Add(time.Minute)})
			for _, w := range c.writes {
				f.w.WriteString(w)
			}
			if strings.HasSuffix(name, "end") || c.want == AtEOF {
				f.w.Close()
				f.s.Exited()
			}
			r := <-done
			if r.Why != c.want || r.Before.String() != c.before[:r.Before.Len()] {
				t.Fatalf("got %v %q before %q", r.Why, r.Text, r.Before.String())
			}
			if r.Why != Held {
				return
			}
			if r := f.wait(Want{Set: compile(t, false, "(?s).+"), Once: true}); r.Why != Matched {
				t.Errorf("it has consumed text: %+v", r)
			}
		})
	}
}

// A condition does not hold a wait up: its deadline comes as ever, and what holds at that moment counts.
func TestUntilHasADeadline(t *testing.T) {
	noon := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	for n, want := range map[int64]Why{1: Held, 2: TimedOut} {
		var b bells
		v := clock.NewVirtual(noon)
		f := b.feed(t, Config{Clock: v})
		f.write("\a")
		hurry(t, v, func() {})
		r := f.wait(Want{Set: compile(t, false), Until: b.rung(n), Deadline: noon.Add(time.Hour)})
		if r.Why != want {
			t.Errorf("%d bells: got %v, want %v", n, r.Why, want)
		}
	}
}
