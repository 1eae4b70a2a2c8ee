package screen

// savedCursor is what DECSC saves.
type savedCursor struct {
	x, y     int
	pen      Style
	kept     uint32
	protect  protection
	charsets charsets
	origin   bool
}

// line returns a row of the screen that is about to change.
func (s *Screen) line(y int) *row {
	r := s.buf.rows[y]
	r.changed = s.generation
	return r
}

// inMargins reports whether the cursor is between all four margins.
func (s *Screen) inMargins() bool {
	return s.y >= s.top && s.y <= s.bottom && s.x >= s.left && s.x <= s.right
}

// leftOf is where a line begins for a cursor in column x.
func (s *Screen) leftOf(x int) int {
	if x >= s.left {
		return s.left
	}
	return 0
}

// leftEdge is where a carriage return goes to.
func (s *Screen) leftEdge() int {
	if s.modes.on(modeOrigin) {
		return s.left
	}
	return s.leftOf(s.x)
}

func (s *Screen) carriageReturn() { s.x, s.pending = s.leftEdge(), false }

// moveTo goes to a place, counted from the margins in origin mode.
func (s *Screen) moveTo(x, y int) {
	s.pending = false
	if s.modes.on(modeOrigin) {
		s.x = min(s.left+x, s.right)
		s.y = min(s.top+y, s.bottom)
		return
	}
	s.x, s.y = min(x, s.cols-1), min(y, s.rows-1)
}

// column is the cursor's column as programs count it, less 1.
func (s *Screen) column() int {
	if s.modes.on(modeOrigin) {
		return s.x - s.left
	}
	return s.x
}

func (s *Screen) rowNumber() int {
	if s.modes.on(modeOrigin) {
		return s.y - s.top
	}
	return s.y
}

func (s *Screen) up(n int) {
	s.pending = false
	limit := 0
	if s.y >= s.top {
		limit = s.top
	}
	s.y = max(s.y-n, limit)
}

func (s *Screen) moveDown(n int) {
	s.pending = false
	limit := s.rows - 1
	if s.y <= s.bottom {
		limit = s.bottom
	}
	s.y = min(s.y+n, limit)
}

func (s *Screen) forward(n int) {
	s.pending = false
	s.x = min(s.x+n, s.edge())
}

// back obeys CUB and backspace, which may go round to the line above: with mode 45 over a soft line end only, with mode
// 1045 over any, and from the top of the region to its bottom.
func (s *Screen) back(n int) {
	soft, any := s.modes.on(modeReverseWrap), s.modes.on(modeReverseWrapAny)
	if !s.modes.on(modeWrap) || !soft && !any {
		s.pending = false
		s.x = max(s.x-n, s.leftOf(s.x))
		return
	}
	if s.pending {
		s.pending = false
		n--
	}
	for n = min(n, 2*s.rows*s.cols); n > 0; {
		left := s.leftOf(s.x)
		if step := min(n, s.x-left); step > 0 {
			s.x -= step
			n -= step
			continue
		}
		switch {
		case s.y == s.top && any:
			s.y = s.bottom
		case s.y == s.top || s.y == 0 || !any && !s.buf.rows[s.y].wrapped:
			return
		default:
			s.y--
		}
		s.x = s.right
		n--
	}
}

// down goes one line down and scrolls at the bottom margin.
func (s *Screen) down() {
	switch {
	case s.y == s.bottom:
		if s.x >= s.left && s.x <= s.right {
			s.scrollUp(s.top, 1, true)
		}
	case s.y < s.rows-1:
		s.y++
	}
}

func (s *Screen) lineFeed() {
	if s.modes.on(modeNewLine) {
		s.x = s.leftEdge()
	}
	y := s.y
	if s.index(); s.y > y {
		s.buf.rows[s.y].wrapped = false
	}
}

func (s *Screen) index() {
	s.pending = false
	s.down()
}

func (s *Screen) reverseIndex() {
	s.pending = false
	switch {
	case s.y == s.top:
		if s.x >= s.left && s.x <= s.right {
			s.scrollDown(s.top, 1)
		}
	case s.y > 0:
		s.y--
	}
}

// tab goes to the next tab stop, or the margin.
func (s *Screen) tab(n int) {
	if s.pending {
		if !s.modes.on(modeMoreFix) {
			return
		}
		s.pending = false
		s.wrap()
	}
	limit := s.edge()
	for ; n > 0 && s.x < limit; n-- {
		s.x++
		for s.x < limit && !s.tabs[s.x] {
			s.x++
		}
	}
}

func (s *Screen) backTab(n int) {
	if s.pending {
		return
	}
	limit := 0
	if s.modes.on(modeOrigin) {
		limit = s.left
	}
	for ; n > 0 && s.x > limit; n-- {
		s.x--
		for s.x > limit && !s.tabs[s.x] {
			s.x--
		}
	}
}

func (s *Screen) clearTabs(how int) {
	switch how {
	case 0:
		s.tabs[s.x] = false
	case 3:
		clear(s.tabs)
	}
}

func (s *Screen) resetTabs(from int) {
	for x := from; x < len(s.tabs); x++ {
		s.tabs[x] = x%tabWidth == 0
	}
}

func (s *Screen) saveCursor() {
	s.buf.saved = savedCursor{s.x, s.y, s.pen, s.kept, s.protection, s.charsets, s.modes.on(modeOrigin)}
}

func (s *Screen) restoreCursor() {
	c := s.buf.saved
	c.pen.link = s.pen.link
	s.pen, s.kept, s.charsets = c.pen, c.kept, c.charsets
	if c.protect != protectNone {
		s.protection = c.protect
	}
	s.penKnown = false
	s.modes.set(modeOrigin, c.origin)
	s.x, s.y, s.pending = min(c.x, s.cols-1), min(c.y, s.rows-1), false
	if c.origin {
		s.x, s.y = min(max(s.x, s.left), s.right), min(max(s.y, s.top), s.bottom)
	}
}

// setTopBottom obeys DECSTBM.
func (s *Screen) setTopBottom(top, bottom int) {
	if bottom == 0 || bottom > s.rows {
		bottom = s.rows
	}
	top = max(top, 1)
	if top >= bottom {
		return
	}
	s.top, s.bottom = top-1, bottom-1
	s.moveTo(0, 0)
}

// setLeftRight obeys DECSLRM.
func (s *Screen) setLeftRight(left, right int) {
	if right == 0 || right > s.cols {
		right = s.cols
	}
	left = max(left, 1)
	if left >= right {
		return
	}
	s.left, s.right = left-1, right-1
	s.moveTo(0, 0)
}

func (s *Screen) fullMargins() {
	s.top, s.bottom = 0, s.rows-1
	s.left, s.right = 0, s.cols-1
}
