package match

import (
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestWaitDuringRefresh has a wait begin while somebody else takes in more output than the bound: it is searched before it
// is dropped.
func TestWaitDuringRefresh(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var s *Stream
	var once sync.Once
	found := make(chan Result, 1)
	s = New(Config{Source: take(t, r), Rows: 24, Cols: 80, Limit: 100, Lead: new(sync.Mutex), Log: onRead(func() {
		once.Do(func() { // the stream's lock is free now
			go func() {
				res, _ := s.Wait(t.Context(), Want{Set: compile(t, false, "needle"), Deadline: time.Now().Add(20 * time.Second)})
				found <- res
			}()
			for waits := false; !waits; time.Sleep(time.Millisecond) {
				s.mu.Lock()
				waits = s.waiter != nil
				s.mu.Unlock()
			}
		})
	})})
	defer s.Close()
	s.mu.Lock()
	w.WriteString("needle" + strings.Repeat(".", 3*matchBuffer))
	late := s.driver != nobody
	s.refresh()
	s.mu.Unlock()
	if late {
		t.Skip("the drain has taken over already")
	}
	if res := <-found; res.Why != Matched {
		t.Errorf("got %+v", res)
	}
}
