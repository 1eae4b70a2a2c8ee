package match

import (
	"bytes"
	"unicode/utf8"

	"omniexpect/internal/cells"
)

// The size of a terminal on which nothing wraps or scrolls.
const (
	foldRows = 1 << 16
	foldCols = 1 << 20
)

// Folded is Plain as a person reads a row: what was written over is replaced, after backspaces and movements of the cursor
// on the row. A lone CR stays.
func Folded(raw []byte) []byte {
	if !goesBack(raw) {
		return Plain(raw, foldRows, foldCols)
	}
	d := newDecoder(foldRows, foldCols, false)
	f := folder{d: &d}
	d.decode(raw, &f)
	d.flush(&f)
	f.flush()
	return f.out
}

// goesBack reports whether an output may move the cursor to the left, but for CRs.
func goesBack(raw []byte) bool {
	if bytes.IndexByte(raw, '\b') >= 0 {
		return true
	}
	for {
		i := bytes.Index(raw, []byte("\x1b["))
		if i < 0 {
			return false
		}
		raw = raw[i+2:]
		n := 0
		for n < len(raw) && raw[n] >= '0' && raw[n] <= ';' {
			n++
		}
		if n < len(raw) && bytes.IndexByte([]byte("DGHZ`f"), raw[n]) >= 0 {
			return true
		}
	}
}

// folder is a sink that keeps the row which is being written, by the column where its decoder is.
type folder struct {
	d   *decoder
	row [][]byte // by column; of a wide character the second one is empty
	out []byte
}

func (f *folder) run(p []byte, _ int64) { f.write(p) }
func (f *folder) sub(p []byte, _ int64) { f.write(p) }

func (f *folder) write(p []byte) {
	switch c := p[0]; {
	case c == '\b':
		return
	case c == '\t':
		f.place(int(f.d.col)-1, 1, []byte{c})
		return
	case c < 0x20 || c == 0x7f:
		f.flush()
		f.out = append(f.out, c)
		return
	}
	col := int(f.d.col)
	for q := p; len(q) > 0; {
		r, n := utf8.DecodeRune(q)
		col -= cells.Width(r)
		q = q[n:]
	}
	for len(p) > 0 {
		r, n := utf8.DecodeRune(p)
		wide := cells.Width(r)
		f.place(col, wide, p[:n])
		col += wide
		p = p[n:]
	}
}

// place puts a character on its cells. One without a cell of its own joins the one before.
func (f *folder) place(col, cells int, c []byte) {
	if cells == 0 {
		if col = f.owner(col - 1); col >= 0 {
			f.row[col] = append(bytes.Clone(f.row[col]), c...)
		}
		return
	}
	for len(f.row) < col+cells {
		f.row = append(f.row, nil)
	}
	if own := f.owner(col); own < col {
		f.row[own] = []byte{' '} // half of a wide character is left
	}
	if next := col + cells; next < len(f.row) && f.owner(next) < next {
		f.row[next] = []byte{' '}
	}
	f.row[col] = bytes.Clone(c)
	if cells > 1 {
		f.row[col+1] = nil
	}
}

// owner returns the column where the character begins that a cell belongs to, or the cell itself.
func (f *folder) owner(col int) int {
	if col > 0 && col < len(f.row) && len(f.row[col]) == 0 {
		if r, _ := utf8.DecodeRune(f.row[col-1]); len(f.row[col-1]) > 0 && cells.Width(r) > 1 {
			return col - 1
		}
	}
	return min(col, len(f.row)-1)
}

// flush ends the row.
func (f *folder) flush() {
	for _, c := range f.row {
		f.out = append(f.out, c...)
	}
	clear(f.row)
	f.row = f.row[:0]
}
