package match

import (
	"runtime"
	"time"
)

// pace is how soon a program has answered lately. A wait that reads the terminal itself takes from it how to do that.
//
// To be put to sleep and woken again takes some ten microseconds, and more where the processor had nothing else to do. A
// wait for a program that answers sooner than that tries again and again instead, for a short while.
type pace struct {
	atOnce bool // the last output was there already
	quick  int  // how many came soon, one after the other
}

const (
	// already is how long waiting takes at most for output that was there before.
	already = 10 * time.Microsecond
	// soon is how long a program may take to answer for its answers to be waited for without sleeping, if to be woken is
	// part of that; tryTimeout is how long that is done.
	soon       = 150 * time.Microsecond
	tryTimeout = 80 * time.Microsecond
	// inARow is how many answers have to come soon before that. So a program that has got slower, or has no processor to
	// run on meanwhile, costs little: one vain try in so many waits.
	inARow = 8
)

// tries reports whether reading is to be tried before sleeping, and for how long. first is the first read of a wait: only
// that one is for an answer, while output that keeps coming is had cheaper in larger pieces.
func (p *pace) tries(first bool) (try bool, d time.Duration) {
	if first && p.quick >= inARow && runtime.NumCPU() > 1 {
		return true, tryTimeout
	}
	return p.atOnce, 0
}

// slept takes how long output kept a sleeping wait waiting.
func (p *pace) slept(d time.Duration, first bool) {
	p.atOnce = d < already
	switch {
	case !first:
	case p.atOnce || d >= soon:
		p.quick = 0
	default:
		p.quick++
	}
}

// missed notes that trying has brought nothing.
func (p *pace) missed() { *p = pace{} }
