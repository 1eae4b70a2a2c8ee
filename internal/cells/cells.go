// Package cells counts how many columns of a terminal characters and grapheme clusters take.
package cells

import (
	"unicode"

	"golang.org/x/text/width"
)

// Width returns how many columns a character takes: 2 for a wide one, 0 for one that joins the character before it, or
// that is not seen. A control character counts as one column; a caller that may meet one
// has to look for it first.
//
// What most texts consist of is decided without a table, as this is called for each character of the output.
func Width(r rune) int {
	switch {
	case r < 0x300, r >= 0x370 && r < 0x483, r >= 0x2500 && r < 0x25a0: // Latin, Greek, Cyrillic, lines and blocks
		return 1
	case r >= 0x1160 && r < 0x1200, r >= 0xd7b0 && r < 0xd800: // the later parts of a syllable
		return 0
	case r >= 0x4e00 && r < 0xa000, r >= 0xac00 && r < 0xd7a4: // Han, Hangul
		return 2
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	return 1
}

// Sum returns how many columns the characters of a text take.
func Sum(text string) int {
	n := 0
	for _, r := range text {
		n += Width(r)
	}
	return n
}
