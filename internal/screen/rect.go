package screen

import "fmt"

// area is a rectangle of cells: from its first to before its last row and column.
type area struct{ top, left, bottom, right int }

// area reads a rectangle from four parameters, and reports whether there is anything in it.
func (s *Screen) area(at int) (area, bool) {
	dy, dx, rows, cols := 0, 0, s.rows, s.cols
	if s.modes.on(modeOrigin) {
		dy, dx, rows, cols = s.top, s.left, s.bottom+1, s.right+1
	}
	end := func(i, d, limit int) int {
		if n := s.arg(i, 0); n > 0 {
			return min(n+d, limit)
		}
		return limit
	}
	a := area{s.count(at) - 1 + dy, s.count(at+1) - 1 + dx, end(at+2, dy, rows), end(at+3, dx, cols)}
	return a, a.top < a.bottom && a.left < a.right
}

// rectangle obeys what works on rectangles.
func (s *Screen) rectangle(inter, final byte) {
	switch {
	case inter == '$' && final == 'v':
		s.copyArea()
	case inter == '$' && final == 'x':
		s.fillArea()
	case inter == '$' && (final == 'z' || final == '{'):
		if a, ok := s.area(0); ok {
			s.eraseArea(a, final == '{')
		}
	case inter == '$' && (final == 'r' || final == 't'):
		s.changeArea(final == 't')
	case inter == '*' && final == 'x':
		s.extent = s.arg(0, 0)
	case inter == '*' && final == 'y':
		s.checksum()
	}
}

// copyArea obeys DECCRA.
func (s *Screen) copyArea() {
	from, ok := s.area(0)
	if !ok {
		return
	}
	dy, dx := s.count(5)-1, s.count(6)-1
	if s.modes.on(modeOrigin) {
		dy, dx = dy+s.top, dx+s.left
	}
	var copied [][]cell
	for y := from.top; y < from.bottom; y++ {
		copied = append(copied, append([]cell(nil), s.buf.rows[y].cells[from.left:from.right]...))
	}
	blank := s.eraser().style
	for i, cells := range copied {
		if dy+i >= s.rows || dx >= s.cols {
			break
		}
		r := s.line(dy + i)
		end := min(dx+len(cells), s.cols)
		r.split(dx, blank)
		r.split(end, blank)
		copy(r.cells[dx:end], cells)
		r.mend(dx, blank)
		r.mend(end, blank)
	}
}

// fillArea obeys DECFRA.
func (s *Screen) fillArea() {
	a, ok := s.area(1)
	ch := s.arg(0, 0)
	if ch == 0 {
		ch = ' '
	}
	if !ok || ch < 0x20 || ch > 0x7e && ch < 0xa0 || ch > 0xff {
		return
	}
	s.look()
	for y := a.top; y < a.bottom; y++ {
		r := s.line(y)
		r.split(a.left, s.style)
		r.split(a.right, s.style)
		r.fill(a.left, a.right, cell{uint32(s.charsets.translate(rune(ch))) | s.kept, s.style})
	}
}

// eraseArea obeys DECERA and DECSERA, which spares what DECSCA protects, and not what SPA does.
func (s *Screen) eraseArea(a area, selective bool) {
	was := s.protection
	s.protection = protectNone
	if selective && was != protectISO {
		s.protection = protectDEC
	}
	for y := a.top; y < a.bottom; y++ {
		s.erase(y, a.left, a.right, selective)
	}
	s.protection = was
}

// changeArea obeys DECCARA and, with toggle, DECRARA: as a rectangle, or as a stream of characters if DECSACE says so.
func (s *Screen) changeArea(toggle bool) {
	a, ok := s.area(0)
	if !ok && s.extent == 2 { // a stream may end to the left of its beginning
		return
	}
	for y := a.top; y < a.bottom; y++ {
		from, to := a.left, a.right
		if s.extent != 2 {
			if y > a.top {
				from = 0
			}
			if y < a.bottom-1 {
				to = s.cols
			}
		}
		r := s.line(y)
		for x := from; x < to; x++ {
			r.cells[x].style = s.changed(r.cells[x].style, toggle)
		}
	}
}

// changed returns a style with the attributes of parameters 4 and on changed.
func (s *Screen) changed(style uint32, toggle bool) uint32 {
	p := s.styles.items[style]
	for i := 4; i < max(s.parser.Params(), 5); i++ {
		n := s.arg(i, 0)
		switch {
		case toggle:
			p.toggle(n)
		case n == 0:
			p.Attr &^= Bold | Blink | Reverse | Invisible
			p.Underline = NoUnderline
		case n < 30:
			p.attribute(n)
		}
	}
	if s.styles.full() {
		s.collectTexts()
	}
	return s.styles.intern(p)
}

func (p *Style) toggle(n int) {
	flip := func() {
		if p.Underline == NoUnderline {
			p.Underline = Single
		} else {
			p.Underline = NoUnderline
		}
	}
	switch n {
	case 0:
		p.Attr ^= Bold | Blink | Reverse | Invisible
		flip()
	case 1:
		p.Attr ^= Bold
	case 4:
		flip()
	case 5:
		p.Attr ^= Blink
	case 7:
		p.Attr ^= Reverse
	case 8:
		p.Attr ^= Invisible
	}
}

// How a checksum is reckoned, as XTCHECKSUM sets it.
const (
	sumPositive     = 1 << iota // it is not negated
	sumNoAttributes             // attributes do not count
	sumNoTrim                   // blanks at the end of a line count
	sumDrawn                    // places where nothing was written count as blanks
	sumWhole                    // characters count with all of their bits

	defaultChecksum = sumPositive | sumNoAttributes | sumNoTrim | sumDrawn | sumWhole
)

// checksum answers DECRQCRA.
func (s *Screen) checksum() {
	sum := 0
	if a, ok := s.area(2); ok {
		sum = s.sum(a)
	}
	s.reply("DECRQCRA", s.dcsIntro()+fmt.Sprintf("%d!~%04X", s.arg(0, 0), uint16(sum))+s.st())
}

func (s *Screen) sum(a area) int {
	flags := s.checksumFlags
	total, trimmed, blanks := 0, 0, 0
	first := true
	for y := a.top; y < a.bottom; y++ {
		for _, c := range s.buf.rows[y].cells[a.left:a.right] {
			n, written := s.cellSum(c)
			if !written && flags&(sumNoTrim|sumDrawn) == 0 {
				continue
			}
			if first || n != ' ' || c.style != 0 {
				trimmed += n + blanks
				blanks = 0
			} else {
				blanks += n
			}
			total += n
			first = flags&sumNoTrim != 0
		}
		if flags&sumNoTrim == 0 {
			blanks, first = 0, false
		}
	}
	if flags&sumNoTrim == 0 {
		total = trimmed
	}
	if flags&sumPositive == 0 {
		total = -total
	}
	return total
}

// cellSum is what one cell counts, and whether anything was written to it.
func (s *Screen) cellSum(c cell) (n int, written bool) {
	n = ' '
	if c.ch&(chMask|isCluster) != 0 {
		n, written = 0, true
		for _, r := range s.clusterText(c) {
			n += int(r)
		}
	}
	if s.checksumFlags&sumWhole == 0 {
		n &= 0xff
	}
	if s.checksumFlags&sumNoAttributes != 0 {
		return n, written
	}
	p := s.styles.items[c.style]
	for _, a := range []struct {
		on bool
		n  int
	}{
		{c.ch&isKept != 0, 0x4}, {p.Attr&Invisible != 0, 0x8}, {p.Underline != 0, 0x10},
		{p.Attr&Reverse != 0, 0x20}, {p.Attr&Blink != 0, 0x40}, {p.Attr&Bold != 0, 0x80},
	} {
		if a.on {
			n += a.n
		}
	}
	return n, written
}
