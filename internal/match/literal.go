package match

// A scanner finds literals in a stream, each byte looked at once. It is an Aho-Corasick automaton over classes of bytes,
// or nothing but a single literal, for which the machine's own search is much faster.
type scanner struct {
	single  []byte   // the only literal, if there is one and case matters
	needles [][]byte // see needlesOf
	longest int      // length of the longest literal

	classes [256]uint16
	width   int
	next    []int32  // by the state's row plus the class: the next row, complemented where a literal ends
	out     [][]int2 // what ends in a state
}

// int2 is a pattern and the length of its literal.
type int2 struct{ pattern, length int }

// newScanner builds the automaton over the literals of all patterns; patterns without literals are left out.
func newScanner(pats []traits) *scanner {
	s := &scanner{}
	fold, total := false, 0
	for _, p := range pats {
		total += len(p.lits)
		fold = fold || p.fold && len(p.lits) > 0
	}
	if total == 0 {
		return nil
	}
	if total == 1 && !fold {
		for _, p := range pats {
			if len(p.lits) == 1 {
				s.single = []byte(p.lits[0])
			}
		}
		return s
	}
	s.classify(pats, fold)
	s.build(pats)
	var all []string
	for _, p := range pats {
		all = append(all, p.lits...)
	}
	for _, l := range all {
		s.longest = max(s.longest, len(l))
	}
	if !fold {
		s.needles = needlesOf(all)
	}
	return s
}

// classify gives each byte that occurs in a literal a class of its own; all others share class 0.
func (s *scanner) classify(pats []traits, fold bool) {
	s.width = 1
	for _, p := range pats {
		for _, lit := range p.lits {
			for i := range len(lit) {
				c := lit[i]
				if fold {
					c = lower(c)
				}
				if s.classes[c] == 0 {
					s.classes[c] = uint16(s.width)
					s.width++
				}
			}
		}
	}
	if fold {
		for c := byte('A'); c <= 'Z'; c++ {
			s.classes[c] = s.classes[lower(c)]
		}
	}
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func (s *scanner) build(pats []traits) {
	s.state()
	for i, p := range pats {
		for _, lit := range p.lits {
			at := int32(0)
			for j := range len(lit) {
				slot := int(at)*s.width + int(s.classes[lit[j]])
				if s.next[slot] == 0 {
					s.next[slot] = s.state()
				}
				at = s.next[slot]
			}
			s.out[at] = append(s.out[at], int2{i, len(lit)})
		}
	}
	s.link()
	s.seal()
}

func (s *scanner) state() int32 {
	s.next = append(s.next, make([]int32, s.width)...)
	s.out = append(s.out, nil)
	return int32(len(s.out) - 1)
}

// link turns the tree into an automaton, breadth first: where a state has no way on, it goes where its longest proper
// suffix goes.
func (s *scanner) link() {
	fail := make([]int32, len(s.out))
	var queue []int32
	for c := range s.width {
		if n := s.next[c]; n != 0 {
			queue = append(queue, n)
		}
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		s.out[at] = append(s.out[at], s.out[fail[at]]...)
		for c := range s.width {
			slot := int(at)*s.width + c
			back := s.next[int(fail[at])*s.width+c]
			if n := s.next[slot]; n != 0 {
				fail[n] = back
				queue = append(queue, n)
			} else {
				s.next[slot] = back
			}
		}
	}
}

// seal rewrites the table for the inner loop: entries are rows instead of states, complemented where literals end.
func (s *scanner) seal() {
	for i, t := range s.next {
		row := t * int32(s.width)
		if s.out[t] != nil {
			row = ^row
		}
		s.next[i] = row
	}
}

// run feeds p, whose first byte is at offset off, and calls hit for each literal found with its pattern and where it
// starts. It returns the row to go on with.
func (s *scanner) run(row int32, p []byte, off int64, hit func(pattern int, at int64)) int32 {
	next := s.next
	for i, c := range p {
		row = next[row+int32(s.classes[c])]
		if row < 0 {
			row = ^row
			for _, e := range s.out[row/int32(s.width)] {
				hit(e.pattern, off+int64(i+1-e.length))
			}
		}
	}
	return row
}
