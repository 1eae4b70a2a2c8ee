package match

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
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

	held    int32 // so many CRs are held back: a LF may follow
	parted  bool  // they have sequences between them
	heldTo  int64 // the offset after the last of them
	partial [utf8.UTFMax]byte
	nPart   uint8
	last    [utf8.UTFMax]byte // the last character of the text, which a sequence can repeat
	nLast   uint8

	params  [maxParams]int32
	nParam  uint8
	private byte

	rows, cols  int32
	row, col    int32 // col == cols: the next character wraps
	top, bottom int32 // the scrolling region
	noWrap      bool
	alternate   bool
	paste       bool  // bracketed paste is on
	cursorKeys  bool  // arrow keys send their application sequences
	text        bool  // the row has text since it was entered
	since       int32 // what was printed last stands in [since, col) of the row,
	drawn       drawn // and what was before on these cells
	save        [2][2]int32
	one         [1]byte // see put
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
	d.since = min(d.since, d.col)
}

// decode consumes p.
func (d *decoder) decode(p []byte, out sink) {
	for i := 0; i < len(p); {
		if d.state == ground && d.nPart == 0 {
			n := d.plain(p[i:], out)
			if n == 0 && d.held == 0 {
				n = d.common(p[i:], out)
			}
			if n > 0 {
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
	i := printable(p)
	cells, wide := int32(i), false
	for i < len(p) && p[i] >= utf8.RuneSelf {
		r, n := utf8.DecodeRune(p[i:])
		if r == utf8.RuneError && n == 1 || r == nbsp {
			break
		}
		i += n
		c := runeCells(r)
		cells += c
		wide = wide || c > 1
		n = printable(p[i:])
		i += n
		cells += int32(n)
	}
	if i == 0 {
		return 0
	}
	d.flushCR(out)
	d.raw += int64(i)
	if wide && d.col+cells > d.cols {
		d.each(p[:i])
	} else {
		d.advance(cells)
	}
	out.run(p[:i], d.raw)
	d.remember(p[:i])
	return i
}

// remember keeps the last character of what was printed.
func (d *decoder) remember(p []byte) {
	from := len(p) - 1
	for from > 0 && !utf8.RuneStart(p[from]) {
		from--
	}
	d.nLast = uint8(copy(d.last[:], p[from:]))
}

// repeat prints the last character again.
func (d *decoder) repeat(n int32, out sink) {
	last := d.last[:d.nLast]
	if len(last) == 0 {
		return
	}
	d.flushCR(out)
	r, _ := utf8.DecodeRune(last)
	for range min(n, d.rows*d.cols) {
		d.character(runeCells(r))
		out.sub(last, d.raw)
	}
}

// printable returns how many bytes from the beginning of p on are printable ASCII.
func printable(p []byte) int {
	i := 0
	for ; i+32 <= len(p); i += 32 {
		q := p[i : i+32]
		if odd(q)|odd(q[8:])|odd(q[16:])|odd(q[24:]) != 0 {
			break
		}
	}
	for ; i+8 <= len(p); i += 8 {
		if odd := odd(p[i:]); odd != 0 {
			return i + bits.TrailingZeros64(odd)/8
		}
	}
	for i < len(p) && p[i] >= 0x20 && p[i] < 0x7f {
		i++
	}
	return i
}

// odd has the high bit set of the first of eight bytes that is below a blank, DEL or not ASCII, and maybe of later ones:
// what such a byte lends or carries spoils only bytes after it.
func odd(p []byte) uint64 {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	x := binary.LittleEndian.Uint64(p)
	return (x | (x + ones) | (x - 0x20*ones)) & high
}

// common takes what output is full of besides characters, if it stands whole at the beginning of p: a line end or a
// colour. It returns its length, or 0 for what byte has to look at. No CR is held.
func (d *decoder) common(p []byte, out sink) int {
	n := 1
	switch {
	case p[0] == 0x1b:
		n = colour(p)
		d.raw += int64(n)
		return n
	case p[0] == '\r' && len(p) > 1 && p[1] == '\n':
		n = 2
		d.col = 0 // of the row that lineFeed leaves
	case p[0] != '\n':
		return 0
	}
	d.raw += int64(n)
	d.lineFeed()
	d.put('\n', out)
	return n
}

// colour returns the length of the control sequence that p begins with, if it selects how characters look; else 0.
func colour(p []byte) int {
	if len(p) < 3 || p[1] != '[' {
		return 0
	}
	for i, c := range p[2:] {
		switch {
		case c >= '0' && c <= ';':
		case c == 'm':
			return i + 3
		default:
			return 0
		}
	}
	return 0
}

const nbsp = '\u00a0'

// byte consumes one byte.
func (d *decoder) byte(c byte, out sink) {
	if d.nPart > 0 || d.state == ground && c >= utf8.RuneSelf {
		d.multibyte(c, out)
		return
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
	d.remember([]byte("\ufffd"))
	for _, b := range all[1:n] {
		d.byte(b, out)
	}
}

func (d *decoder) rune(r rune, enc []byte, out sink) {
	d.character(runeCells(r))
	if r == nbsp {
		enc = []byte{' '}
	}
	out.sub(enc, d.raw)
	d.remember(enc)
}

// mostCRs bounds how many CRs are held back.
const mostCRs = 1 << 16

// hold keeps a CR back: any number of them before a LF are one line end, whatever without text stands between them.
func (d *decoder) hold(out sink) {
	if d.held == mostCRs {
		d.flushCR(out)
	}
	d.parted = d.held > 0 && (d.parted || d.raw != d.heldTo+1)
	d.held++
	d.heldTo = d.raw
}

// flushCR gives the CRs that are held to the text. Where each stood is kept for a run only: others end together.
func (d *decoder) flushCR(out sink) {
	for ; d.held > 0; d.held-- {
		d.one[0] = '\r'
		end := d.heldTo
		if !d.parted {
			end -= int64(d.held) - 1
		}
		out.sub(d.one[:], end)
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
		d.goTo(0)
		d.hold(out)
		return
	case '\n':
		d.held = 0
		d.lineFeed()
	case 0x0b, 0x0c:
		d.index()
	case '\t':
		d.tab()
	case '\b':
		d.goTo(max(min(d.col, d.cols-1)-1, 0))
	default:
		if c >= 0x20 && c != 0x7f {
			d.advance(1)
			d.last[0], d.nLast = c, 1
		}
	}
	d.put(c, out)
}

// put adds one byte to the text.
func (d *decoder) put(c byte, out sink) {
	if d.held > 0 {
		d.flushCR(out)
	}
	d.one[0] = c
	out.sub(d.one[:], d.raw)
}
