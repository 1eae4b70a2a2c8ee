package match

import (
	"os"
	"strings"
	"testing"
	"time"
)

// TestOpenTailTakesWhatIsThere gives the kernel more than one read's worth at once: a pattern with an open tail that
// matches at the end of a read goes on in what has come already.
func TestOpenTailTakesWhatIsThere(t *testing.T) {
	for _, shift := range []int{1, 2, 3} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		w.WriteString(strings.Repeat("x", matchBuffer-len("DONE-")-shift) + "DONE-1234567\n")
		s := newStream(t, Config{Source: take(t, r), Rows: 24, Cols: 80})
		res, err := s.Wait(t.Context(), Want{Set: compile(t, false, `DONE-(\d+)`), Deadline: time.Now().Add(10 * time.Second), Here: true})
		if err != nil || res.Why != Matched || res.Groups[0] != "1234567" {
			t.Errorf("cut after %d digits: got %+v, %v", shift, res.Groups, err)
		}
		w.Close()
		s.Close()
	}
}

// TestOpenTailDoesNotWait has a match at the very end of what is there answered, although it might go on.
func TestOpenTailDoesNotWait(t *testing.T) {
	f := newFeed(t, Config{})
	f.write("x DONE-12")
	if r := f.expect(20*time.Second, `DONE-(\d+)`); r.Why != Matched || r.Groups[0] != "12" || r.Elapsed > 10*time.Second {
		t.Errorf("got %+v", r)
	}
}
