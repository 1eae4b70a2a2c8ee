package match

import (
	"unicode/utf8"

	"omniexpect/internal/cells"
	"omniexpect/internal/vt"
)

// A sink takes what a decoder produces. end is the offset after the last raw byte that made p; of a run, every byte of p
// is the raw byte at the same distance from end.
type sink interface {
	run(p []byte, end int64)
	sub(p []byte, end int64)
}

// decoder turns the bytes that a program writes to its terminal into the text view, in one pass, cut anywhere. It is a
// value: a copy is a checkpoint. It follows the cursor only as far as the text view needs it.
type decoder struct {
	keepNUL bool

	raw    int64 // offset of the next raw byte
	parser vt.Parser

	held   int32             // so many CRs are held back: a LF may follow
	parted bool              // they have sequences between them
	heldTo int64             // the offset after the last of them
	last   [utf8.UTFMax]byte // the last character of the text, which a sequence can repeat
	nLast  uint8

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

// newParser returns the parser of a text view, which has no use for what strings hold.
func newParser() vt.Parser { return vt.New(vt.Options{UTF8: true, MaxString: 1}) }

func newDecoder(rows, cols int, keepNUL bool) decoder {
	d := decoder{keepNUL: keepNUL, parser: newParser()}
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

// decode consumes p. What output is full of is taken at a glance, and the parser asked about the rest.
func (d *decoder) decode(p []byte, out sink) {
	for i := 0; i < len(p); {
		b := p[i:]
		if d.parser.Ground() {
			n := d.plain(b, out)
			if n == 0 && d.held == 0 {
				n = d.common(b, out)
			}
			if n > 0 {
				i += n
				continue
			}
			if len(b) > len(nbsp) && string(b[:len(nbsp)]) == nbsp {
				b = b[:len(nbsp)] // what follows is for plain
			}
		}
		e := d.parser.Next(b)
		i += e.N
		d.raw += int64(e.N)
		switch e.Kind {
		case vt.Print:
			d.printed(e.Text, out)
		case vt.Invalid:
			d.invalid(d.raw-int64(d.parser.Held()), out)
		case vt.Execute:
			d.control(e.Byte, out)
		case vt.Esc:
			d.escape(e.Byte, out)
		case vt.CSI:
			d.dispatch(e.Byte, out)
		}
	}
}

// plain passes on the longest run of characters that need no thought, and returns its length.
func (d *decoder) plain(p []byte, out sink) int {
	i := vt.Printable(p)
	columns, wide := int32(i), false
	for i < len(p) && p[i] >= utf8.RuneSelf {
		r, n := utf8.DecodeRune(p[i:])
		if r == utf8.RuneError && n == 1 || r == '\u00a0' {
			break
		}
		i += n
		c := int32(cells.Width(r))
		columns += c
		wide = wide || c > 1
		n = vt.Printable(p[i:])
		i += n
		columns += int32(n)
	}
	if i == 0 {
		return 0
	}
	d.flushCR(out)
	d.raw += int64(i)
	if wide && d.col+columns > d.cols {
		d.each(p[:i])
	} else {
		d.advance(columns)
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
		d.character(int32(cells.Width(r)))
		out.sub(last, d.raw)
	}
}

// common takes what output is full of besides characters, if it stands whole at the beginning of p: a line end or a
// colour. It returns its length, or 0 for what the parser has to look at. No CR is held.
func (d *decoder) common(p []byte, out sink) int {
	n := 1
	switch {
	case p[0] == 0x1b:
		n = vt.Colour(p)
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

const nbsp = "\u00a0"

// printed takes the few characters that plain has left: one that came in pieces, a no-break space, and what breaks a
// sequence off.
func (d *decoder) printed(p []byte, out sink) {
	d.flushCR(out)
	end := d.raw - int64(len(p))
	for len(p) > 0 {
		r, n := utf8.DecodeRune(p)
		d.character(int32(cells.Width(r)))
		enc := p[:n]
		if string(enc) == nbsp {
			enc = []byte{' '}
		}
		end += int64(n)
		out.sub(enc, end)
		d.remember(enc)
		p = p[n:]
	}
}

// invalid takes a byte that begins nothing: it is a replacement character.
func (d *decoder) invalid(end int64, out sink) {
	d.flushCR(out)
	d.advance(1)
	out.sub([]byte("\ufffd"), end)
	d.remember([]byte("\ufffd"))
}

// maxCRs bounds how many CRs are held back.
const maxCRs = 1 << 16

// hold keeps a CR back: any number of them before a LF are one line end, whatever without text stands between them.
func (d *decoder) hold(out sink) {
	if d.held == maxCRs {
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
	for n := len(d.parser.Finish()); n > 0; n-- {
		d.advance(1)
		out.sub([]byte("\ufffd"), d.raw-int64(n)+1)
	}
}

// control takes a control character, in the middle of a sequence too, as terminals do.
func (d *decoder) control(c byte, out sink) {
	switch c {
	case 0x00:
		if !d.keepNUL {
			return
		}
	case 0x0e, 0x0f: // shifts of the character set
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
