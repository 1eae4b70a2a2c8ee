package match

import (
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

// byteSet is a set of bytes.
type byteSet [4]uint64

func (b *byteSet) has(c byte) bool { return b[c>>6]&(1<<(c&63)) != 0 }

// add adds the bytes from lo to hi.
func (b *byteSet) add(lo, hi byte) {
	for c := int(lo); c <= int(hi); c++ {
		b[c>>6] |= 1 << (c & 63)
	}
}

func (b *byteSet) merge(o byteSet) {
	for i := range b {
		b[i] |= o[i]
	}
}

// addRune adds what the encoding of r ends with. A regular expression takes any invalid byte for U+FFFD, and in latin
// mode the byte is the character: beyond ASCII all is possible.
func (b *byteSet) addRune(r rune) {
	if r < utf8.RuneSelf {
		b.add(byte(r), byte(r))
	} else {
		b.add(0x80, 0xff)
	}
}

// tails returns the bytes that a match which is not empty may end with, and whether a match may be empty. A window in
// which none of them comes before the end of a match holds no shorter one.
func tails(re *syntax.Regexp) (last byteSet, empty bool) {
	switch re.Op {
	case syntax.OpNoMatch:
		return last, false
	case syntax.OpLiteral:
		r := re.Rune[len(re.Rune)-1]
		last.addRune(r)
		if re.Flags&syntax.FoldCase != 0 {
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				last.addRune(f)
			}
		}
		return last, false
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			if lo, hi := re.Rune[i], re.Rune[i+1]; lo < utf8.RuneSelf {
				last.add(byte(lo), byte(min(hi, utf8.RuneSelf-1)))
			}
			last.addRune(re.Rune[i+1])
		}
		return last, false
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		last.add(0, 0xff)
		return last, false
	case syntax.OpCapture, syntax.OpPlus:
		return tails(re.Sub[0])
	case syntax.OpStar, syntax.OpQuest:
		last, _ = tails(re.Sub[0])
		return last, true
	case syntax.OpRepeat:
		last, empty = tails(re.Sub[0])
		return last, empty || re.Min == 0
	case syntax.OpConcat:
		empty = true
		for i := len(re.Sub) - 1; i >= 0 && empty; i-- {
			var more byteSet
			more, empty = tails(re.Sub[i])
			last.merge(more)
		}
		return last, empty
	case syntax.OpAlternate:
		for _, s := range re.Sub {
			more, e := tails(s)
			last.merge(more)
			empty = empty || e
		}
		return last, empty
	}
	return last, true
}
