package echo

import (
	"unicode/utf8"

	"omniexpect/internal/cells"
	"omniexpect/internal/vt"
)

// cell is one cell of a row. A wide character has its text in the first of its cells.
type cell struct {
	text string // "" if nothing was drawn there, or it was erased
	tail bool   // the second cell of a wide character
	at   int64  // where in the output it was drawn
}

// rows is what was drawn, as far as it can be known from a piece of output: rows are counted from where the piece begins,
// upwards and downwards, so that none scrolls away.
type rows struct {
	width    int
	noWrap   bool
	row, col int // col == width: the next character goes to the next row
	cells    map[int][]cell
	saved    [2]int
	lowest   int
	absolute bool // the cursor was sent to a row by its number, so rows before and after do not compare

	parser vt.Parser
	at     int64 // in the output, after what was fed

	printed func() bool // called after each character
	drawn   int64       // after the newest character
}

func newRows(width int) *rows {
	return &rows{width: max(width, 1), cells: map[int][]cell{}, parser: vt.New(vt.Options{UTF8: true})}
}

// feed draws output. At each line end, before the cursor moves, it calls lineEnd, and printed after each character. It
// stops where one reports true.
func (r *rows) feed(b []byte, lineEnd func() bool) (stopped bool) {
	for len(b) > 0 {
		e := r.parser.Next(b)
		b = b[e.N:]
		r.at += int64(e.N)
		switch e.Kind {
		case vt.Print:
			at := r.at - int64(len(e.Text))
			for text := e.Text; len(text) > 0; {
				c, n := utf8.DecodeRune(text)
				at += int64(n)
				r.print(c, string(text[:n]), at)
				text = text[n:]
				if r.printed != nil && r.printed() {
					return true
				}
			}
		case vt.Execute:
			if e.Byte >= '\n' && e.Byte <= '\f' && lineEnd != nil && lineEnd() {
				return true
			}
			r.control(e.Byte)
		case vt.Esc:
			r.escape(e.Byte)
		case vt.CSI:
			r.sequence(e.Byte)
		}
	}
	return false
}

// line returns the cells of a row, grown to a column.
func (r *rows) line(row, cols int) []cell {
	l := r.cells[row]
	if len(l) < cols {
		l = append(l, make([]cell, cols-len(l))...)
		r.cells[row] = l
	}
	return l
}

func (r *rows) print(c rune, text string, at int64) {
	wide := cells.Width(c)
	r.drawn = at
	if wide == 0 {
		if col := r.col - 1; col >= 0 && col < len(r.cells[r.row]) && r.cells[r.row][col].text != "" {
			r.cells[r.row][col].text += text
		}
		return
	}
	if r.col+wide > r.width {
		if r.noWrap {
			r.col = max(r.width-wide, 0)
		} else {
			r.row, r.col = r.row+1, 0
		}
	}
	l := r.line(r.row, r.col+wide)
	l[r.col] = cell{text: text, at: at}
	if wide == 2 {
		l[r.col+1] = cell{tail: true, at: at}
	}
	r.col += wide
	r.lowest = max(r.lowest, r.row)
}

func (r *rows) control(c byte) {
	switch c {
	case '\b':
		r.move(r.row, min(r.col, r.width-1)-1)
	case '\r':
		r.col = 0
	case '\t':
		r.move(r.row, (r.col/8+1)*8)
	case '\n', '\v', '\f':
		r.move(r.row+1, r.col)
	}
}

// move puts the cursor somewhere within the columns.
func (r *rows) move(row, col int) { r.row, r.col = row, min(max(col, 0), r.width-1) }

func (r *rows) escape(c byte) {
	if r.parser.Intermediates() != "" {
		return
	}
	switch c {
	case '7':
		r.saved = [2]int{r.row, r.col}
	case '8':
		r.move(r.saved[0], r.saved[1])
	case 'D':
		r.move(r.row+1, r.col)
	case 'E':
		r.move(r.row+1, 0)
	case 'M':
		r.move(r.row-1, r.col)
	case 'c':
		r.absolute = true
	}
}

func (r *rows) sequence(c byte) {
	if p := r.parser.Private(); p != 0 || r.parser.Intermediates() != "" {
		if p == '?' && (c == 'h' || c == 'l') {
			r.mode(c == 'h')
		}
		return
	}
	n := int(max(r.parser.Param(0, 1), 1))
	col := min(r.col, r.width-1)
	switch c {
	case 'A':
		r.move(r.row-n, col)
	case 'B', 'e':
		r.move(r.row+n, col)
	case 'C', 'a':
		r.move(r.row, col+n)
	case 'D':
		r.move(r.row, col-n)
	case 'E':
		r.move(r.row+n, 0)
	case 'F':
		r.move(r.row-n, 0)
	case 'G', '`':
		r.move(r.row, n-1)
	case 'H', 'f':
		r.absolute = true
		r.move(n-1, int(max(r.parser.Param(1, 1), 1))-1)
	case 'd':
		r.absolute = true
		r.move(n-1, col)
	case 'J', 'K':
		r.erase(c == 'J', int(r.parser.Param(0, 0)))
	case '@', 'P', 'X':
		r.shift(c, n, col)
	case 's':
		r.saved = [2]int{r.row, r.col}
	case 'u':
		r.move(r.saved[0], r.saved[1])
	case 'r', 'L', 'M', 'S', 'T':
		r.absolute = true
	}
}

func (r *rows) mode(on bool) {
	for i := range r.parser.Params() {
		switch r.parser.Param(i, 0) {
		case 7:
			r.noWrap = !on
		case 47, 1047, 1049:
			r.absolute = true
		}
	}
}

// erase is ED and EL: from the cursor on, up to it, or all.
func (r *rows) erase(screen bool, what int) {
	l, col := r.cells[r.row], min(r.col, r.width-1)
	for i := range l {
		if what >= 2 || what == 0 && i >= col || what == 1 && i <= col {
			l[i] = cell{}
		}
	}
	for row := range r.cells {
		if screen && (what >= 2 || what == 0 && row > r.row || what == 1 && row < r.row) {
			delete(r.cells, row)
		}
	}
}

// shift is ICH, DCH and ECH.
func (r *rows) shift(c byte, n, col int) {
	n = min(n, r.width-col)
	l := r.line(r.row, r.width)
	switch c {
	case '@':
		copy(l[col+n:], l[col:])
		clear(l[col : col+n])
	case 'P':
		copy(l[col:], l[col+n:])
		clear(l[r.width-n:])
	case 'X':
		clear(l[col : col+n])
	}
}
