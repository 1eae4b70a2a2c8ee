package match

// escape takes an escape sequence by its final byte.
func (d *decoder) escape(final byte, out sink) {
	if d.parser.Intermediates() != "" {
		return // character sets and the like
	}
	switch final {
	case '7':
		d.saveCursor()
	case '8':
		d.restoreCursor(out)
	case 'D':
		d.index()
		d.newRow(out)
	case 'E':
		d.index()
		d.goTo(0)
		d.newRow(out)
	case 'M':
		if d.row != d.top && d.row > 0 {
			d.row--
		}
		d.newRow(out)
	case 'c':
		moved := d.row != 0
		d.flushCR(out)
		*d = decoder{keepNUL: d.keepNUL, raw: d.raw, parser: newParser(), rows: d.rows, cols: d.cols, bottom: d.rows - 1, text: d.text}
		if moved {
			d.newRow(out)
		}
	}
}

// newRow marks in the text that the cursor is on another row now.
func (d *decoder) newRow(out sink) {
	d.newCells()
	d.text = false
	d.put('\n', out)
}

func (d *decoder) saveCursor() { d.save[d.screen()] = [2]int32{d.row, d.col} }

func (d *decoder) restoreCursor(out sink) {
	at := d.save[d.screen()]
	d.moveTo(at[0], at[1], false, out)
}

func (d *decoder) screen() int {
	if d.alternate {
		return 1
	}
	return 0
}

// arg returns parameter i, where 0 and absent mean 1.
func (d *decoder) arg(i int) int32 { return max(d.parser.Param(i, 1), 1) }

// dispatch takes a control sequence by its final byte. Nothing that moves the cursor has intermediate bytes.
func (d *decoder) dispatch(c byte, out sink) {
	switch private := d.parser.Private(); {
	case d.parser.Intermediates() != "":
		return
	case private == '?' && (c == 'h' || c == 'l'):
		d.mode(c == 'h', out)
		return
	case private != 0:
		return
	}
	switch c {
	case 'A':
		d.moveTo(d.row-d.arg(0), d.col, false, out)
	case 'B', 'e':
		d.moveTo(d.row+d.arg(0), d.col, false, out)
	case 'C', 'a':
		d.moveTo(d.row, min(d.col, d.cols-1)+d.arg(0), true, out)
	case 'D':
		d.moveTo(d.row, min(d.col, d.cols-1)-d.arg(0), false, out)
	case 'E':
		d.moveTo(d.row+d.arg(0), 0, false, out)
	case 'F':
		d.moveTo(d.row-d.arg(0), 0, false, out)
	case 'G', '`':
		d.moveTo(d.row, d.arg(0)-1, true, out)
	case 'H', 'f':
		d.moveTo(d.arg(0)-1, d.arg(1)-1, true, out)
	case 'd':
		d.moveTo(d.arg(0)-1, d.col, false, out)
	case 'I':
		d.goTo(min((d.col/8+d.arg(0))*8, d.cols-1))
	case 'Z':
		d.goTo(max((min(d.col, d.cols-1)+7)/8-d.arg(0), 0) * 8)
	case 'J', 'K':
		d.erase(d.parser.Param(0, 0))
	case 'X':
		d.settle()
		d.drawn = d.drawn.remove(min(d.col, d.cols-1), min(d.col, d.cols-1)+d.arg(0))
	case '@':
		d.insert(d.arg(0))
	case 'P':
		d.insert(-d.arg(0))
	case 'L', 'M', 'S', 'T':
		d.newCells()
	case 'b':
		d.repeat(d.arg(0), out)
	case 's':
		d.saveCursor()
	case 'u':
		d.restoreCursor(out)
	case 'r':
		d.scrollRegion(out)
	}
}

func (d *decoder) scrollRegion(out sink) {
	top, bottom := d.arg(0)-1, d.parser.Param(1, 0)
	if bottom == 0 || bottom > d.rows {
		bottom = d.rows
	}
	if top < bottom-1 {
		d.top, d.bottom = top, bottom-1
		d.moveTo(0, 0, false, out)
	}
}

// mode sets or resets DEC private modes; only those that move the cursor or change what keys send matter here.
func (d *decoder) mode(on bool, out sink) {
	for i := range d.parser.Params() {
		switch n := d.parser.Param(i, 0); n {
		case 1:
			d.cursorKeys = on
		case 6:
			d.moveTo(0, 0, false, out)
		case 7:
			d.noWrap = !on
		case 47, 1047, 1049:
			d.switchScreen(on, n == 1049, out)
		case 2004:
			d.paste = on
		case 1048:
			if on {
				d.saveCursor()
			} else {
				d.restoreCursor(out)
			}
		}
	}
}

func (d *decoder) switchScreen(on, cursor bool, out sink) {
	if on == d.alternate {
		return
	}
	if on && cursor {
		d.saveCursor()
	}
	d.alternate = on
	if !on && cursor {
		d.row, d.col = min(d.save[0][0], d.rows-1), min(d.save[0][1], d.cols-1)
	}
	d.newRow(out)
}
