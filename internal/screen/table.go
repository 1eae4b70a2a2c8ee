package screen

// table gives numbers to values, the same number to equal ones. A number stays what it is while a cell has it; numbers
// that no cell has are given again after a collection. Who has a copy of items keeps what stood there: a number is given
// again in a new array.
type table[T comparable] struct {
	items  []T
	number map[T]uint32
	free   []uint32
	limit  int        // how many items there may be before a collection
	shared bool       // a snapshot has the array
	recent [64]uint32 // the numbers that were asked for last, by slot
}

const tableLimit = 4096

func newTable[T comparable]() table[T] {
	var zero T
	return table[T]{items: []T{zero}, number: map[T]uint32{zero: 0}, limit: tableLimit}
}

// full reports whether the next new value needs a collection first.
func (t *table[T]) full() bool { return len(t.free) == 0 && len(t.items) >= t.limit }

func (t *table[T]) intern(v T) uint32 {
	if n, ok := t.number[v]; ok {
		return n
	}
	n := uint32(len(t.items))
	if last := len(t.free) - 1; last >= 0 {
		if t.shared {
			t.items, t.shared = append([]T(nil), t.items...), false
		}
		n, t.free = t.free[last], t.free[:last]
		t.items[n] = v
	} else {
		t.items = append(t.items, v)
	}
	t.number[v] = n
	return n
}

// internAt is intern for a value that is often the same as the last one with the same slot.
func (t *table[T]) internAt(slot uint32, v T) uint32 {
	at := &t.recent[slot%uint32(len(t.recent))]
	if t.items[*at] != v {
		*at = t.intern(v)
	}
	return *at
}

// collect makes numbers free that are not used.
func (t *table[T]) collect(used []bool) {
	t.free, t.recent = t.free[:0], [len(t.recent)]uint32{}
	live := 0
	number := map[T]uint32{}
	for n := len(t.items) - 1; n >= 0; n-- {
		if n == 0 || used[n] {
			number[t.items[n]] = uint32(n)
			live++
		} else {
			t.free = append(t.free, uint32(n))
		}
	}
	t.number = number
	t.limit = max(tableLimit, 2*live)
}

// share returns the items for a snapshot.
func (t *table[T]) share() []T {
	t.shared = true
	return t.items[:len(t.items):len(t.items)]
}

// collectTexts frees the numbers that neither a cell nor the state has.
func (s *Screen) collectTexts() {
	styles, clusters := make([]bool, len(s.styles.items)), make([]bool, len(s.clusters.items))
	links := make([]bool, len(s.links.items))
	mark := func(rows []*row) {
		for _, r := range rows {
			for _, c := range r.cells {
				styles[c.style] = true
				if c.ch&isCluster != 0 {
					clusters[c.ch&chMask] = true
				}
			}
		}
	}
	mark(s.main.rows)
	mark(s.alt.rows)
	mark(s.history)
	styles[s.style], styles[s.blank.style] = true, true
	if s.repeat.ch&isCluster != 0 {
		clusters[s.repeat.ch&chMask] = true
	}
	for n, used := range styles {
		links[s.styles.items[n].link] = links[s.styles.items[n].link] || used
	}
	links[s.pen.link] = true
	s.styles.collect(styles)
	s.clusters.collect(clusters)
	s.links.collect(links)
}
