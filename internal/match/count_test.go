package match

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// TestCharactersAreCountedOnce goes on counting behind what was there before, and from the beginning if that was dropped.
func TestCharactersAreCountedOnce(t *testing.T) {
	f := newFeed(t, Config{Limit: 4096})
	f.write(strings.Repeat("é", 10))
	q := newSearch(compile(t, false), 0, time.Now())
	q.want.Count = 25
	take := func(base int64) bool {
		f.s.mu.Lock()
		defer f.s.mu.Unlock()
		return f.s.take(q, &f.s.text, base, false)
	}
	if take(0) || q.counted != 10 || q.countTo != 20 {
		t.Fatalf("took %q, counted %d to %d", q.res.Text, q.counted, q.countTo)
	}
	f.write("ü")
	if take(2) || q.counted != 10 || q.countTo != 22 {
		t.Fatalf("text was dropped: took %q, counted %d to %d", q.res.Text, q.counted, q.countTo)
	}
	q.counted += 10 // what is behind is not looked at again
	f.write("abcdefgh")
	if !take(2) || q.res.Text != strings.Repeat("é", 9)+"üabcde" {
		t.Fatalf("took %q", q.res.Text)
	}
}

// TestCountOverDroppedText waits for as many characters as the buffer has bytes.
func TestCountOverDroppedText(t *testing.T) {
	f := newFeed(t, Config{Limit: 4096})
	done := f.later(Want{Set: compile(t, false), Count: 4096, Deadline: time.Now().Add(time.Minute)})
	f.write(strings.Repeat("é", 3000))
	f.write(strings.Repeat("x", 4096))
	if r := <-done; utf8.RuneCountInString(r.Text) != 4096 {
		t.Fatalf("got %d characters", utf8.RuneCountInString(r.Text))
	}
}
