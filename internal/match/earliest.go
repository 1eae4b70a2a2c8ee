package match

// matched looks at a match once more: the same stream cut into other reads may have shown another one earlier. What
// counts is the shortest beginning of the stream that holds a match, so that reads make no difference. Open tails are
// left alone: they take what is there.
func (s *Stream) matched(m *found) {
	p := &s.pass
	if p.q.set.fixed || s.anyOpen(p.cands) || m.end <= p.w.start {
		s.accept(m)
		return
	}
	p.best, p.lo, p.hi = m, p.w.start, m.end
	end := runeStart(s.view(p.w.raw), m.end-1, p.w.start)
	if end <= p.w.start || !s.literalBefore(end) || !s.endsWithin(p.w.start, end) {
		s.accept(m)
		return
	}
	s.shorter(end)
}

// narrow halves the range in which the shortest window with a match ends.
func (s *Stream) narrow(m *found) {
	p := &s.pass
	if m == nil {
		p.lo = p.w.end
	} else {
		p.best, p.hi = m, m.end
	}
	r := s.view(p.w.raw)
	mid := runeStart(r, p.lo+(p.hi-p.lo)/2, p.w.start)
	for mid <= p.lo && mid < p.hi {
		mid = nextRune(r, mid)
	}
	if mid <= p.lo || mid >= p.hi || !s.literalBefore(p.hi-1) || !s.endsWithin(p.lo, p.hi-1) {
		s.accept(p.best)
		return
	}
	s.shorter(mid)
}

func (s *Stream) shorter(end int64) {
	p := s.pass
	p.w.end = end
	s.begin(p)
}

func (s *Stream) anyOpen(cands []int) bool {
	for _, i := range cands {
		if s.pass.q.set.pats[i].open {
			return true
		}
	}
	return false
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
