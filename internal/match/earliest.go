package match

// stage is how far a pass has come in finding out which match is complete first.
type stage uint8

const (
	searching stage = iota // for any match
	narrowing              // for a shorter beginning of the stream that holds one
	rivals                 // for a match of a pattern that looks at what follows, which ends sooner
	growing                // for all that a match with an open tail takes
)

// matched looks at a match once more: the same stream cut into other reads may have shown another one earlier. What
// counts is the shortest beginning of the stream that holds a match, so that reads make no difference. A pattern by itself
// with an open tail is left alone: it takes what is there. So are patterns that look at what follows, because they match in
// shorter beginnings what is no match in longer ones.
func (s *Stream) matched(m *found) {
	p := &s.pass
	pats := p.q.set.pats
	if p.q.set.fixed || m.end <= p.w.start || len(p.cands) == 1 && pats[m.pattern].open {
		s.accept(m)
		return
	}
	var firm []int
	p.fickle = nil
	for _, c := range p.cands {
		if pats[c].fickle {
			p.fickle = append(p.fickle, c)
		} else {
			firm = append(firm, c)
		}
	}
	p.best, p.lo, p.hi, p.whole, p.taken, p.stage = m, p.w.start, m.end, p.w, false, narrowing
	p.cands = firm
	end := s.boundary(m.end - 1)
	if len(firm) == 0 || end <= p.w.start || !s.literalBefore(end) || !s.endsWithin(p.w.start, end) {
		s.narrowed()
		return
	}
	s.within(end)
}

// narrow halves the range in which the shortest window with a match ends.
func (s *Stream) narrow(m *found) {
	p := &s.pass
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
	w := s.pass.w
	if w.latin {
		return off
	}
	return runeStart(s.view(w.raw), off, w.start)
}

// narrowed takes the match of the shortest window, if no other pattern's ends before it.
func (s *Stream) narrowed() {
	p := &s.pass
	if len(p.fickle) == 0 || p.q.set.pats[p.best.pattern].fickle {
		s.grow()
		return
	}
	p.stage, p.cands = rivals, p.fickle
	s.within(p.whole.end)
}

func (s *Stream) rival(m *found) {
	if p := &s.pass; m != nil && m.end < p.best.end && !p.q.distrusts(p.whole, m, p.cands) {
		s.accept(m)
		return
	}
	s.grow()
}

// grow gives a match with an open tail all that is there, where it was found in a shorter window.
func (s *Stream) grow() {
	p := &s.pass
	if !p.taken || !p.q.set.pats[p.best.pattern].open {
		s.accept(p.best)
		return
	}
	p.stage, p.cands = growing, []int{p.best.pattern}
	s.within(p.whole.end)
}

func (s *Stream) grown(m *found) {
	if best := s.pass.best; m == nil || m.start != best.start {
		m = best
	}
	s.accept(m)
}

// within asks in the window up to end.
func (s *Stream) within(end int64) {
	p := s.pass
	p.w.end = end
	s.begin(p)
}

// literalBefore says whether a window that ends at end may hold a match: one of the candidates has its literal in it.
func (s *Stream) literalBefore(end int64) bool {
	q := s.pass.q
	for _, i := range s.pass.cands {
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

// endsWithin says whether a match of a candidate may end after lo and not after hi.
func (s *Stream) endsWithin(lo, hi int64) bool {
	q := s.pass.q
	var set byteSet
	for _, i := range s.pass.cands {
		set.merge(q.set.pats[i].tail)
	}
	r := s.view(s.pass.w.raw)
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
