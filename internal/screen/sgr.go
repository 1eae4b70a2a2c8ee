package screen

import (
	"fmt"
	"strings"
)

// graphicRendition obeys SGR.
func (s *Screen) graphicRendition() {
	s.penKnown = false
	link := s.pen.link
	n := s.parser.Params()
	if n == 0 {
		s.pen = Style{link: link}
		return
	}
	for i := 0; i < n; {
		i += s.rendition(i)
	}
}

// rendition obeys the parameter i, and returns how many parameters belong to it.
func (s *Screen) rendition(i int) int {
	p := int(s.parser.Param(i, 0))
	subs := 1
	for s.parser.Joined(i + subs) {
		subs++
	}
	pen := &s.pen
	switch {
	case p == 0:
		*pen = Style{link: pen.link}
	case p == 4 && subs > 1:
		if kind := s.parser.Param(i+1, 1); kind <= int32(Dashed) {
			pen.Underline = Underline(kind)
		}
	case p < 30 || p >= 53 && p <= 55:
		pen.attribute(p)
	case p <= 37:
		pen.Fg = Index(uint8(p - 30))
	case p == 38:
		return s.colour(&pen.Fg, i, subs)
	case p == 39:
		pen.Fg = 0
	case p >= 40 && p <= 47:
		pen.Bg = Index(uint8(p - 40))
	case p == 48:
		return s.colour(&pen.Bg, i, subs)
	case p == 49:
		pen.Bg = 0
	case p == 58:
		return s.colour(&pen.Line, i, subs)
	case p == 59:
		pen.Line = 0
	case p >= 90 && p <= 97:
		pen.Fg = Index(uint8(p - 90 + 8))
	case p >= 100 && p <= 107:
		pen.Bg = Index(uint8(p - 100 + 8))
	case p == 100:
		pen.Fg, pen.Bg = 0, 0
	}
	return subs
}

// attribute obeys what turns attributes on and off.
func (p *Style) attribute(n int) {
	switch n {
	case 1:
		p.Attr |= Bold
	case 2:
		p.Attr |= Faint
	case 3:
		p.Attr |= Italic
	case 4:
		p.Underline = Single
	case 5, 6:
		p.Attr |= Blink
	case 7:
		p.Attr |= Reverse
	case 8:
		p.Attr |= Invisible
	case 9:
		p.Attr |= Strike
	case 21:
		p.Underline = Double
	case 22:
		p.Attr &^= Bold | Faint
	case 23:
		p.Attr &^= Italic
	case 24:
		p.Underline = NoUnderline
	case 25:
		p.Attr &^= Blink
	case 27:
		p.Attr &^= Reverse
	case 28:
		p.Attr &^= Invisible
	case 29:
		p.Attr &^= Strike
	case 53:
		p.Attr |= Overline
	case 55:
		p.Attr &^= Overline
	}
}

// colour takes 5;N, 2;R;G;B, 5:N, 2:R:G:B or 2:space:R:G:B behind parameter i, and returns how many parameters were taken.
func (s *Screen) colour(to *Colour, i, subs int) int {
	part := func(k int) int32 { return s.parser.Param(i+k, 0) }
	valid := func(from int) bool { return part(from) < 256 && part(from+1) < 256 && part(from+2) < 256 }
	rgb := func(from int) Colour {
		return RGB(uint8(part(from)), uint8(part(from+1)), uint8(part(from+2)))
	}
	if subs > 1 {
		from := 2
		if subs > 5 {
			from = 3
		}
		switch {
		case part(1) == 5 && subs > 2 && part(2) < 256:
			*to = Index(uint8(part(2)))
		case part(1) == 2 && subs > 4 && valid(from):
			*to = rgb(from)
		}
		return subs
	}
	switch part(1) {
	case 5:
		if part(2) < 256 && s.parser.Params() > i+2 {
			*to = Index(uint8(part(2)))
		}
		return 3
	case 2:
		if valid(2) && s.parser.Params() > i+4 {
			*to = rgb(2)
		}
		return 5
	}
	return 2
}

// sgr returns the parameters that select a style.
func (p Style) sgr() string {
	out := []string{"0"}
	for i, a := range []Attr{Bold, Faint, Italic, 0, Blink, 0, Reverse, Invisible, Strike} {
		if p.Attr&a != 0 {
			out = append(out, fmt.Sprint(i+1))
		}
		if i == 3 && p.Underline == Single {
			out = append(out, "4")
		}
	}
	if p.Underline > Single {
		out = append(out, fmt.Sprintf("4:%d", p.Underline))
	}
	if p.Attr&Overline != 0 {
		out = append(out, "53")
	}
	for i, c := range []Colour{p.Fg, p.Bg, p.Line} {
		if c != 0 {
			out = append(out, c.sgr(30+10*i))
		}
	}
	return strings.Join(out, ";")
}

// sgr returns the parameter that selects a colour: base is 30, 40 or, for underlining, 50.
func (c Colour) sgr(base int) string {
	if r, g, b, ok := c.Direct(); ok {
		return fmt.Sprintf("%d:2::%d:%d:%d", base+8, r, g, b)
	}
	n, _ := c.Palette()
	switch {
	case base < 50 && n < 8:
		return fmt.Sprint(base + int(n))
	case base < 50 && n < 16:
		return fmt.Sprint(base + 60 + int(n) - 8)
	}
	return fmt.Sprintf("%d:5:%d", base+8, n)
}
