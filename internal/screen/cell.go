package screen

import "strings"

// cell is a place on the screen, packed: what stands there and how it looks.
type cell struct {
	ch    uint32 // a character or the number of a cluster, and flags; 0 is a place where nothing was written
	style uint32 // its number in the table of styles
}

const (
	chMask    = 1<<21 - 1
	isCluster = 1 << 21 // chMask is the number of a cluster
	isWide    = 1 << 22 // the first half of what is two columns wide
	isTail    = 1 << 23 // its second half
	isKept    = 1 << 24 // protected from erasing
)

// Attr is a set of what characters can be besides coloured.
type Attr uint16

// The attributes.
const (
	Bold Attr = 1 << iota
	Faint
	Italic
	Blink
	Reverse
	Invisible
	Strike
	Overline
)

// Underline is a kind of underlining.
type Underline uint8

// The kinds, as the parameter of SGR 4 counts them.
const (
	NoUnderline Underline = iota
	Single
	Double
	Curly
	Dotted
	Dashed
)

// Colour is the default colour (the zero value), one of 256 of the palette, or one of 24 bits.
type Colour uint32

const (
	colourIndex = 1 << 24
	colourRGB   = 2 << 24
)

// Index returns colour n of the palette.
func Index(n uint8) Colour { return colourIndex | Colour(n) }

// RGB returns a colour of 24 bits.
func RGB(r, g, b uint8) Colour { return colourRGB | Colour(r)<<16 | Colour(g)<<8 | Colour(b) }

// IsDefault reports whether the colour is the terminal's own.
func (c Colour) IsDefault() bool { return c>>24 == 0 }

// Palette returns the number of a colour of the palette, and whether it is one.
func (c Colour) Palette() (uint8, bool) { return uint8(c), c>>24 == 1 }

// Direct returns the parts of a colour of 24 bits, and whether it is one.
func (c Colour) Direct() (r, g, b uint8, ok bool) {
	return uint8(c >> 16), uint8(c >> 8), uint8(c), c>>24 == 2
}

// Style is how a cell looks.
type Style struct {
	Fg, Bg, Line Colour // Line is the colour of the underlining
	Attr         Attr
	Underline    Underline
	link         uint32 // its number in the table of links
}

// Link is a hyperlink of OSC 8.
type Link struct{ URI, ID string }

// Cell is what stands at one place.
type Cell struct {
	Text      string // a grapheme cluster; "" where nothing was written, and for the second half of a wide one
	Width     int    // 1 or 2 columns; 0 for the second half
	Style     Style
	Link      Link
	Protected bool
}

// row is a line of the screen or of the history.
type row struct {
	cells   []cell // in the history it may be shorter or longer than the screen is wide
	wrapped bool   // it goes on with the row above, without a line end between
	changed uint64 // the generation of the last change
}

func (r *row) at(x int) cell {
	if x < 0 || x >= len(r.cells) {
		return cell{}
	}
	return r.cells[x]
}

// trimmed returns how many columns the row has up to the last that something was written to.
func (r *row) trimmed() int {
	for i := len(r.cells) - 1; i >= 0; i-- {
		if ch := r.cells[i].ch; ch&(chMask|isCluster) != 0 {
			if ch&isWide != 0 {
				return min(i+2, len(r.cells))
			}
			return i + 1
		}
	}
	return 0
}

// fill makes the cells from..to-1 the same.
func (r *row) fill(from, to int, c cell) {
	part := r.cells[from:to]
	if len(part) == 0 {
		return
	}
	part[0] = c
	for n := 1; n < len(part); n *= 2 {
		copy(part[n:], part[:n])
	}
}

// mend blanks what an edit between the columns x-1 and x has left of a wide character.
func (r *row) mend(x int, style uint32) {
	left, right := r.at(x-1), r.at(x)
	switch {
	case left.ch&isWide != 0 && right.ch&isTail == 0:
		r.cells[x-1] = cell{style: style}
	case left.ch&isWide == 0 && right.ch&isTail != 0:
		r.cells[x] = cell{style: style}
	}
}

// split blanks both halves of a wide character of which only one lies beyond the column x.
func (r *row) split(x int, style uint32) {
	if x > 0 && x < len(r.cells) && r.cells[x].ch&isTail != 0 {
		r.cells[x-1], r.cells[x] = cell{style: style}, cell{style: style}
	}
}

// texts are what numbers in cells stand for.
type texts struct {
	styles   []Style
	clusters []string
	links    []Link
}

func (t *texts) appendCell(b *strings.Builder, c cell) {
	switch {
	case c.ch&isCluster != 0:
		b.WriteString(t.clusters[c.ch&chMask])
	case c.ch&chMask != 0:
		b.WriteRune(rune(c.ch & chMask))
	case c.ch&isTail == 0:
		b.WriteByte(' ')
	}
}

func (t *texts) cell(c cell) Cell {
	out := Cell{Width: 1, Style: t.styles[c.style], Protected: c.ch&isKept != 0}
	switch {
	case c.ch&isCluster != 0:
		out.Text = t.clusters[c.ch&chMask]
	case c.ch&chMask != 0:
		out.Text = string(rune(c.ch & chMask))
	}
	if c.ch&isWide != 0 {
		out.Width = 2
	}
	if c.ch&isTail != 0 {
		out.Width = 0
	}
	out.Link = t.links[out.Style.link]
	out.Style.link = 0
	return out
}
