package vt

import (
	"encoding/binary"
	"math/bits"
)

// Printable returns how many bytes at the front of b are printable ASCII.
func Printable(b []byte) int {
	i := 0
	for ; i+32 <= len(b); i += 32 {
		q := b[i : i+32]
		if odd(q)|odd(q[8:])|odd(q[16:])|odd(q[24:]) != 0 {
			break
		}
	}
	for ; i+8 <= len(b); i += 8 {
		if at := odd(b[i:]); at != 0 {
			return i + bits.TrailingZeros64(at)/8
		}
	}
	for i < len(b) && b[i] >= ' ' && b[i] < del {
		i++
	}
	return i
}

// Colour returns the length of the control sequence at the front of b that selects how characters look, if that is what
// stands there as a whole; else 0. It is for the fast path of who does not mind colours, in the ground state.
func Colour(b []byte) int {
	if len(b) < 3 || b[0] != esc || b[1] != '[' {
		return 0
	}
	for i, c := range b[2:] {
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

// numbers takes the parameters of a control sequence from b[i:] on and, if nothing else comes, its final byte.
func (p *Parser) numbers(b []byte, i int) Event {
	for ; i < len(b); i++ {
		c := b[i]
		if c >= '0' && c <= '9' && p.nParam > 0 && p.nParam <= MaxParams {
			n := &p.params[p.nParam-1]
			*n = min(max(*n, 0)*10+int32(c-'0'), MaxParam)
			continue
		}
		switch {
		case c >= '0' && c <= ';':
			p.parameter(c)
		case c >= '@' && c < del:
			p.state, p.final = ground, c
			return Event{Kind: CSI, Byte: c, N: i + 1}
		default:
			e := p.bytewise(b[i:])
			e.N += i
			return e
		}
	}
	return Event{N: i}
}

// odd has the high bit set of the first of eight bytes that is below a blank, DEL or not ASCII, and maybe of later ones:
// what such a byte lends or carries spoils only bytes after it.
func odd(b []byte) uint64 {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	x := binary.LittleEndian.Uint64(b)
	return (x | (x + ones) | (x - ' '*ones)) & high
}
