package match

import (
	"bytes"
	"context"
	"testing"
	"time"
)

// TestAnswersWithoutTheReader stops the reader in the middle of a read. Text that came before is matched all the same.
func TestAnswersWithoutTheReader(t *testing.T) {
	reached, release := make(chan struct{}), make(chan struct{})
	f := newFeed(t, Config{Tap: func(p []byte) {
		if bytes.Contains(p, []byte("X")) {
			close(reached)
			<-release
		}
	}})
	f.expect(0, Pattern{Kind: Timeout}, "nothing")
	f.write("one two three ")
	if r := f.expect(10*time.Second, "one"); r.Text != "one" {
		t.Fatalf("got %+v", r)
	}
	f.w.WriteString("X")
	<-reached
	for _, want := range []string{"two", "three"} {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		r, err := f.s.Wait(ctx, Want{Set: compile(t, false, want)})
		if cancel(); err != nil || r.Why != Matched || r.Text != want {
			t.Errorf("%s: got %+v, %v", want, r, err)
		}
	}
	close(release)
	if r := f.expect(10*time.Second, "X"); r.Why != Matched || r.Before.String() != " " {
		t.Errorf("X: got %+v", r)
	}
}
