package match

// phase is how far a question has come in finding out which match is complete first.
//
//	phase      asked is                                 a match              no match
//	searching  the window of all candidates             narrowing, or taken  over; widened where text is left
//	narrowing  the stable ones, in half of the range    narrowing, below it  narrowing, above it
//	           … and nothing is left to halve           rivals, if some candidates look ahead; else growing
//	rivals     those that look ahead, in all of it      taken, if it ends    growing
//	                                                    before the other
//	growing    the pattern found, in all of it,         taken, if it begins  the one before is taken
//	           if its tail is open and it was cut       where the other did
//
// A window whose match may depend on what stands before it is asked once more from further back, in the same phase.
type phase uint8

const (
	searching phase = iota // for any match
	narrowing              // for a shorter beginning of the stream that holds one
	rivals                 // for a match of a pattern that looks at what follows, which ends sooner
	growing                // for all that a match with an open tail takes
)

// matched looks at a match once more: the same stream cut into other reads may have shown another one earlier. What
// counts is the shortest beginning of the stream that holds a match, so that reads make no difference. A pattern by itself
// with an open tail is left alone: it takes what is there. So are patterns that look at what follows, because they match in
// shorter beginnings what is not a match in longer ones.
func (s *Stream) matched(m *found) {
	p := &s.question
	pats := p.q.set.pats
	if p.q.set.fixed || m.end <= p.w.start || len(p.candidates) == 1 && pats[m.pattern].open {
		s.accept(m)
		return
	}
	var stable []int
	p.lookahead = nil
	for _, c := range p.candidates {
		if pats[c].lookahead {
			p.lookahead = append(p.lookahead, c)
		} else {
			stable = append(stable, c)
		}
	}
	p.best, p.lo, p.hi, p.whole, p.taken, p.phase = m, p.w.start, m.end, p.w, false, narrowing
	p.candidates = stable
	end := s.boundary(m.end - 1)
	if len(stable) == 0 || end <= p.w.start || !s.literalBefore(end) || !s.endsWithin(p.w.start, end) {
		s.narrowed()
		return
	}
	s.within(end)
}

// narrow halves the range in which the shortest window with a match ends.
func (s *Stream) narrow(m *found) {
	p := &s.question
	if m == nil {
		p.lo = p.w.end
	} else {
		p.best, p.hi, p.taken = m, m.end, true
	}
	mid := s.boundary(p.lo + (p.hi-p.lo)/2)
	for mid <= p.lo && mid < p.hi {
		mid = nextRune(s.view(p.w.raw), mid)
	}
	if mid <= p.lo || mid >= p.hi || !s.literalBefore(p.hi-1) || !s.endsWithin(p.lo, p.hi-1) {
		s.narrowed()
		return
	}
	s.within(mid)
}

// boundary moves the end of a window back to the end of a character. In latin mode every byte is one.
func (s *Stream) boundary(off int64) int64 {
	w := s.question.w
	if w.latin {
		return off
	}
	return runeStart(s.view(w.raw), off, w.start)
}

// narrowed takes the match of the shortest window, if no other pattern's ends before it.
func (s *Stream) narrowed() {
	p := &s.question
	if len(p.lookahead) == 0 || p.q.set.pats[p.best.pattern].lookahead {
		s.grow()
		return
	}
	p.phase, p.candidates = rivals, p.lookahead
	s.within(p.whole.end)
}

func (s *Stream) rival(m *found) {
	if p := &s.question; m != nil && m.end < p.best.end && !p.q.distrusts(p.whole, m, p.candidates) {
		s.accept(m)
		return
	}
	s.grow()
}

// grow gives a match with an open tail all that is there, where it was found in a shorter window.
func (s *Stream) grow() {
	p := &s.question
	if !p.taken || !p.q.set.pats[p.best.pattern].open {
		s.accept(p.best)
		return
	}
	p.phase, p.candidates = growing, []int{p.best.pattern}
	s.within(p.whole.end)
}

func (s *Stream) grown(m *found) {
	if best := s.question.best; m == nil || m.start != best.start {
		m = best
	}
	s.accept(m)
}

// within asks in the window up to end.
func (s *Stream) within(end int64) {
	p := s.question
	p.w.end = end
	s.begin(p)
}

// literalBefore reports whether a window that ends at end may hold a match: one of the candidates has its literal in it.
func (s *Stream) literalBefore(end int64) bool {
	q := s.question.q
	for _, i := range s.question.candidates {
		p := &q.set.pats[i]
		if len(p.lits) == 0 {
			return true
		}
		if q.hit[i]+int64(shortest(p.lits)) <= end {
			return true
		}
	}
	return false
}

// endsWithin reports whether a match of a candidate may end after lo and not after hi.
func (s *Stream) endsWithin(lo, hi int64) bool {
	q := s.question.q
	var set byteSet
	for _, i := range s.question.candidates {
		set.merge(q.set.pats[i].tail)
	}
	r := s.view(s.question.w.raw)
	for off := lo; off < hi; {
		p := r.piece(off, hi)
		for i := range p {
			if set.has(p[i]) {
				return true
			}
		}
		off += int64(len(p))
	}
	return false
}
