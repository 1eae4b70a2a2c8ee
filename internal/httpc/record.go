package httpc

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"omniexpect/internal/clock"
)

// Bounds of what a stream or a server keeps, in bytes with an allowance for each item. What is older is dropped and
// counted, and a reader that misses something because of it gets an error.
const (
	KeepBytes = 128 << 20
	keepRaw   = 4 << 20
)

// record is what came, in order, and the place up to which it has been read. Many goroutines may add, wait and read.
type record[T any] struct {
	mu      sync.Mutex
	items   []kept[T]
	bytes   int
	bound   int // of bytes; 0 is KeepBytes
	dropped int // items that are gone; the index of items[0] in all that came
	clock   clock.Clock
	cursor  int // index of the next item to be read
	end     error
	changed chan struct{} // closed at the next change, if anybody waits
}

type kept[T any] struct {
	item T
	size int
}

// add appends what make returns for the item's index.
func (r *record[T]) add(size int, make func(index int) T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.items = append(r.items, kept[T]{make(r.dropped + len(r.items)), size})
	r.bytes += size
	for len(r.items) > 1 && r.bytes > cmp.Or(r.bound, KeepBytes) {
		r.bytes -= r.items[0].size
		r.items[0] = kept[T]{}
		r.items = r.items[1:]
		r.dropped++
	}
	r.wake()
}

// finish records that nothing more will come, and why. The first reason counts.
func (r *record[T]) finish(why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.end == nil {
		r.end = why
	}
	r.wake()
}

// reason returns why nothing more will come, or nil.
func (r *record[T]) reason() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.end
}

func (r *record[T]) wake() {
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

// wait returns a channel that is closed at the next change. The caller holds the lock.
func (r *record[T]) wait() <-chan struct{} {
	if r.changed == nil {
		r.changed = make(chan struct{})
	}
	return r.changed
}

// all returns what is kept and the number of items dropped before it.
func (r *record[T]) all() ([]T, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	items := make([]T, len(r.items))
	for i, k := range r.items {
		items[i] = k.item
	}
	return items, r.dropped
}

// count returns the number of all items that came.
func (r *record[T]) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dropped + len(r.items)
}

// update changes an item, if it is still kept.
func (r *record[T]) update(index int, change func(*T)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := index - r.dropped; i >= 0 && i < len(r.items) {
		change(&r.items[i].item)
	}
}

// errWaited is what next returns when its time is over.
var errWaited = context.DeadlineExceeded

// missed is what next returns when so many items were dropped before they were read.
type missed int

func (n missed) Error() string { return fmt.Sprintf("%d unread ones were dropped", int(n)) }

// next returns the first unread item that accept takes, and marks it and all before it as read. A wait that fails reads
// nothing, but for one that finds items missing: the next one goes on behind the gap. A timeout of 0 tries once, Forever
// never ends. skipped are the unread items that accept refused.
func (r *record[T]) next(ctx context.Context, timeout time.Duration, accept func(T) bool) (item T, skipped int, err error) {
	var over <-chan time.Time
	if timeout > 0 {
		timer := clock.Or(r.clock).NewTimer(timeout)
		defer timer.Stop()
		over = timer.C()
	}
	seen := 0 // items before this index have been refused
	for {
		r.mu.Lock()
		if gap := r.dropped - r.cursor; gap > 0 {
			r.cursor = r.dropped
			r.mu.Unlock()
			return item, 0, missed(gap)
		}
		from, unread := max(seen, r.cursor), r.cursor
		found := slices.IndexFunc(r.items[from-r.dropped:], func(k kept[T]) bool { return accept(k.item) })
		if found >= 0 {
			r.cursor = from + found + 1
			item = r.items[from-r.dropped+found].item
			r.mu.Unlock()
			return item, from + found - unread, nil
		}
		seen = r.dropped + len(r.items)
		skipped, end, changed := seen-unread, r.end, r.wait()
		r.mu.Unlock()
		if end != nil {
			return item, skipped, end
		}
		if ctx.Err() != nil {
			return item, skipped, context.Cause(ctx)
		}
		if timeout == 0 {
			return item, skipped, errWaited
		}
		select {
		case <-changed:
		case <-over:
			return item, skipped, errWaited
		case <-ctx.Done():
			return item, skipped, context.Cause(ctx)
		}
	}
}

// await is next with an error that names what did not come: noun is what an item is, wanted which one, source where from.
// A nil accept takes any.
func (r *record[T]) await(ctx context.Context, timeout time.Duration, source, noun, wanted string, accept func(T) bool) (T, error) {
	if accept == nil {
		accept = func(T) bool { return true }
	}
	item, skipped, err := r.next(ctx, timeout, accept)
	if err == nil {
		return item, nil
	}
	others := ""
	if skipped > 0 {
		others = " (" + plural(skipped, "other "+noun) + ")"
	}
	return item, waitFailed(ctx, source, strings.TrimSuffix(noun+" "+wanted, " "), timeout, others, err)
}

// tape keeps the last bytes of a stream as they came.
type tape struct {
	mu    sync.Mutex
	data  []byte
	total int64
}

// write appends and returns the number of bytes so far.
func (t *tape) write(p []byte) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total += int64(len(p))
	t.data = append(t.data, p...)
	if len(t.data) > 2*keepRaw { // copying once in a while is cheaper than a ring is to read
		t.data = append(t.data[:0], t.data[len(t.data)-keepRaw:]...)
	}
	return t.total
}

// tail returns the last bytes and the number of those before them.
func (t *tape) tail(limit int) ([]byte, int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	data := slices.Clone(t.data[max(len(t.data)-limit, 0):])
	return data, t.total - int64(len(data))
}
