package vt

import "unicode/utf8"

// Kind is what the bytes that Next took are.
type Kind uint8

const (
	None    Kind = iota // the middle of something
	Print               // characters: Event.Text, all of them whole
	Invalid             // a byte that is not UTF-8: Event.Byte; never without Options.UTF8
	Execute             // a control character: Event.Byte
	Esc                 // an escape sequence: Event.Byte is its final byte; Intermediates
	CSI                 // a control sequence: likewise, and Private and Param
	Start               // of a string: Event.Byte is P, ], X, ^ or _; of a DCS (P) also what a CSI has, with Final
	Data                // a piece of the string: Event.Text
	End                 // of the string: Event.Cancelled if something else than its terminator ended it
)

// Event is what Next found. Text is valid until the next call.
type Event struct {
	Kind      Kind
	Byte      byte
	Cancelled bool
	N         int // bytes taken from the input, none where bytes taken before are reported first
	Text      []byte
}

// Options are how a parser reads.
type Options struct {
	UTF8      bool // bytes from 80 on are UTF-8; without, each is a character
	C1        bool // U+0080 to U+009F are controls
	MaxString int  // how much of a string's text is reported; 0 is 4 KiB
}

// The bounds of a sequence.
const (
	MaxParams        = 32
	MaxParam         = 1<<16 - 1
	MaxIntermediates = 2
	maxString        = 4096
)

type state uint8

const (
	ground state = iota
	escape
	escInter
	csi
	csiInter
	csiIgnore
	dcs
	dcsInter
	dcsIgnore
	text
	textEsc
)

// The control characters that the parser knows.
const (
	bel = 0x07
	can = 0x18
	sub = 0x1a
	esc = 0x1b
	del = 0x7f
	st  = 0x9c
)

// Parser is the state between two bytes. The zero value reads 7-bit controls and any bytes as characters.
type Parser struct {
	opts Options

	state   state
	private byte
	final   byte // of the sequence that was reported last
	kind    byte // of the string: its introducer
	quiet   bool // the string was not reported: it has no function that makes sense
	nInter  uint8
	nParam  uint8
	nPart   uint8
	inter   [MaxIntermediates]byte
	part    [utf8.UTFMax]byte // the bytes of a character that has begun
	joined  uint32            // parameters that a colon joins with the one before
	size    int               // of a string's text so far
	params  [MaxParams]int32
	one     [utf8.UTFMax]byte // what Event.Text points to for a character that was torn
}

// New returns a parser in its first state.
func New(opts Options) Parser { return Parser{opts: opts} }

// Reset goes back to the first state.
func (p *Parser) Reset() { *p = New(p.opts) }

// Ground reports whether nothing has begun: characters may then be taken by other means than Next, which Printable finds.
func (p *Parser) Ground() bool { return p.state == ground && p.nPart == 0 }

// Inside reports whether the bytes so far end within a sequence or a string.
func (p *Parser) Inside() bool { return p.state != ground }

// InString reports whether they end within a string, which hides what follows.
func (p *Parser) InString() bool { return p.state >= dcs }

// Held is how many bytes at the end of what was taken belong to a character of which more is missing.
func (p *Parser) Held() int { return int(p.nPart) }

// Finish ends the input and returns the bytes of a character that was never completed.
func (p *Parser) Finish() []byte {
	n := copy(p.one[:], p.part[:p.nPart])
	p.nPart = 0
	return p.one[:n]
}

// Final is the byte that ended the sequence that was reported last, or the parameters of the DCS.
func (p *Parser) Final() byte { return p.final }

// Private is the marker before the parameters, one of < = > ?, or 0.
func (p *Parser) Private() byte { return p.private }

// Intermediates are the bytes before the final one.
func (p *Parser) Intermediates() string { return string(p.inter[:p.nInter]) }

// Intermediate is intermediate byte i, or 0 where there is none.
func (p *Parser) Intermediate(i int) byte {
	if i >= int(p.nInter) {
		return 0
	}
	return p.inter[i]
}

// Params is how many parameters there are, those included that are empty.
func (p *Parser) Params() int { return min(int(p.nParam), MaxParams) }

// Param is parameter i, or missing where there is none or it is empty.
func (p *Parser) Param(i int, missing int32) int32 {
	if i >= p.Params() || p.params[i] < 0 {
		return missing
	}
	return p.params[i]
}

// Joined reports whether a colon joins parameter i with the one before.
func (p *Parser) Joined(i int) bool { return i < MaxParams && p.joined&(1<<i) != 0 }

// Next takes bytes from the front of b, which has at least one, up to the first thing to report.
func (p *Parser) Next(b []byte) Event {
	switch {
	case p.state == text:
		return p.inText(b)
	case p.nPart > 0:
		return p.torn(b)
	case p.state == ground:
		return p.plain(b)
	case p.state == csi:
		return p.numbers(b, 0)
	}
	return p.bytewise(b)
}

// bytewise takes bytes inside of sequences, one by one.
func (p *Parser) bytewise(b []byte) Event {
	for i, c := range b {
		e, again := p.sequence(c)
		if again {
			if i > 0 {
				return Event{N: i}
			}
			return p.Next(b)
		}
		if e.Kind != None || p.state == ground || p.state == text {
			e.N += i
			return e
		}
	}
	return Event{N: len(b)}
}

// plain takes characters, or one control character.
func (p *Parser) plain(b []byte) Event {
	i := Printable(b)
	if i < len(b) && b[i] >= utf8.RuneSelf {
		i = p.characters(b, i)
	}
	if i > 0 {
		return Event{Kind: Print, N: i, Text: b[:i]}
	}
	c := b[0]
	switch {
	case c == esc && len(b) > 1 && b[1] == '[':
		p.escape('[')
		return p.numbers(b, 2)
	case c == esc:
		p.state = escape
		return Event{N: 1}
	case c < utf8.RuneSelf:
		return Event{Kind: Execute, Byte: c, N: 1}
	case !p.opts.UTF8:
		return p.c1(c, 1)
	}
	r, n := utf8.DecodeRune(b)
	switch {
	case r != utf8.RuneError || n > 1:
		return p.c1(byte(r), n) // characters has left nothing else
	case !utf8.FullRune(b):
		p.nPart = uint8(copy(p.part[:], b))
		return Event{N: len(b)}
	}
	return Event{Kind: Invalid, Byte: c, N: 1}
}

// characters returns where the run of characters that begins b ends, of which the first i bytes are known.
func (p *Parser) characters(b []byte, i int) int {
	for i < len(b) && b[i] >= utf8.RuneSelf {
		n := 1
		if p.opts.UTF8 {
			var r rune
			if r, n = utf8.DecodeRune(b[i:]); r == utf8.RuneError && n == 1 || p.opts.C1 && r < 0xa0 {
				return i
			}
		} else if p.opts.C1 && b[i] < 0xa0 {
			return i
		}
		i += n
		i += Printable(b[i:])
	}
	return i
}

// torn goes on with a character that came in pieces.
func (p *Parser) torn(b []byte) Event {
	had := int(p.nPart)
	n := had + copy(p.part[had:], b)
	if !utf8.FullRune(p.part[:n]) {
		p.nPart = uint8(n)
		return Event{N: n - had}
	}
	r, size := utf8.DecodeRune(p.part[:n])
	if r == utf8.RuneError && size == 1 {
		c := p.part[0]
		copy(p.part[:], p.part[1:had])
		p.nPart--
		return Event{Kind: Invalid, Byte: c}
	}
	p.nPart = 0
	if p.opts.C1 && r < 0xa0 {
		return p.c1(byte(r), size-had)
	}
	copy(p.one[:], p.part[:size])
	return Event{Kind: Print, N: size - had, Text: p.one[:size]}
}

// c1 takes a control from U+0080 on, of which n bytes are new.
func (p *Parser) c1(c byte, n int) Event {
	switch c {
	case 'P' + 0x40, 'X' + 0x40, '[' + 0x40, ']' + 0x40, '^' + 0x40, '_' + 0x40:
		e := p.escape(c - 0x40)
		e.N = n
		return e
	}
	return Event{Kind: Execute, Byte: c, N: n}
}
