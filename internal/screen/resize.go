package screen

// Resize changes the size, as a person does who drags the window's corner. Lines that went on in the next row are laid out
// anew on the main screen, as xterm.js does it; those of the alternate screen are cut.
func (s *Screen) Resize(rows, cols int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.generation++
	s.resize(size(rows, s.rows), size(cols, s.cols))
}

func (s *Screen) resize(rows, cols int) {
	if rows == s.rows && cols == s.cols {
		return
	}
	if s.pending { // the cursor stays behind the text
		s.x++
	}
	x, y := s.x, s.y
	if s.buf == &s.alt {
		x, y = s.main.x, s.main.y
	}
	main := s.layOut(&s.main, s.history, x, y, rows, cols, true)
	s.main.x, s.main.y = main.x, main.y
	x, y = s.alt.x, s.alt.y
	if s.buf == &s.alt {
		x, y = s.x, s.y
	}
	alt := s.layOut(&s.alt, nil, x, y, rows, cols, false)
	s.alt.x, s.alt.y = alt.x, alt.y
	s.keepHistory(main.lines[:main.base])
	s.main.rows, s.alt.rows = s.own(main, rows, cols), s.own(alt, rows, cols)

	s.tabs = append(s.tabs, make([]bool, max(cols-len(s.tabs), 0))...)
	s.resetTabs(s.cols)
	s.tabs = s.tabs[:max(cols, len(s.tabs))]
	s.rows, s.cols = rows, cols
	s.x, s.y = min(s.buf.x, cols-1), min(s.buf.y, rows-1)
	s.pending, s.last = false, lastPrinted{}
	s.fullMargins()
	s.touch(0, rows-1)
	if s.held != nil {
		s.held = nil
	}
	if s.modes.on(modeSizeReports) {
		s.reportSize()
	}
}

// keepHistory takes over what is above the screen after a resize. What snapshots have of it is no longer known, so they
// have all of it.
func (s *Screen) keepHistory(lines []*row) {
	if over := len(lines) - s.config.History; over > 0 {
		s.dropped += uint64(over)
		lines = lines[over:]
	}
	s.history = append([]*row(nil), lines...)
	s.pinned = len(s.history)
}

// own returns the rows of the screen as ones that nobody else has and that are as wide as the screen.
func (s *Screen) own(l layout, rows, cols int) []*row {
	out := s.blankRows(rows, cols)
	for i, r := range l.lines[l.base:] {
		if i == rows {
			break
		}
		if !l.reflows && len(r.cells) > cols { // what is cut comes back when the window is made wider
			out[i].cells = append([]cell(nil), r.cells...)
		} else {
			copy(out[i].cells, r.cells)
		}
		if last := &out[i].cells[cols-1]; last.ch&isWide != 0 {
			*last = cell{style: last.style} // its second half is cut
			if len(out[i].cells) > cols {
				out[i].cells[cols].ch = 0
			}
		}
		out[i].wrapped = r.wrapped
	}
	return out
}

func (s *Screen) blankRows(rows, cols int) []*row {
	was := s.cols
	s.cols = cols
	out := s.newRows(rows)
	s.cols = was
	return out
}

// layout is a buffer that is laid out for a new size: all of its lines, the first of them that is on the screen, and the
// cursor, counted from there.
type layout struct {
	lines      []*row
	base       int
	x, y       int
	most       int // how many lines there may be
	rows, cols int // the new size
	was        int // columns before
	reflows    bool
}

func (s *Screen) layOut(b *buffer, above []*row, x, y, rows, cols int, reflows bool) layout {
	l := layout{base: len(above), x: x, y: y, rows: rows, cols: cols, was: s.cols, reflows: reflows}
	l.lines = append(append(make([]*row, 0, len(above)+len(b.rows)), above...), b.rows...)
	l.most = rows
	if reflows {
		l.most += s.config.History
	}
	l.setHeight(s.rows)
	switch {
	case !reflows || cols == s.cols:
	case cols > s.cols:
		l.wider()
	default:
		l.narrower()
	}
	b.saved.x, b.saved.y = min(b.saved.x, cols-1), min(b.saved.y, rows-1)
	l.base = max(min(l.base, len(l.lines)-rows), 0)
	for len(l.lines) < l.base+rows {
		l.lines = append(l.lines, &row{})
	}
	return l
}

// setHeight takes lines from above or below, so that the cursor stays where the text is.
func (l *layout) setHeight(was int) {
	added := 0
	for n := was; n < l.rows; n++ {
		if len(l.lines) >= l.rows+l.base {
			continue
		}
		if l.base > 0 && len(l.lines) <= l.base+l.y+added+1 {
			l.base--
			added++
		} else {
			l.lines = append(l.lines, &row{})
		}
	}
	for n := was; n > l.rows; n-- {
		if len(l.lines) <= l.rows+l.base {
			continue
		}
		if len(l.lines) > l.base+l.y+1 {
			l.lines = l.lines[:len(l.lines)-1]
		} else {
			l.base++
		}
	}
	if over := len(l.lines) - l.most; over > 0 {
		l.lines = l.lines[over:]
		l.base = max(l.base-over, 0)
	}
	l.x = min(l.x, l.cols-1)
	l.y = min(l.y, l.rows-1) + added
}

// paragraph returns the end of the rows that belong together from y on.
func (l *layout) paragraph(y int) int {
	end := y + 1
	for end < len(l.lines) && l.lines[end].wrapped {
		end++
	}
	return end
}

// holdsCursor reports whether the cursor is in the lines from..to-1: the program will draw them again itself.
func (l *layout) holdsCursor(from, to int) bool {
	at := l.base + l.y
	return at >= from && at < to
}

// length returns how many columns of each row belong to the paragraph.
func (l *layout) length(part []*row, i int) int {
	if i == len(part)-1 {
		return part[i].trimmed()
	}
	last := part[i].at(l.was - 1)
	empty := last.ch&(chMask|isCluster|isTail) == 0
	if empty && part[i+1].at(0).ch&isWide != 0 {
		return l.was - 1
	}
	return l.was
}

// text returns the cells of a paragraph in one piece.
func (l *layout) text(part []*row) []cell {
	var out []cell
	for i, r := range part {
		n := l.length(part, i)
		out = append(out, r.cells[:min(n, len(r.cells))]...)
		for range n - len(r.cells) {
			out = append(out, cell{})
		}
	}
	return out
}

// fold lays cells out in rows of the new width; a wide character is never torn.
func (l *layout) fold(cells []cell) []*row {
	var out []*row
	for len(cells) > 0 {
		n := min(l.cols, len(cells))
		if n == l.cols && n > 1 && cells[n-1].ch&isWide != 0 {
			n--
		}
		r := &row{cells: make([]cell, l.cols), wrapped: len(out) > 0}
		copy(r.cells, cells[:n])
		if l.cols == 1 && r.cells[0].ch&(isWide|isTail) != 0 { // too narrow
			r.cells[0] = cell{style: r.cells[0].style}
		}
		out = append(out, r)
		cells = cells[n:]
	}
	return out
}

// wider joins what was wrapped, as far as there is room.
func (l *layout) wider() {
	out := make([]*row, 0, len(l.lines))
	removed := 0
	for y := 0; y < len(l.lines); {
		end := l.paragraph(y)
		part := l.lines[y:end]
		y = end
		if len(part) == 1 || l.holdsCursor(end-len(part), end) {
			out = append(out, part...)
			continue
		}
		folded := l.fold(l.text(part))
		for len(folded) > 1 && folded[len(folded)-1].trimmed() == 0 {
			folded = folded[:len(folded)-1]
		}
		if len(folded) == 0 {
			folded = []*row{{}}
		}
		folded[0].wrapped = part[0].wrapped
		removed += max(len(part)-len(folded), 0)
		out = append(out, folded...)
	}
	l.lines = out
	for range removed {
		if l.base > 0 {
			l.base--
			continue
		}
		l.y = max(l.y-1, 0)
		if len(l.lines) < l.rows {
			l.lines = append(l.lines, &row{})
		}
	}
}

// narrower wraps what is too long. It works from the bottom, as what goes over the top of the history needs no work.
func (l *layout) narrower() {
	var pieces [][]*row // from the bottom
	inserted := 0
	lines := l.lines
	cut := 0 // lines that fell off the bottom
	for y := len(lines); y > 0; {
		end := y
		y--
		for lines[y].wrapped && y > 0 {
			y--
		}
		part := lines[y:end]
		if len(part) == 1 && part[0].trimmed() <= l.cols || l.holdsCursor(y, end) {
			pieces = append(pieces, l.cutOff(part))
			continue
		}
		folded := l.fold(l.text(part))
		l.keepBlanks(folded, part)
		for len(folded) < len(part) {
			folded = append(folded, &row{wrapped: len(folded) > 0})
		}
		folded[0].wrapped = part[0].wrapped
		pieces = append(pieces, folded)
		add := len(folded) - len(part)
		inserted += add
		total := len(lines) - cut + inserted
		over := max(0, total-l.most)
		for range add - min(over, add) {
			switch {
			case l.base > 0 || l.y >= l.rows-1:
				l.base++
			default:
				l.y++
				cut++
			}
		}
	}
	out := make([]*row, 0, len(lines)+inserted)
	for i := len(pieces) - 1; i >= 0; i-- {
		out = append(out, pieces[i]...)
	}
	out = out[:len(out)-min(cut, len(out))]
	if over := len(out) - l.most; over > 0 {
		out = out[over:]
	}
	l.lines = out
}

// cutOff returns rows without what does not fit.
func (l *layout) cutOff(part []*row) []*row {
	out := make([]*row, len(part))
	for i, r := range part {
		if len(r.cells) <= l.cols {
			out[i] = r
			continue
		}
		out[i] = &row{cells: append([]cell(nil), r.cells[:min(len(r.cells), l.cols)]...), wrapped: r.wrapped}
		if last := len(out[i].cells) - 1; last >= 0 && out[i].cells[last].ch&isWide != 0 {
			out[i].cells[last] = cell{style: out[i].cells[last].style}
		}
	}
	return out
}

// keepBlanks leaves the background of what is behind the text of a row as it was.
func (l *layout) keepBlanks(folded, part []*row) {
	last := len(folded) - 1
	if last < 0 || last >= len(part) {
		return
	}
	r := folded[last]
	for x := r.trimmed() + 1; x < l.cols; x++ {
		if c := part[last].at(x); c.ch == 0 {
			r.cells[x] = c
		}
	}
}
