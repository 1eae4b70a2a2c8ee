package screen

import (
	"fmt"
	"strconv"
	"strings"
)

// palette are the colours that programs set and ask for: 256, the five special ones of OSC 5, and the dynamic ones of
// OSC 10 to 19.
type palette struct {
	set     map[int]Colour // what differs from the start; dynamic colour n is -n
	fg, bg  Colour
	special int
}

const (
	specials      = 5
	indexed       = 256
	dynamicColour = -10
)

func newPalette(c Config) palette {
	p := palette{fg: RGB(0xe5, 0xe5, 0xe5), bg: RGB(0, 0, 0)}
	if c.Foreground != nil {
		p.fg = *c.Foreground
	}
	if c.Background != nil {
		p.bg = *c.Background
	}
	return p
}

// light reports whether the background is light.
func (p *palette) light() bool {
	r, g, b, _ := p.dynamic(11).Direct()
	return 299*int(r)+587*int(g)+114*int(b) > 127*1000
}

// basic are the first 16 colours as xterm has them.
var basic = [16]Colour{
	0x2000000, 0x2cd0000, 0x200cd00, 0x2cdcd00, 0x20000ee, 0x2cd00cd, 0x200cdcd, 0x2e5e5e5,
	0x27f7f7f, 0x2ff0000, 0x200ff00, 0x2ffff00, 0x25c5cff, 0x2ff00ff, 0x200ffff, 0x2ffffff,
}

// PaletteRGB returns the 24 bits of a colour of the palette that nobody has changed.
func PaletteRGB(n uint8) (r, g, b uint8) {
	switch {
	case n < 16:
		r, g, b, _ = basic[n].Direct()
	case n < 232:
		part := func(v uint8) uint8 {
			if v == 0 {
				return 0
			}
			return 55 + 40*v
		}
		n -= 16
		return part(n / 36), part(n / 6 % 6), part(n % 6)
	default:
		v := 8 + 10*(n-232)
		return v, v, v
	}
	return r, g, b
}

// colour is colour n, special ones counted from 256.
func (p *palette) colour(n int) Colour {
	if c, ok := p.set[n]; ok {
		return c
	}
	if n < indexed {
		return RGB(PaletteRGB(uint8(n)))
	}
	return p.fg
}

// dynamic is the colour of OSC n.
func (p *palette) dynamic(n int) Colour {
	if c, ok := p.set[-n]; ok {
		return c
	}
	switch n {
	case 11, 14, 16, 19:
		return p.bg
	}
	return p.fg
}

func (p *palette) put(n int, c Colour) {
	if p.set == nil {
		p.set = map[int]Colour{}
	}
	p.set[n] = c
}

func (p *palette) resetDynamic(n int) { delete(p.set, dynamicColour-n) }

// setColours obeys OSC 4 and 5: pairs of a number and a colour, or a question mark.
func (s *Screen) setColours(osc int, value string) {
	parts := strings.Split(value, ";")
	for i := 0; i+1 < len(parts); i += 2 {
		n, err := strconv.Atoi(parts[i])
		at := n
		if osc == 5 {
			at += indexed
		}
		if err != nil || n < 0 || at >= indexed+specials {
			return
		}
		if parts[i+1] == "?" {
			s.reply("OSC "+strconv.Itoa(osc), s.oscIntro()+fmt.Sprintf("%d;%d;%s", osc, n, s.colours.colour(at).spec())+s.st())
		} else if c, ok := parseColour(parts[i+1]); ok {
			s.colours.put(at, c)
		}
	}
}

// dynamicColours obeys OSC 10 to 19: further colours are for the numbers that follow.
func (s *Screen) dynamicColours(n int, value string) {
	for part := range strings.SplitSeq(value, ";") {
		if n > 19 {
			return
		}
		if part == "?" {
			s.reply("OSC "+strconv.Itoa(n), s.oscIntro()+fmt.Sprintf("%d;%s", n, s.colours.dynamic(n).spec())+s.st())
		} else if c, ok := parseColour(part); ok {
			s.colours.put(-n, c)
		}
		n++
	}
}

// resetColours obeys OSC 104 and 105.
func (s *Screen) resetColours(osc int, value string) {
	from, to := 0, indexed
	if osc == 105 {
		from, to = indexed, indexed+specials
	}
	if value == "" {
		for n := from; n < to; n++ {
			delete(s.colours.set, n)
		}
		return
	}
	for part := range strings.SplitSeq(value, ";") {
		if n, err := strconv.Atoi(part); err == nil && n >= 0 {
			delete(s.colours.set, from+n)
		}
	}
}

// spec is how a colour is reported.
func (c Colour) spec() string {
	r, g, b, _ := c.Direct()
	return fmt.Sprintf("rgb:%02x%02x/%02x%02x/%02x%02x", r, r, g, g, b, b)
}

// parseColour reads rgb:R/G/B with one to four digits each, #RGB with as many, and the names of eight colours.
func parseColour(text string) (Colour, bool) {
	if digits, ok := strings.CutPrefix(text, "#"); ok {
		n := len(digits) / 3
		if n < 1 || n > 4 || len(digits) != 3*n {
			return 0, false
		}
		var v [3]uint8
		for i := range v {
			x, err := strconv.ParseUint(digits[i*n:(i+1)*n], 16, 16)
			if err != nil {
				return 0, false
			}
			v[i] = uint8(x << (16 - 4*n) >> 8)
		}
		return RGB(v[0], v[1], v[2]), true
	}
	if rest, ok := strings.CutPrefix(strings.ToLower(text), "rgb:"); ok {
		parts := strings.Split(rest, "/")
		if len(parts) != 3 {
			return 0, false
		}
		var v [3]uint8
		for i, p := range parts {
			x, err := strconv.ParseUint(p, 16, 16)
			if err != nil || len(p) > 4 {
				return 0, false
			}
			v[i] = uint8(x * 255 / (1<<(4*len(p)) - 1))
		}
		return RGB(v[0], v[1], v[2]), true
	}
	return namedColour(strings.ToLower(text))
}

func namedColour(name string) (Colour, bool) {
	switch name {
	case "black":
		return RGB(0, 0, 0), true
	case "white":
		return RGB(255, 255, 255), true
	case "red":
		return RGB(255, 0, 0), true
	case "green":
		return RGB(0, 255, 0), true
	case "blue":
		return RGB(0, 0, 255), true
	case "yellow":
		return RGB(255, 255, 0), true
	case "magenta":
		return RGB(255, 0, 255), true
	case "cyan":
		return RGB(0, 255, 255), true
	}
	return 0, false
}
