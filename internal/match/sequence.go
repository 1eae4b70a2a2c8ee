package match

// sequence takes a byte of an escape or control sequence.
func (d *decoder) sequence(c byte, out sink) {
	switch d.state {
	case escape:
		d.escape(c, out)
	case escInter:
		if c >= 0x30 {
			d.state = ground
		}
	default:
		d.csi(c, out)
	}
}

func (d *decoder) escape(c byte, out sink) {
	d.state = ground
	switch {
	case c == '[':
		d.state, d.nParam, d.private, d.params = csi, 0, 0, [maxParams]int32{}
	case c == ']':
		d.state = osc
	case c == 'P' || c == 'X' || c == '^' || c == '_':
		d.state = str
	case c < 0x30:
		d.state = escInter
	case c == '7':
		d.saveCursor()
	case c == '8':
		d.restoreCursor(out)
	case c == 'D':
		d.index()
		d.newRow(out)
	case c == 'E':
		d.index()
		d.goTo(0)
		d.newRow(out)
	case c == 'M':
		if d.row != d.top && d.row > 0 {
			d.row--
		}
		d.newRow(out)
	case c == 'c':
		moved := d.row != 0
		d.flushCR(out)
		*d = decoder{keepNUL: d.keepNUL, raw: d.raw, rows: d.rows, cols: d.cols, bottom: d.rows - 1, text: d.text}
		if moved {
			d.newRow(out)
		}
	}
}

// newRow says in the text that the cursor is on another row now.
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

// csi takes a byte of a control sequence.
func (d *decoder) csi(c byte, out sink) {
	switch {
	case c >= '0' && c <= '9':
		if d.nParam == 0 {
			d.nParam = 1
		}
		if d.nParam <= maxParams {
			p := &d.params[d.nParam-1]
			*p = min(*p*10+int32(c-'0'), 1<<16)
		}
	case c == ';' || c == ':':
		d.nParam = min(max(d.nParam, 1)+1, maxParams+1)
	case c >= '<' && c <= '?':
		d.private = c
	case c < 0x40:
		d.state = csiIgnore // intermediate bytes: nothing that moves the cursor has them
	default:
		ignore := d.state == csiIgnore
		d.state = ground
		if !ignore {
			d.dispatch(c, out)
		}
	}
}

// arg returns parameter i, where 0 and absent mean 1.
func (d *decoder) arg(i int) int32 { return max(d.params[i], 1) }

func (d *decoder) dispatch(c byte, out sink) {
	if d.private != 0 {
		if d.private == '?' && (c == 'h' || c == 'l') {
			d.mode(c == 'h', out)
		}
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
		d.erase(d.params[0])
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
	top, bottom := d.arg(0)-1, d.params[1]
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
	for i := 0; i < int(d.nParam) && i < maxParams; i++ {
		switch d.params[i] {
		case 1:
			d.cursorKeys = on
		case 6:
			d.moveTo(0, 0, false, out)
		case 7:
			d.noWrap = !on
		case 47, 1047, 1049:
			d.switchScreen(on, d.params[i] == 1049, out)
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
