package match

import (
	"math"
	"unicode/utf8"

	"omniexpect/internal/cells"
)

// each moves the cursor over printed characters one by one: a wide one that would be cut at the margin wraps as a whole.
func (d *decoder) each(p []byte) {
	for len(p) > 0 {
		r, n := utf8.DecodeRune(p)
		p = p[n:]
		d.character(int32(cells.Width(r)))
	}
}

// character moves the cursor over one printed character.
func (d *decoder) character(cells int32) {
	if cells > 1 && d.col == d.cols-1 && d.cols > 1 && !d.noWrap {
		d.col++
	}
	d.advance(cells)
}

// advance moves the cursor over printed cells, wrapping at the margin.
func (d *decoder) advance(cells int32) {
	d.text = true
	d.col += cells
	if d.col <= d.cols {
		return
	}
	if d.noWrap {
		d.col = d.cols
		return
	}
	over := (d.col - 1) / d.cols
	d.col -= over * d.cols
	d.since, d.drawn = 0, nil
	for ; over > 0 && d.row != d.bottom && d.row < d.rows-1; over-- {
		d.row++
	}
}

// moveTo puts the cursor somewhere. On another row that is a line end in the text; to the right on a row that has text it
// is blanks for the cells that nothing is drawn on, for the movements that programs use in place of blanks.
func (d *decoder) moveTo(row, col int32, blanks bool, out sink) {
	row = min(max(row, 0), d.rows-1)
	col = min(max(col, 0), d.cols-1)
	if row != d.row {
		d.row, d.col = row, col
		d.newRow(out)
		return
	}
	if !blanks || !d.text || col < d.col {
		d.goTo(col)
		return
	}
	for d.col < col { // the blanks in the text, and what they are between, are like characters that were printed
		d.col++
		if d.drawn.blank(d.col-1, d.col) > 0 {
			d.put(' ', out)
		}
	}
}

// goTo puts the cursor on another cell of the row, with nothing drawn in between.
func (d *decoder) goTo(col int32) {
	d.settle()
	d.col, d.since = col, col
}

// settle adds what was printed last to what was drawn on the row.
func (d *decoder) settle() {
	d.drawn = d.drawn.add(d.since, d.col)
	d.since = d.col
}

// newCells forgets what was drawn, where the row is another one or its content has moved.
func (d *decoder) newCells() { d.since, d.drawn = d.col, nil }

// erase takes the cells of the row away that ED and EL do: to the end of it, from its beginning, or all.
func (d *decoder) erase(how int32) {
	d.settle()
	at := min(d.col, d.cols-1)
	switch how {
	case 0:
		d.drawn = d.drawn.remove(at, d.cols)
	case 1:
		d.drawn = d.drawn.remove(0, at+1)
	case 2:
		d.drawn = nil
	}
}

// insert makes room at the cursor by moving what is right of it; a negative number deletes cells there.
func (d *decoder) insert(n int32) {
	d.settle()
	at := min(d.col, d.cols-1)
	if n < 0 {
		d.drawn = d.drawn.remove(at, at-n).shift(at, n)
		return
	}
	d.drawn = d.drawn.shift(at, n).remove(d.cols, math.MaxInt32)
}

// tab goes to the next tab stop; the tab in the text stands for the cells up to it.
func (d *decoder) tab() {
	d.text = true
	if to := min(d.col/8*8+8, d.cols-1); to >= d.col {
		d.col = to
	} else {
		d.goTo(to)
	}
}

// lineFeed goes to the next row as LF does, and puts a line end into the text.
func (d *decoder) lineFeed() {
	d.index()
	d.text = false
}

// index goes to the next row.
func (d *decoder) index() {
	d.newCells()
	if d.row != d.bottom && d.row < d.rows-1 {
		d.row++
	}
}
