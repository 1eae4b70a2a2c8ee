package screen

import (
	"bytes"
	"unicode/utf8"

	"omniexpect/internal/cells"
	"omniexpect/internal/vt"
)

// print writes characters at the cursor.
func (s *Screen) print(text []byte) {
	for len(text) > 0 {
		if n := vt.Printable(text); n > 0 {
			s.ascii(text[:n])
			text = text[n:]
			continue
		}
		r, n := utf8.DecodeRune(text)
		s.char(r)
		text = text[n:]
	}
}

// look makes sure that the pen has a number.
func (s *Screen) look() {
	if s.penKnown {
		return
	}
	if s.styles.full() {
		s.collectTexts()
	}
	p := &s.pen
	slot := uint32(p.Fg)*0x9e3779b1 ^ uint32(p.Bg)*0x85ebca6b ^ uint32(p.Attr)<<26 ^ uint32(p.Underline)<<29
	s.style = s.styles.internAt(slot>>26, *p)
	if s.blankOf != p.Bg {
		s.blankOf, s.blank = p.Bg, cell{style: s.styles.intern(Style{Bg: p.Bg})}
	}
	s.penKnown = true
}

// eraser is what erasing leaves: nothing, on the pen's background.
func (s *Screen) eraser() cell {
	s.look()
	return s.blank
}

// edge is the last column that the cursor may write to from where it is.
func (s *Screen) edge() int {
	if s.x <= s.right {
		return s.right
	}
	return s.cols - 1
}

// ascii is the fast path: a run of printable ASCII.
func (s *Screen) ascii(b []byte) {
	s.look()
	if !s.charsets.plain() || s.modes.on(modeInsert) {
		for _, c := range b {
			s.char(rune(c))
		}
		return
	}
	wraps := s.modes.on(modeWrap)
	for len(b) > 0 {
		if s.pending {
			if s.pending = false; wraps {
				s.wrap()
			}
		}
		edge := s.edge()
		n := min(len(b), edge-s.x+1)
		r := s.line(s.y)
		r.split(s.x, s.style)
		r.split(s.x+n, s.style)
		kept, style := s.kept, s.style
		run := r.cells[s.x : s.x+n]
		for i, c := range b[:n] {
			run[i] = cell{uint32(c) | kept, style}
		}
		s.last = lastPrinted{row: r, x: s.x + n - 1, ok: true}
		s.x += n
		if b = b[n:]; s.x > edge {
			s.x, s.pending = edge, true
			if !wraps && len(b) > 0 {
				r.cells[edge].ch = uint32(b[len(b)-1]) | kept
				b = nil
			}
		}
	}
	s.repeat = s.last.row.cells[s.last.x]
}

// char writes one character, or joins it with what was written before.
func (s *Screen) char(r rune) {
	if r < utf8.RuneSelf {
		r = s.charsets.translate(r)
	} else {
		s.charsets.single = 0
	}
	w := cells.Width(r)
	switch {
	case r >= 0x300 && s.join(r):
	case w == 0:
		s.mark(r)
	default:
		s.put(uint32(r), w)
	}
}

// join adds a character to the cluster that was written last, and reports whether it belongs there.
func (s *Screen) join(r rune) bool {
	if !s.last.ok || s.config.Widths != Clusters {
		return false
	}
	c := s.last.row.cells[s.last.x]
	if c.ch&isCluster == 0 && cells.Alone(rune(c.ch&chMask)) && cells.Alone(r) {
		return false
	}
	text := s.clusterText(c)
	w := cells.Joined(text, r)
	if w == 0 {
		return false
	}
	if len(text) >= maxCluster {
		return true
	}
	ch := s.cluster(text+string(r)) | c.ch&(isKept|isWide)
	s.last.row.cells[s.last.x].ch = ch
	s.last.row.changed = s.generation
	if w == 2 && c.ch&isWide == 0 {
		s.widen()
	}
	s.repeat.ch = s.last.row.at(s.last.x).ch
	return true
}

// widen gives the cell that was written last its second column.
func (s *Screen) widen() {
	r, x := s.last.row, s.last.x
	c := r.cells[x]
	switch {
	case !s.pending:
		s.last.row.split(x+1, s.style)
		r.split(x+2, s.style)
		r.cells[x].ch |= isWide
		r.cells[x+1] = cell{isTail | c.ch&isKept, c.style}
		if s.x++; s.x > s.edge() || s.x >= s.cols {
			s.x, s.pending = x+1, true
		}
	case s.modes.on(modeWrap) && s.cols > 1:
		r.cells[x] = cell{style: s.style}
		s.put(c.ch, 2)
	}
}

// mark puts what has no width of its own on the cell to the left.
func (s *Screen) mark(r rune) {
	x := s.x - 1
	if s.pending {
		x = s.x
	}
	line := s.line(s.y)
	if x >= 0 && line.cells[x].ch&isTail != 0 {
		x--
	}
	if x < 0 {
		return
	}
	c := line.cells[x]
	if text := s.clusterText(c); len(text) < maxCluster {
		line.cells[x].ch = s.cluster(text+string(r)) | c.ch&(isKept|isWide)
	}
}

func (s *Screen) clusterText(c cell) string {
	switch {
	case c.ch&isCluster != 0:
		return s.clusters.items[c.ch&chMask]
	case c.ch&chMask == 0:
		return " "
	}
	return string(rune(c.ch & chMask))
}

func (s *Screen) cluster(text string) uint32 {
	if s.clusters.full() {
		s.collectTexts()
	}
	return s.clusters.intern(text) | isCluster
}

// put writes a character or cluster, given without width, at the cursor.
func (s *Screen) put(ch uint32, w int) {
	s.look()
	ch = ch&(chMask|isCluster) | s.kept
	wraps := s.modes.on(modeWrap)
	w = min(w, s.cols)
	s.last.ok = false
	if s.pending {
		if s.pending = false; wraps {
			s.wrap()
		}
	}
	if s.x+w-1 > s.edge() {
		if !wraps {
			return
		}
		r := s.line(s.y)
		r.split(s.x, s.style)
		r.fill(s.x, s.edge()+1, cell{style: s.style})
		s.wrap()
		if s.x+w-1 > s.edge() {
			return
		}
	}
	r := s.line(s.y)
	edge := s.edge()
	if s.modes.on(modeInsert) {
		r.insert(s.x, edge+1, w, cell{style: s.style})
	}
	r.split(s.x, s.style)
	r.split(s.x+w, s.style)
	if w == 2 {
		ch |= isWide
		r.cells[s.x+1] = cell{isTail | s.kept, s.style}
	}
	r.cells[s.x] = cell{ch, s.style}
	s.last = lastPrinted{row: r, x: s.x, ok: true}
	s.repeat = r.cells[s.x]
	if s.x += w; s.x > edge {
		s.x, s.pending = edge, true
	}
}

// wrap goes to the beginning of the next line, which goes on with this one.
func (s *Screen) wrap() {
	s.x = s.leftOf(s.x)
	s.down()
	s.line(s.y).wrapped = true
}

// repeatLast obeys REP, which is for a character that was just written.
func (s *Screen) repeatLast(n int) {
	if !s.repeats || s.repeat.ch&(chMask|isCluster) == 0 {
		return
	}
	w := 1
	if s.repeat.ch&isWide != 0 {
		w = 2
	}
	ch := s.repeat.ch
	n = min(n, s.rows*s.cols)
	if ch&^isKept < utf8.RuneSelf && s.charsets.plain() {
		run := bytes.Repeat([]byte{byte(ch)}, n)
		s.ascii(run)
		n = 0
	}
	for range n {
		s.put(ch, w)
	}
	s.last.ok = false
}
