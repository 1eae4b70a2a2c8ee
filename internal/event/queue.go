package event

import (
	"slices"
	"sync"
	"time"
)

// Queue stands before a sink that may be slow. Its goroutine calls the sink, so that emitters never wait for it.
//
//	          Take                        run                  Close(grace)
//	open   →  keeps the event, or counts  passes events on  →  closed
//	closed →  drops it                    passes on the rest, until the grace is over
//
// More than max bytes of waiting output are not kept. What came instead of them is counted, and a Gap with the sums stands
// where they are missing. Events that are no output are always kept: they are few and small.
type Queue struct {
	sink Sink
	max  int // bytes of output that may wait; 0 is no bound

	mu     sync.Mutex
	more   sync.Cond
	queue  []Event
	bytes  int // of output in queue
	lost   Gap
	taken  int // events that were passed on, of all that were kept
	kept   int
	closed bool
	done   chan struct{}
}

// NewQueue starts the goroutine. Close ends it.
func NewQueue(s Sink, max int) *Queue {
	q := &Queue{sink: s, max: max, done: make(chan struct{})}
	q.more.L = &q.mu
	go q.run()
	return q
}

// Take keeps an event for the sink.
func (q *Queue) Take(e Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	if out, ok := e.Body.(*Out); ok {
		if q.max > 0 && q.bytes+len(out.Data) > q.max {
			q.lost.Events++
			q.lost.Bytes += int64(len(out.Data))
			return
		}
		q.bytes += len(out.Data)
		kept := *out
		kept.Data = slices.Clone(out.Data)
		e.Body = &kept
	}
	q.tellLost(e)
	q.keep(e)
}

// keep puts an event at the end of the queue. The lock is held.
func (q *Queue) keep(e Event) {
	q.queue = append(q.queue, e)
	q.kept++
	q.more.Broadcast()
}

// tellLost puts what was lost before an event into the queue.
func (q *Queue) tellLost(before Event) {
	if q.lost.Events == 0 {
		return
	}
	lost := q.lost
	q.lost = Gap{}
	q.keep(Event{Seq: before.Seq, At: before.At, Body: &lost})
}

func (q *Queue) run() {
	defer close(q.done)
	for {
		q.mu.Lock()
		for len(q.queue) == 0 && !q.closed {
			q.more.Wait()
		}
		batch := q.queue
		q.queue, q.bytes = nil, 0
		over := q.closed
		q.mu.Unlock()
		for _, e := range batch {
			q.sink.Take(e)
		}
		q.mu.Lock()
		q.taken += len(batch)
		q.more.Broadcast()
		q.mu.Unlock()
		if over && len(batch) == 0 {
			return
		}
	}
}

// Flush waits until the sink has taken what was kept so far.
func (q *Queue) Flush() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for n := q.kept; q.taken < n; {
		q.more.Wait()
	}
}

// Close passes on what waits and ends the goroutine. It reports whether that was done before the grace was over, if there is
// one; a sink that hangs in a write is left to its own end.
func (q *Queue) Close(grace time.Duration) (done bool) {
	q.mu.Lock()
	if !q.closed {
		q.tellLost(Event{})
		q.closed = true
		q.more.Broadcast()
	}
	q.mu.Unlock()
	if grace == 0 {
		<-q.done
		return true
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-q.done:
		return true
	case <-timer.C:
		return false
	}
}
