package clock

import (
	"slices"
	"sync"
	"time"
)

// Virtual is a clock that stands still until Advance or Jump moves it. It is safe for concurrent use.
type Virtual struct {
	mu     sync.Mutex
	now    time.Time
	timers []*virtualTimer // by the time at which they run out, then by the order in which they were set
	news   chan struct{}   // closed when a timer is set
}

type virtualTimer struct {
	clock *Virtual
	at    time.Time
	c     chan time.Time
	f     func()
}

// NewVirtual returns a clock that shows the given time.
func NewVirtual(start time.Time) *Virtual { return &Virtual{now: start, news: make(chan struct{})} }

// Now returns what the clock shows.
func (v *Virtual) Now() time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.now
}

// NewTimer returns a timer that sends once the clock has been moved by d.
func (v *Virtual) NewTimer(d time.Duration) Timer {
	t := &virtualTimer{clock: v, c: make(chan time.Time, 1)}
	v.set(t, d)
	return t
}

// AfterFunc calls f on a goroutine of its own once the clock has been moved by d.
func (v *Virtual) AfterFunc(d time.Duration, f func()) Timer {
	t := &virtualTimer{clock: v, f: f}
	v.set(t, d)
	return t
}

func (v *Virtual) set(t *virtualTimer, d time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	t.at = v.now.Add(d)
	if d <= 0 {
		t.fire(v.now)
		return
	}
	i, _ := slices.BinarySearchFunc(v.timers, t.at, func(o *virtualTimer, at time.Time) int {
		if o.at.After(at) {
			return 1
		}
		return -1 // behind those of the same time
	})
	v.timers = slices.Insert(v.timers, i, t)
	close(v.news)
	v.news = make(chan struct{})
}

func (t *virtualTimer) fire(now time.Time) {
	if t.f != nil {
		go t.f()
		return
	}
	select {
	case t.c <- now:
	default:
	}
}

// Advance moves the clock by d. What runs out on the way does so in order.
func (v *Virtual) Advance(d time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.moveTo(v.now.Add(d))
}

// Jump moves the clock to when the next timer runs out, and reports whether there was one.
func (v *Virtual) Jump() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.timers) == 0 {
		return false
	}
	v.moveTo(v.timers[0].at)
	return true
}

// moveTo fires the timers up to a time. The lock is held.
func (v *Virtual) moveTo(at time.Time) {
	for len(v.timers) > 0 && !v.timers[0].at.After(at) {
		t := v.timers[0]
		v.timers = v.timers[1:]
		v.now = t.at
		t.fire(v.now)
	}
	v.now = at
}

// Waiting returns how many timers are set, and a channel that is closed when one more is.
func (v *Virtual) Waiting() (n int, more <-chan struct{}) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.timers), v.news
}

// C returns where the time is sent.
func (t *virtualTimer) C() <-chan time.Time { return t.c }

// Stop reports whether the timer had still to run out.
func (t *virtualTimer) Stop() bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	i := slices.Index(t.clock.timers, t)
	if i >= 0 {
		t.clock.timers = slices.Delete(t.clock.timers, i, i+1)
	}
	return i >= 0
}

// Reset sets the timer anew.
func (t *virtualTimer) Reset(d time.Duration) bool {
	active := t.Stop()
	select { // as time.Timer does: nothing of before is received
	case <-t.c:
	default:
	}
	t.clock.set(t, d)
	return active
}
