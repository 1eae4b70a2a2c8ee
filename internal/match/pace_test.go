package match

import (
	"runtime"
	"testing"
	"time"
)

// TestPace has a program answer, and says what the first read of the next wait is to do.
func TestPace(t *testing.T) {
	const us = time.Microsecond
	times := func(n int, d time.Duration) (list []time.Duration) {
		for range n {
			list = append(list, d)
		}
		return list
	}
	for _, c := range []struct {
		name    string
		answers []time.Duration // 0 for a try that brought nothing
		first   bool
		try     bool
		d       time.Duration
	}{
		{"at first it sleeps", nil, true, false, 0},
		{"what was there already is read", times(1, 3*us), true, true, 0},
		{"also in the middle of a wait", times(1, 3*us), false, true, 0},
		{"a few quick answers are not enough", times(inARow-1, 40*us), true, false, 0},
		{"quick answers are worth trying", times(inARow, 40*us), true, true, tryTimeout},
		{"but only at first", times(inARow, 40*us), false, false, 0},
		{"a slow one ends it", append(times(inARow, 40*us), soon), true, false, 0},
		{"one that was there ends it", append(times(inARow, 40*us), 3*us), true, true, 0},
		{"so does a vain try", append(times(inARow, 40*us), 0), true, false, 0},
	} {
		var p pace
		for _, d := range c.answers {
			if d == 0 {
				p.missed()
			} else {
				p.slept(d, true)
			}
		}
		want := c.d
		try := c.try
		if runtime.NumCPU() == 1 && want > 0 {
			try, want = false, 0 // who tries would be in the program's way
		}
		if got, d := p.tries(c.first); got != try || d != want {
			t.Errorf("%s: try %v for %v, want %v for %v", c.name, got, d, try, want)
		}
	}
}
