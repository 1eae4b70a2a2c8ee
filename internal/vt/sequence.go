package vt

import "unicode/utf8"

// sequence takes one byte inside of anything but a string's text. With again it has left that, and the byte is looked at
// once more.
func (p *Parser) sequence(c byte) (e Event, again bool) {
	e.N = 1
	switch {
	case p.state == textEsc:
		return p.terminator(c)
	case c == esc && p.state >= dcs:
		p.state = textEsc
	case c == esc:
		p.state = escape
	case c == can || c == sub:
		p.state = ground
	case c == del || c < ' ' && p.state >= dcs:
	case c < ' ':
		return Event{Kind: Execute, Byte: c, N: 1}, false
	case c >= utf8.RuneSelf && p.state < dcs:
		p.state = ground
		return Event{}, true
	case c >= utf8.RuneSelf:
		p.state = text
		return Event{}, true
	case p.state == escape:
		return p.escape(c), false
	case p.state == escInter && c >= '0':
		return p.done(Esc, c), false
	case p.state == escInter:
		p.intermediate(c)
	default:
		return p.control(c), false
	}
	return e, false
}

// escape takes the first byte after ESC.
func (p *Parser) escape(c byte) Event {
	p.nInter, p.nParam, p.private, p.joined = 0, 0, 0, 0
	switch c {
	case '[':
		p.state = csi
	case 'P':
		p.state = dcs
		p.kind, p.quiet, p.size = c, true, 0
	case ']', 'X', '^', '_':
		p.state = text
		p.kind, p.quiet, p.size = c, false, 0
		return Event{Kind: Start, Byte: c, N: 1}
	default:
		if c >= '0' {
			return p.done(Esc, c)
		}
		p.state = escInter
		p.intermediate(c)
	}
	return Event{N: 1}
}

func (p *Parser) done(k Kind, final byte) Event {
	p.state, p.final = ground, final
	return Event{Kind: k, Byte: final, N: 1}
}

// intermediate keeps an intermediate byte, and reports whether there was room for it.
func (p *Parser) intermediate(c byte) bool {
	if p.nInter == MaxIntermediates {
		return false
	}
	p.inter[p.nInter] = c
	p.nInter++
	return true
}

// control takes a byte of a control sequence, or of the same part of a DCS.
func (p *Parser) control(c byte) Event {
	inter, ignore := csiInter, csiIgnore
	if p.state >= dcs {
		inter, ignore = dcsInter, dcsIgnore
	}
	switch {
	case c >= '@':
		return p.function(c, p.state == ignore)
	case p.state == ignore:
	case c < '0':
		if p.state = inter; !p.intermediate(c) {
			p.state = ignore
		}
	case p.state == inter:
		p.state = ignore
	case c < '<':
		p.parameter(c)
	case p.nParam > 0 || p.private != 0:
		p.state = ignore
	default:
		p.private = c
	}
	return Event{N: 1}
}

// function takes the final byte, of a control sequence or before the text of a DCS.
func (p *Parser) function(c byte, ignored bool) Event {
	switch {
	case p.state >= dcs:
		p.state, p.final, p.quiet = text, c, ignored
		if !ignored {
			return Event{Kind: Start, Byte: p.kind, N: 1}
		}
	case ignored:
		p.state = ground
	default:
		return p.done(CSI, c)
	}
	return Event{N: 1}
}

// parameter takes a digit or a separator.
func (p *Parser) parameter(c byte) {
	if p.nParam == 0 {
		p.nParam, p.params[0] = 1, -1
	}
	last := int(p.nParam) - 1
	switch {
	case last >= MaxParams: // more than are kept
	case c <= '9':
		p.params[last] = min(max(p.params[last], 0)*10+int32(c-'0'), MaxParam)
	case last+1 == MaxParams:
		p.nParam++
	default:
		p.nParam++
		p.params[last+1] = -1
		if c == ':' {
			p.joined |= 1 << (last + 1)
		}
	}
}

// inText takes a piece of a string's text, or what ends it.
func (p *Parser) inText(b []byte) Event {
	if p.nPart > 0 { // the first byte of a control in UTF-8, perhaps
		p.nPart = 0
		if b[0] == st {
			return p.ended(false, 1)
		}
		return p.data(append(p.one[:0], p.part[0]), 0)
	}
	i := p.textEnd(b)
	if i > 0 {
		return p.data(b[:i], i)
	}
	switch c := b[0]; c {
	case esc:
		p.state = textEsc
		return Event{N: 1}
	case bel, st:
		return p.ended(false, 1)
	case can, sub:
		return p.ended(true, 1)
	}
	if len(b) > 1 { // a ST in UTF-8
		return p.ended(false, 2)
	}
	p.part[0], p.nPart = b[0], 1
	return Event{N: 1}
}

// textEnd returns how much of b is certain to be a string's text.
func (p *Parser) textEnd(b []byte) int {
	for i, c := range b {
		switch {
		case c == esc || c == can || c == sub || c == bel && p.kind == ']':
			return i
		case c < utf8.RuneSelf || !p.opts.C1:
		case !p.opts.UTF8 && c == st:
			return i
		case p.opts.UTF8 && c == 0xc2 && (i+1 == len(b) || b[i+1] == st):
			return i
		}
	}
	return len(b)
}

// data reports a piece of a string's text, as far as its bound allows.
func (p *Parser) data(text []byte, n int) Event {
	most := p.opts.MaxString
	if most == 0 {
		most = maxString
	}
	room := max(most-p.size, 0)
	p.size = min(p.size+len(text), most+1)
	if p.quiet || room == 0 {
		return Event{N: n}
	}
	return Event{Kind: Data, Text: text[:min(len(text), room)], N: n}
}

// Truncated reports whether the text of the last string was longer than what was reported of it.
func (p *Parser) Truncated() bool {
	if p.opts.MaxString == 0 {
		return p.size > maxString
	}
	return p.size > p.opts.MaxString
}

// terminator takes the byte after an ESC in a string: the string is over, whatever it is.
func (p *Parser) terminator(c byte) (e Event, again bool) {
	if c == '\\' {
		return p.ended(false, 1), false
	}
	e = p.ended(true, 0)
	p.state = escape
	return e, e.Kind == None
}

func (p *Parser) ended(cancelled bool, n int) Event {
	p.state = ground
	if p.quiet {
		return Event{N: n}
	}
	return Event{Kind: End, Cancelled: cancelled, N: n}
}
