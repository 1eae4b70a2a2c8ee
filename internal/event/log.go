package event

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Sink takes events. Take is called in the order of emission, by one goroutine at a time, and must not block.
type Sink interface {
	Take(Event)
}

// Func makes a function a sink.
type Func func(Event)

// Take calls the function.
func (f Func) Take(e Event) { f(e) }

// Log passes what happens in one run on to its sinks. Its zero value has none. A nil log takes everything and does nothing.
type Log struct {
	Clock func() time.Duration // the time since the run began; real time since the first sink came, if nil

	wanted atomic.Uint32 // a bit for each kind that some sink takes
	calls  atomic.Uint64 // numbers for waits and calls

	mu    sync.Mutex
	seq   uint64
	began time.Time
	sinks []*taker
}

type taker struct {
	sink  Sink
	kinds uint32
}

// Wants reports whether some sink takes events of a kind. It costs one load: ask before you make the event.
func (l *Log) Wants(k Kind) bool { return l != nil && l.wanted.Load()&(1<<k) != 0 }

// Next returns a number for a wait or a call, which its beginning and its end both carry.
func (l *Log) Next() uint64 {
	if l == nil {
		return 0
	}
	return l.calls.Add(1)
}

// Emit passes on what happened. A body is made for one call of Emit, and belongs to the sinks from then on.
func (l *Log) Emit(strand string, pos Pos, b Body) {
	if !l.Wants(b.Kind()) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seq++
	e := Event{Seq: l.seq, At: l.now(), Strand: strand, Pos: pos, Body: b}
	bit := uint32(1) << b.Kind()
	for _, t := range l.sinks {
		if t.kinds&bit != 0 {
			t.sink.Take(e)
		}
	}
}

func (l *Log) now() time.Duration {
	if l.Clock != nil {
		return l.Clock()
	}
	return time.Since(l.began)
}

// Add has a sink take events of these kinds, or of all kinds if none is named, until remove is called. Once remove has
// returned, Take is not called any more. A sink must not add or remove sinks while it takes an event.
func (l *Log) Add(s Sink, of ...Kind) (remove func()) {
	t := &taker{sink: s, kinds: 1<<kinds - 1}
	if len(of) > 0 {
		t.kinds = 0
		for _, k := range of {
			t.kinds |= 1 << k
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.began.IsZero() {
		l.began = time.Now()
	}
	l.sinks = append(slices.Clone(l.sinks), t)
	l.tally()
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.sinks = slices.DeleteFunc(slices.Clone(l.sinks), func(o *taker) bool { return o == t })
		l.tally()
	}
}

// tally notes which kinds are wanted. The lock is held.
func (l *Log) tally() {
	var all uint32
	for _, t := range l.sinks {
		all |= t.kinds
	}
	l.wanted.Store(all)
}
