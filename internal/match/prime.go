package match

// primeLimit is the most unread text that goexpect is given before anybody asks.
const primeLimit = 2 << 10

// prime hands goexpect the unread text, if it is short, while nobody waits: the next wait can then be answered without
// waking the reader (direct). It returns how many bytes it put into p.
func (s *Stream) prime(p []byte) int {
	if s.waiter != nil || !s.pos.hasText {
		return 0
	}
	base, end := s.base(false), s.text.end
	if end-base > primeLimit || s.held == (span{start: base, end: end}) || base == end {
		return 0
	}
	if s.held.raw || s.held.latin || s.held.start != base || s.held.end > end {
		s.empty(span{start: base, end: base})
	}
	n := s.text.copyTo(p, s.held.end, end)
	s.held.end += int64(n)
	return n
}

// direct answers a new wait on the goroutine of whoever waits, where goexpect has all unread text already and the
// reader is asleep. What is left to do afterwards is the reader's.
func (s *Stream) direct(q *search) {
	all := span{start: q.base, end: s.text.end}
	if !s.parked || s.pass.active || q.final || q.set.raw || q.want.nothing() || s.held != all || all.start == all.end {
		return
	}
	q.scan(&s.text)
	if !q.possible() {
		return
	}
	s.begin(pass{q: q, cands: q.candidates(), w: all, trust: all.end})
	s.ask()
}
