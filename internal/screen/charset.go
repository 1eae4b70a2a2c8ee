package screen

// charsets are the four sets that programs choose from.
type charsets struct {
	g      [4]byte // the final byte of what is designated: B, 0, A …
	gl, gr int
	single int // the set for the next character only, or 0
}

func newCharsets() charsets { return charsets{g: [4]byte{'B', 'B', 'B', 'B'}, gr: 2} }

// designate obeys ESC ( F and its likes. Sets that we do not know are ASCII.
func (c *charsets) designate(which, second, final byte) {
	n := 0
	switch which {
	case ')', '-':
		n = 1
	case '*', '.':
		n = 2
	case '+', '/':
		n = 3
	}
	if second != 0 || final != '0' && final != 'A' && final != '2' {
		final = 'B'
	}
	c.g[n] = final
}

// plain reports whether characters are what they seem.
func (c *charsets) plain() bool { return c.single == 0 && c.g[c.gl] == 'B' }

// translate returns what is drawn for a character.
func (c *charsets) translate(r rune) rune {
	set := c.g[c.gl]
	if c.single != 0 {
		set, c.single = c.g[c.single], 0
	}
	switch {
	case (set == '0' || set == '2') && r >= 0x5f && r <= 0x7e:
		return graphics[r-0x5f]
	case set == 'A' && r == '#':
		return '£'
	}
	return r
}

// graphics is DEC's special set from 5F to 7E.
var graphics = [...]rune{
	'\u00a0', '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼',
	'⎺', '⎻', '─', '⎼', '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
}
