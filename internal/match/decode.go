package match

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// A sink takes what a decoder produces. end is the offset after the last raw byte that made p; of a run, every byte of p
// is the raw byte at the same distance from end.
type sink interface {
	run(p []byte, end int64)
	sub(p []byte, end int64)
}

// The parser's states.
const (
	ground    = iota
	escape    // after ESC
	escInter  // after ESC and intermediate bytes
	csi       // inside a control sequence
	csiIgnore // inside one whose parameters make no sense
	str       // inside DCS, SOS, PM, APC
	osc       // inside an operating system command, which BEL ends too
	strEsc    // after an ESC inside a string
)

const maxParams = 4

// decoder turns the bytes that a program writes to its terminal into the text view, in one pass, cut anywhere. It is a
// value: a copy is a checkpoint. It follows the cursor only as far as the text view needs it.
type decoder struct {
	keepNUL bool

	raw   int64 // offset of the next raw byte
	state uint8

	held    bool // a CR is held back: a LF may follow
	partial [utf8.UTFMax]byte
	nPart   uint8

	params  [maxParams]int32
	nParam  uint8
	private byte

	rows, cols  int32
	row, col    int32 // col == cols: the next character wraps
	top, bottom int32 // the scrolling region
	noWrap      bool
	alternate   bool
	paste       bool // bracketed paste is on
	cursorKeys  bool // arrow keys send their application sequences
	text        bool // the row has text since it was entered
	save        [2][2]int32
}

func newDecoder(rows, cols int, keepNUL bool) decoder {
	d := decoder{keepNUL: keepNUL}
	d.resize(rows, cols)
	return d
}

// resize sets the size of the terminal, which decides where lines wrap and the screen ends.
func (d *decoder) resize(rows, cols int) {
	d.rows, d.cols = int32(max(rows, 1)), int32(max(cols, 1))
	d.top, d.bottom = 0, d.rows-1
	d.row, d.col = min(d.row, d.rows-1), min(d.col, d.cols)
}

// decode consumes p.
func (d *decoder) decode(p []byte, out sink) {
	for i := 0; i < len(p); {
		if d.state == ground && d.nPart == 0 {
			if n := d.plain(p[i:], out); n > 0 {
				i += n
				continue
			}
		}
		d.byte(p[i], out)
		i++
	}
}

// plain passes on the longest run of characters that need no thought, and returns its length.
func (d *decoder) plain(p []byte, out sink) int {
	i, cells := 0, int32(0)
	for i < len(p) {
		c := p[i]
		if c >= 0x20 && c < 0x7f {
			i++
			cells++
			continue
		}
		if c < utf8.RuneSelf {
			break
		}
		r, n := utf8.DecodeRune(p[i:])
		if r == utf8.RuneError && n == 1 || r == nbsp {
			break
		}
		i += n
		cells += runeCells(r)
	}
	if i == 0 {
		return 0
	}
	d.flushCR(out)
	d.raw += int64(i)
	d.advance(cells)
	out.run(p[:i], d.raw)
	return i
}

const nbsp = '\u00a0'

func runeCells(r rune) int32 {
	if r < 0x300 {
		return 1
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	return 1
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
	for ; over > 0 && d.row != d.bottom && d.row < d.rows-1; over-- {
		d.row++
	}
}

// byte consumes one byte.
func (d *decoder) byte(c byte, out sink) {
	if d.nPart > 0 || d.state == ground && c >= utf8.RuneSelf {
		d.multibyte(c, out)
		return
	}
	if d.held {
		if c == '\n' {
			d.held = false
			d.raw++
			d.lineFeed()
			d.col = 0
			out.sub([]byte{'\n'}, d.raw)
			return
		}
		d.flushCR(out)
	}
	d.raw++
	d.step(c, out)
}

// multibyte collects the bytes of one character.
func (d *decoder) multibyte(c byte, out sink) {
	d.flushCR(out)
	d.partial[d.nPart] = c
	d.nPart++
	d.raw++
	if !utf8.FullRune(d.partial[:d.nPart]) {
		return
	}
	all, n := d.partial, int(d.nPart)
	d.nPart = 0
	r, size := utf8.DecodeRune(all[:n])
	if size == n && !(r == utf8.RuneError && n == 1) {
		d.rune(r, all[:n], out)
		return
	}
	// The first byte begins nothing: it is a replacement character, and the rest is looked at again.
	d.raw -= int64(n - 1)
	d.advance(1)
	out.sub([]byte("\ufffd"), d.raw)
	for _, b := range all[1:n] {
		d.byte(b, out)
	}
}

func (d *decoder) rune(r rune, enc []byte, out sink) {
	d.advance(runeCells(r))
	if r == nbsp {
		out.sub([]byte{' '}, d.raw)
		return
	}
	out.sub(enc, d.raw)
}

func (d *decoder) flushCR(out sink) {
	if d.held {
		d.held = false
		out.sub([]byte{'\r'}, d.raw)
	}
}

// flush ends the text where the output ends: a held CR and a torn character come out.
func (d *decoder) flush(out sink) {
	d.flushCR(out)
	n := int64(d.nPart)
	d.nPart = 0
	for ; n > 0; n-- {
		d.advance(1)
		out.sub([]byte("\ufffd"), d.raw-n+1)
	}
}

// step runs the state machine on one byte below 0x80, or on any byte inside a sequence.
func (d *decoder) step(c byte, out sink) {
	switch d.state {
	case ground:
		d.control(c, out)
		return
	case str, osc:
		d.inString(c)
		return
	case strEsc:
		if c == '\\' {
			d.state = ground
			return
		}
		// The string is over all the same, and this byte continues an escape sequence.
		d.state = escape
		d.step(c, out)
		return
	}
	switch {
	case c == 0x1b:
		d.state = escape
	case c == 0x18 || c == 0x1a: // CAN, SUB
		d.state = ground
	case c < 0x20:
		d.control(c, out) // executed in the middle of a sequence, as terminals do
	case c >= 0x80:
		d.state = ground
		d.raw--
		d.byte(c, out)
	default:
		d.sequence(c, out)
	}
}

func (d *decoder) inString(c byte) {
	switch {
	case c == 0x1b:
		d.state = strEsc
	case c == 0x18 || c == 0x1a, c == 0x07 && d.state == osc:
		d.state = ground
	}
}

// control takes a control character, or a printable one that plain left over.
func (d *decoder) control(c byte, out sink) {
	switch c {
	case 0x00:
		if !d.keepNUL {
			return
		}
	case 0x0e, 0x0f: // shifts of the character set
		return
	case 0x1b:
		d.state = escape
		return
	case '\r':
		d.col = 0
		d.held = true
		return
	case '\n':
		d.lineFeed()
	case 0x0b, 0x0c:
		d.index()
	case '\t':
		d.col = min(d.col/8*8+8, d.cols-1)
		d.text = true
	case '\b':
		d.col = max(min(d.col, d.cols-1)-1, 0)
	default:
		if c >= 0x20 {
			d.advance(1)
		}
	}
	out.sub([]byte{c}, d.raw)
}

// lineFeed goes to the next row as LF does; the text says so by a line end of its own.
func (d *decoder) lineFeed() {
	d.index()
	d.text = false
}

func (d *decoder) index() {
	if d.row != d.bottom && d.row < d.rows-1 {
		d.row++
	}
}

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
		d.col = 0
		d.newRow(out)
	case c == 'M':
		if d.row != d.top && d.row > 0 {
			d.row--
		}
		d.newRow(out)
	case c == 'c':
		moved := d.row != 0
		*d = decoder{keepNUL: d.keepNUL, raw: d.raw, rows: d.rows, cols: d.cols, bottom: d.rows - 1, text: d.text}
		if moved {
			d.newRow(out)
		}
	}
}

// newRow says in the text that the cursor is on another row now.
func (d *decoder) newRow(out sink) {
	d.text = false
	out.sub([]byte{'\n'}, d.raw)
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

// moveTo puts the cursor somewhere. On another row that is a line end in the text; to the right on a row that has text it
// is blanks, for the movements that programs use in place of blanks.
func (d *decoder) moveTo(row, col int32, blanks bool, out sink) {
	row = min(max(row, 0), d.rows-1)
	col = min(max(col, 0), d.cols-1)
	if row != d.row {
		d.row, d.col = row, col
		d.newRow(out)
		return
	}
	from := d.col
	d.col = col
	if blanks && d.text {
		for ; from < col; from++ {
			out.sub([]byte{' '}, d.raw)
		}
	}
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
		d.col = min((d.col/8+d.arg(0))*8, d.cols-1)
	case 'b':
		d.col = min(d.col+d.arg(0), d.cols)
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
