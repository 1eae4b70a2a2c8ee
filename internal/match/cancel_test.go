package match

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// A cancelled wait consumes nothing, whatever moment of its search it is cancelled in, and the next one works.
func TestCancelAtAnyMoment(t *testing.T) {
	f := newFeed(t, Config{})
	rnd := rand.New(rand.NewPCG(1, 1))
	set := compile(t, false, `<(\d+)>`)
	for i := range 3000 {
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		var early Result
		go func() {
			var err error
			early, err = f.s.Wait(ctx, Want{Set: set, Here: true})
			done <- err
		}()
		f.w.WriteString(fmt.Sprintf("<%d>", i))
		for end := time.Now().Add(time.Duration(rnd.IntN(40)) * time.Microsecond); time.Now().Before(end); {
		}
		cancel()
		err := <-done
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		r := early
		if err != nil {
			r = f.expect(time.Minute, `<(\d+)>`)
		}
		if r.Why != Matched || r.Groups[0] != fmt.Sprint(i) || r.Before.String() != "" {
			t.Fatalf("round %d (cancelled: %v): %+v", i, err, r)
		}
	}
}

func TestAlwaysEndsAtOnce(t *testing.T) {
	f := newFeed(t, Config{})
	for i := range 1000 {
		over := false // guarded by the stream's lock
		stop := f.s.Always(compile(t, false, "x+y"), func(Result) {
			if over {
				t.Errorf("round %d: served after its end", i)
			}
		})
		f.w.WriteString("xxy")
		stop()
		f.s.mu.Lock()
		over = true
		f.s.mu.Unlock()
	}
}
