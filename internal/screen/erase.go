package screen

// protection is which control last protected characters: those of DECSCA resist selective erasing only, those of SPA any.
type protection uint8

const (
	protectNone protection = iota
	protectDEC
	protectISO
)

// erase blanks the cells from..to-1 of a line, but for protected ones.
func (s *Screen) erase(y, from, to int, selective bool) {
	r, blank := s.line(y), s.eraser()
	from, to = max(from, 0), min(to, len(r.cells))
	if from >= to {
		return
	}
	if s.protection == protectISO || s.protection == protectDEC && selective {
		for x := from; x < to; x++ {
			if r.cells[x].ch&isKept == 0 {
				r.cells[x] = blank
				r.mend(x, blank.style)
				r.mend(x+1, blank.style)
			}
		}
		return
	}
	r.split(from, blank.style)
	r.split(to, blank.style)
	r.fill(from, to, blank)
}

// firstErased is where erasing to the right begins: a wrap that is pending keeps its character.
func (s *Screen) firstErased() int {
	if s.pending {
		return s.x + 1
	}
	return s.x
}

func (s *Screen) eraseInLine(how int, selective bool) {
	from := s.firstErased()
	switch how {
	case 0:
		s.erase(s.y, from, s.cols, selective)
		if from == 0 {
			s.buf.rows[s.y].wrapped = false
		}
	case 1:
		s.erase(s.y, 0, s.x+1, selective)
	case 2:
		s.erase(s.y, 0, s.cols, selective)
		s.buf.rows[s.y].wrapped = false
	}
}

func (s *Screen) eraseInDisplay(how int, selective bool) {
	first, last := 0, s.rows-1
	switch how {
	case 0:
		s.eraseInLine(0, selective)
		first = s.y + 1
	case 1:
		s.erase(s.y, 0, s.x+1, selective)
		s.buf.rows[s.y].wrapped = false
		if s.x+1 >= s.cols && s.y+1 < s.rows {
			s.buf.rows[s.y+1].wrapped = false
		}
		last = s.y - 1
	case 2:
	case 3:
		s.forget()
		return
	default:
		return
	}
	for y := first; y <= last; y++ {
		s.erase(y, 0, s.cols, selective)
		s.buf.rows[y].wrapped = false
	}
}

// forget empties the history.
func (s *Screen) forget() {
	s.history, s.pinned = nil, 0
}

func (s *Screen) eraseChars(n int) {
	s.pending = false
	s.erase(s.y, s.x, s.x+n, false)
}

// alignmentTest fills the screen with E and takes the margins away.
func (s *Screen) alignmentTest() {
	s.fullMargins()
	s.modes.set(modeOrigin, false)
	s.x, s.y, s.pending = 0, 0, false
	for y := range s.rows {
		r := s.line(y)
		r.fill(0, s.cols, cell{ch: 'E'})
		r.wrapped = false
	}
}
