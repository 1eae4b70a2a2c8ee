package mask

import (
	"encoding/binary"
	"slices"
)

// move is what a byte does to the tries.
type move struct {
	places []place
	pairs  []pair  // which tries become which; from is -1 for one that begins
	hits   []int32 // the tries that are complete with this byte
	stays  bool    // the places are what they were
	cached bool
	next   *config
}

type pair struct{ to, from int32 }

// config is a list of places that many tries were at, with the moves from there.
type config struct {
	places []place
	moves  map[uint16]*move
}

// mover finds moves: few tries are taken one byte further each time; for many, what that does is kept.
type mover struct {
	here    *config // where the tries are, if that is known
	last    *move
	configs map[string]*config
	key     []byte
	scratch move
	slots   slots
	credit  int // of looking moves up instead of computing them
}

// The bounds: how many tries are many, and how many lists of them are kept. Keeping a move costs some credit, which many
// tries earn: what never comes again is not worth it.
const (
	many       = 8
	maxConfigs = 256
	keepFrom   = 512
	keepCost   = 8
)

// move returns what a byte does; it is valid until the next call.
func (w *mover) move(s *scanner, b byte, k kind, may bool) *move {
	if len(s.places) < many {
		w.here = nil
		w.last = w.compute(s, b, k, may)
		return w.last
	}
	if w.credit++; w.credit < keepFrom {
		w.here = nil
		w.last = w.compute(s, b, k, may)
		return w.last
	}
	if w.here == nil {
		w.here = w.config(s.places)
	}
	symbol := uint16(k)<<8 | uint16(b)
	m := w.here.moves[symbol]
	if m == nil {
		w.credit -= keepCost
		c := w.compute(s, b, k, true)
		m = &move{pairs: slices.Clone(c.pairs), hits: slices.Clone(c.hits), cached: true, next: w.config(c.places)}
		m.places = m.next.places
		m.stays = m.next == w.here
		w.here.moves[symbol] = m
	}
	w.credit = min(w.credit, 2*keepFrom)
	w.here, w.last = m.next, m
	return m
}

// config returns the one for a list of places.
func (w *mover) config(places []place) *config {
	w.key = w.key[:0]
	for _, p := range places {
		w.key = binary.LittleEndian.AppendUint32(w.key, uint32(p.form))
		w.key = binary.LittleEndian.AppendUint32(w.key, uint32(p.element))
		flags := p.level << 2
		if p.folding {
			flags |= 1
		}
		if p.asleep {
			flags |= 2
		}
		w.key = append(binary.LittleEndian.AppendUint16(w.key, p.node), flags)
	}
	if c := w.configs[string(w.key)]; c != nil {
		return c
	}
	if w.configs == nil || len(w.configs) >= maxConfigs {
		w.configs = map[string]*config{}
	}
	c := &config{places: append([]place(nil), places...), moves: map[uint16]*move{}}
	w.configs[string(w.key)] = c
	return c
}

// compute takes every try one byte further.
func (w *mover) compute(s *scanner, b byte, k kind, may bool) *move {
	m := &w.scratch
	m.places, m.pairs, m.hits = m.places[:0], m.pairs[:0], m.hits[:0]
	w.slots.clear()
	for i, p := range s.places {
		w.advance(s, p, int32(i), b, k)
	}
	if may {
		for _, f := range s.set.first[b] {
			w.spell(s, place{form: f}, -1, b)
		}
	}
	return m
}

// advance takes one try further.
func (w *mover) advance(s *scanner, p place, from int32, b byte, k kind) {
	if p.asleep {
		if k != text {
			w.add(p, from)
			return
		}
		p.asleep = false
	}
	form := &s.set.list[p.form]
	folds := !form.edge || p.element > 1 || p.node > 0
	if k == begins && folds && !s.complete(p) {
		sleeper := p
		sleeper.asleep = true
		w.add(sleeper, from)
	}
	switch {
	case p.folding:
		w.fold(s, p, from, b)
		return
	case int(p.element) < len(form.elements):
		w.spell(s, p, from, b)
		if p.node > 0 || !folds {
			return
		}
	}
	if int(p.element) >= form.least { // only what goes back over the last character
		p.node = uint16(s.set.nodes.done)
		w.fold(s, p, from, b)
		return
	}
	e := form.elements[p.element]
	p.node = uint16(s.set.nodes.root)
	w.fold(s, p, from, b)
	if e.plain == b && p.level < maxPieces {
		p.folding, p.node = true, uint16(s.set.nodes.again)
		w.add(p, from)
	}
}

// spell takes a try further in the spellings of a character.
func (w *mover) spell(s *scanner, p place, from int32, b byte) {
	form := &s.set.list[p.form]
	e := form.elements[p.element]
	if p.node == 0 && !e.begins(b) {
		return
	}
	for _, edge := range e.graph[p.node].edges {
		if b < edge.from || b > edge.to {
			continue
		}
		to := &e.graph[edge.node]
		if len(to.edges) > 0 {
			w.add(place{form: p.form, element: p.element, node: edge.node}, from)
		}
		if to.end == nothing {
			continue
		}
		next := place{form: p.form, element: p.element + 1}
		if int(next.element) >= form.least {
			w.hit(from)
		}
		w.add(next, from)
	}
}

// fold takes a try further in what may stand between two characters.
func (w *mover) fold(s *scanner, p place, from int32, b byte) {
	g := s.set.folds
	for _, edge := range g[p.node].edges {
		if b < edge.from || b > edge.to {
			continue
		}
		to := &g[edge.node]
		if len(to.edges) > 0 {
			w.add(place{form: p.form, element: p.element, node: edge.node, folding: true, level: p.level}, from)
		}
		done := place{form: p.form, element: p.element, level: p.level}
		switch to.end {
		case nothing:
			continue
		case counted:
			if done.level++; done.level > maxPieces {
				continue
			}
		case back:
			if done.element--; done.element < 0 { // before its first character
				continue
			}
		}
		w.add(done, from)
	}
}

// hit notes that a try is complete.
func (w *mover) hit(from int32) {
	if from >= 0 { // every form has two elements
		w.scratch.hits = append(w.scratch.hits, from)
	}
}

// add adds a try at a place. Of two at the same place the earlier masks what the later one would.
func (w *mover) add(p place, from int32) {
	m := &w.scratch
	to := int32(-1)
	if len(m.places) <= 2*many {
		to = int32(slices.Index(m.places, p))
	} else {
		to = w.slots.find(m.places, p)
	}
	if to < 0 {
		to = int32(len(m.places))
		if m.places = append(m.places, p); len(m.places) == 2*many+1 {
			w.slots.fill(m.places)
		} else if len(m.places) > 2*many {
			w.slots.put(m.places, to)
		}
	}
	m.pairs = append(m.pairs, pair{to, from})
}

// slots find a place among many.
type slots struct {
	at  []int32  // where it stands in the list
	gen []uint32 // what is not of the present generation is empty
	now uint32
}

func (l *slots) clear() {
	if l.now++; l.now == 0 {
		clear(l.gen)
		l.now = 1
	}
}

func (l *slots) hash(p place) int {
	h := uint32(p.form)*0x9e3779b1 ^ uint32(p.element)*0x85ebca6b ^ uint32(p.node)*0xc2b2ae35 ^ uint32(p.level)<<7
	if p.folding {
		h ^= 0x27d4eb2f
	}
	if p.asleep {
		h ^= 0x165667b1
	}
	return int(h^h>>15) & (len(l.at) - 1)
}

// find returns the index of a place in the list, or -1.
func (l *slots) find(places []place, p place) int32 {
	for h := l.hash(p); l.gen[h] == l.now; h = (h + 1) & (len(l.at) - 1) {
		if places[l.at[h]] == p {
			return l.at[h]
		}
	}
	return -1
}

// put adds the place at an index, which is the last one.
func (l *slots) put(places []place, at int32) {
	if len(places)*2 > len(l.at) {
		l.fill(places)
		return
	}
	h := l.hash(places[at])
	for l.gen[h] == l.now {
		h = (h + 1) & (len(l.at) - 1)
	}
	l.at[h], l.gen[h] = at, l.now
}

// fill adds all places of a list.
func (l *slots) fill(places []place) {
	size := max(len(l.at), 128)
	for size < 4*len(places) {
		size *= 2
	}
	if size > len(l.at) {
		l.at, l.gen = make([]int32, size), make([]uint32, size)
	}
	l.clear()
	for i := range places {
		h := l.hash(places[i])
		for l.gen[h] == l.now {
			h = (h + 1) & (size - 1)
		}
		l.at[h], l.gen[h] = int32(i), l.now
	}
}
