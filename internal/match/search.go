package match

import (
	"math"
	"slices"
	"time"
	"unicode/utf8"
)

// The sizes that keep the cost linear. A window above bigWindow is not searched again at every read; where patterns
// allow it, goexpect sees at most sliceSize of a long unread text at a time. It sees firstSlice at first, for most matches
// are near their literal, and sliceGrows times as much whenever that holds none.
const (
	bigWindow  = 32 << 10
	sliceSize  = 32 << 10
	firstSlice = 512
	sliceGrows = 4
)

// search is one thing that is looked for in a stream: what an expect waits for, or a watcher. It remembers
// where literals were seen, so that each byte is scanned once and goexpect is asked only about text that can match.
type search struct {
	set  *Set
	want Want
	res  Result        // the outcome of a wait that is not the stream's waiter any more
	done chan struct{} // closed then, if somebody sleeps on it
	on   func(Result)  // of a watcher

	base    int64 // where the text to be searched begins
	scanned int64
	row     int32
	from    []int64 // per pattern: its literals before this are of no use
	hit     []int64 // per pattern: the first literal that may still belong to a match, or where a match without one may begin; -1
	top     int64   // the text up to here is searched
	tried   int64   // the text up to here was searched
	traced  int64   // one more than the end of the text that traceNone has reported
	slice   int64   // how much of a long text goexpect sees now
	window  int64   // length of the window of the last question
	seen    int64   // the newest text that was in a window
	next    time.Time

	began   time.Time
	final   bool // the last try: the deadline is here
	finalAt time.Time
	drained bool // all that was there at the last try has been read
	missed  int64
	budget  int // bytes that may still be read for the last try

	counted            int   // of Count: characters that are there
	countFrom, countTo int64 // and where they stand

	possibly []int  // see candidates
	found    *found // a match that waits to settle
	foundAt  time.Time
}

// found is a match that goexpect made, in offsets of the view.
type found struct {
	start, end int64
	pattern    int // in set.pats
	text       string
	groups     []string
}

// finalBudget bounds what is read for a last try while the program keeps writing: more than the kernel had at that moment
// came later.
const finalBudget = 128 << 10

// finalTime bounds how long that may take, on a machine on which reading takes long.
const finalTime = 100 * time.Millisecond

// mayRead reports whether a last try may go on reading. It reads once at least.
func (q *search) mayRead(now time.Time) bool {
	return q.budget == finalBudget || q.budget > 0 && now.Sub(q.finalAt) < finalTime
}

func newSearch(set *Set, base int64, now time.Time) *search {
	n := len(set.pats)
	places := make([]int64, 2*n)
	q := &search{set: set, began: now, budget: finalBudget, from: places[:n], hit: places[n:]}
	q.rebase(base)
	return q
}

// rebase starts over at an offset.
func (q *search) rebase(base int64) {
	q.base, q.scanned, q.row, q.tried, q.window, q.found = base, base, 0, -1, 0, nil
	q.seen, q.slice = base, firstSlice
	for i := range q.hit {
		q.hit[i], q.from[i] = -1, base
		if len(q.set.pats[i].lits) == 0 {
			q.hit[i] = base
		}
	}
}

// scan looks for literals in what is new.
func (q *search) scan(r *ring) {
	if q.set.scan == nil {
		return
	}
	if lit := q.set.scan.single; lit != nil {
		q.scanSingle(r, lit)
		return
	}
	if q.set.scan.needles != nil {
		q.scanNeedles(r)
		return
	}
	q.row = q.run(r, q.row, q.scanned, r.end)
	q.scanned = r.end
}

// run feeds a part of the text to the automaton and returns the row to go on with.
func (q *search) run(r *ring, row int32, off, end int64) int32 {
	for off < end {
		p := r.piece(off, end)
		row = q.set.scan.run(row, p, off, func(i int, at int64) {
			if at >= q.from[i] && (q.hit[i] < 0 || at < q.hit[i]) {
				q.hit[i] = at
			}
		})
		off += int64(len(p))
	}
	return row
}

// scanNeedles feeds only what is around needles to the automaton.
func (q *search) scanNeedles(r *ring) {
	longest := int64(q.set.scan.longest)
	from := max(q.base, q.scanned-longest+1) // where a literal may begin that was not whole before
	for _, needle := range q.set.scan.needles {
		for at := from; ; {
			at = r.index(needle, at, r.end)
			if at < 0 {
				break
			}
			// The part is longer than it need be, for the sake of text that is full of needles.
			end := min(at+4*longest, r.end)
			q.run(r, 0, max(from, at+int64(len(needle))-longest), end)
			at = max(at, end-longest) + 1
		}
	}
	q.scanned = max(q.scanned, r.end)
}

func (q *search) scanSingle(r *ring, lit []byte) {
	for i := range q.hit {
		if len(q.set.pats[i].lits) == 0 || q.hit[i] >= 0 {
			continue
		}
		if at := r.index(lit, q.scanned, r.end); at >= 0 {
			q.hit[i], q.scanned = at, at
		} else {
			q.scanned = max(q.scanned, r.end-int64(len(lit)-1))
		}
	}
}

// rescan finds the next literal of pattern i at or after from, in text that was scanned before.
func (q *search) rescan(r *ring, i int, from int64) {
	from = max(from, q.base)
	q.hit[i], q.from[i] = -1, from
	if lit := q.set.scan.single; lit != nil {
		q.scanned = from
		q.scanSingle(r, lit)
		return
	}
	row := int32(0)
	for off := from; off < q.scanned && q.hit[i] < 0; {
		p := r.piece(off, q.scanned)
		row = q.set.scan.run(row, p, off, func(j int, at int64) {
			if i == j && q.hit[i] < 0 {
				q.hit[i] = at
			}
		})
		off += int64(len(p))
	}
}

// possible reports whether a pattern may match.
func (q *search) possible() bool {
	return slices.ContainsFunc(q.hit, func(h int64) bool { return h >= 0 })
}

// candidates returns the patterns that may match. The list is good until the next call.
func (q *search) candidates() []int {
	q.possibly = q.possibly[:0]
	for i, h := range q.hit {
		if h >= 0 {
			q.possibly = append(q.possibly, i)
		}
	}
	return q.possibly
}

// span is a part of a view.
type span struct {
	start, end int64
	raw, latin bool
}

// windowFor returns the part that goexpect has to see to decide about the candidates, and the last offset at which a match
// may begin to be trusted: one that begins later might be another one if more could be seen.
func (q *search) windowFor(r *ring, candidates []int) (w span, trust int64) {
	w = span{start: math.MaxInt64, end: q.top, raw: q.set.raw, latin: q.set.latin}
	first, longest, lines := int64(math.MaxInt64), 0, 0
	for _, i := range candidates {
		p := &q.set.pats[i]
		w.start = min(w.start, q.startOf(r, p, q.hit[i]))
		first = min(first, q.hit[i])
		longest, lines = maxOf(longest, p.max), maxOf(lines, p.lines)
	}
	if w.end-w.start <= 2*q.slice {
		return w, w.end
	}
	switch {
	case longest != unbounded && longest < sliceSize:
		// One character more than the match, for what looks at it.
		w.end = runeStart(r, min(w.end, first+q.slice+int64(longest)), w.start)
		return w, w.end - int64(longest) - 4
	case lines != unbounded:
		end := nthLineEnd(r, max(first, w.start+q.slice/2), w.end, lines+1)
		w.end = end
		return w, lineStart(r, w.start, end, lines+1) - 1
	}
	return w, w.end
}

// startOf returns where a match of p can begin at the earliest, with a character before it where p looks at that.
func (q *search) startOf(r *ring, p *compiled, hit int64) int64 {
	at := q.base
	if p.lead != unbounded {
		slack := 0
		for _, l := range p.lits {
			slack = max(slack, len(l))
		}
		at = max(at, hit-int64(p.lead+slack))
	}
	if p.lines != unbounded && p.lines < 16 {
		at = max(at, lineStart(r, q.base, hit, p.lines+1))
	}
	if at > q.base && (p.edge || p.start) {
		at--
	}
	return runeStart(r, at, q.base)
}

// lineStart returns the beginning of the n-th line back from off: 1 is the line that off is in.
func lineStart(r *ring, base, off int64, n int) int64 {
	for ; n > 0; n-- {
		nl := r.lastByte('\n', base, off)
		if nl < 0 {
			return base
		}
		off = nl
	}
	return off + 1
}

// nthLineEnd returns the offset after the n-th line end at or after off, or end.
func nthLineEnd(r *ring, off, end int64, n int) int64 {
	for ; n > 0 && off < end; n-- {
		nl := r.indexByte('\n', off, end)
		if nl < 0 {
			return end
		}
		off = nl + 1
	}
	return off
}

// runeStart moves off back to the first byte of a character.
func runeStart(r *ring, off, base int64) int64 {
	for n := 0; off > base && off < r.end && r.at(off)&0xc0 == 0x80 && n < 3; n++ {
		off--
	}
	return off
}

// character moves off on to the first byte of a character.
func (r *ring) character(off int64) int64 {
	for n := 0; off < r.end && !utf8.RuneStart(r.at(off)) && n < utf8.UTFMax-1; n++ {
		off++
	}
	return off
}

// nextRune returns the offset of the character after the one at off.
func nextRune(r *ring, off int64) int64 {
	for off++; off < r.end && r.at(off)&0xc0 == 0x80; off++ {
	}
	return off
}

// distrusts reports whether a match at the very beginning of a window may be owed to the window alone, because a candidate
// looks at what comes before.
func (q *search) distrusts(w span, m *found, candidates []int) bool {
	if m.start != w.start || w.start == q.base {
		return false
	}
	for _, i := range candidates {
		if p := &q.set.pats[i]; p.edge || p.start {
			return true
		}
	}
	return false
}

// failed notes that nothing matches in a window: what lies before its live end is not looked at again. It reports whether
// that got the search any further.
func (q *search) failed(r *ring, w span, candidates []int) bool {
	moved := false
	q.slice = min(q.slice*sliceGrows, sliceSize)
	for _, i := range candidates {
		p := &q.set.pats[i]
		from := q.hit[i]
		if p.max != unbounded {
			from = max(from, w.end-int64(p.max)-4)
		}
		if p.lines != unbounded && p.lines < 16 {
			from = max(from, lineStart(r, q.base, w.end, p.lines+1))
		}
		if from == q.hit[i] {
			continue
		}
		moved = true
		if len(p.lits) == 0 {
			q.hit[i] = runeStart(r, from, q.base)
		} else {
			q.rescan(r, i, from)
		}
	}
	if w.end == q.top {
		q.tried = w.end
	}
	return moved
}
