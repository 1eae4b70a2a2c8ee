package mask

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// forms are all the ways in which the secrets may be written. They never change: another secret makes new ones, in
// which the old ones keep their places.
type forms struct {
	list  []form
	first [256][]int32 // the forms that may begin with a byte
	pairs [256][4]uint64
}

// form is one way to write one secret: its elements, one after the other, with a fold between any two.
type form struct {
	elements []*element
	edge     bool // the first is a base64 character that is only partly the secret's: no fold comes after it
}

// element is a character with its spellings; the first one is the plain one.
type element []string

// begins reports whether any form may begin with two bytes.
func (f *forms) begins(a, b byte) bool { return f.pairs[a][b>>6]&(1<<(b&63)) != 0 }

// builder makes forms, with each distinct element only once.
type builder struct {
	forms *forms
	cache map[string]*element
	old   int
}

func newBuilder(before *forms) *builder {
	b := &builder{forms: &forms{}, cache: map[string]*element{}}
	if before != nil {
		b.forms.list = slices.Clone(before.list)
		b.forms.pairs = before.pairs
		for i := range before.first {
			b.forms.first[i] = slices.Clone(before.first[i])
		}
		b.old = len(before.list)
	}
	return b
}

// done indexes the new forms by how they may begin.
func (b *builder) done() *forms {
	f := b.forms
	for i := b.old; i < len(f.list); i++ {
		form := f.list[i]
		for _, spelling := range *form.elements[0] {
			c := spelling[0]
			if at := f.first[c]; len(at) == 0 || at[len(at)-1] != int32(i) {
				f.first[c] = append(at, int32(i))
			}
			if len(spelling) > 1 {
				f.pair(c, spelling[1])
				continue
			}
			for _, next := range *form.elements[1] {
				f.pair(c, next[0])
			}
			if form.edge {
				continue
			}
			for _, fold := range "\r\n\x1b" { // and a blank, see mayBegin
				f.pair(c, byte(fold))
			}
		}
	}
	return f
}

func (f *forms) pair(a, b byte) { f.pairs[a][b>>6] |= 1 << (b & 63) }

// add adds a form; every form has at least two elements.
func (b *builder) add(elements []*element, edge bool) {
	if len(elements) > 1 {
		b.forms.list = append(b.forms.list, form{elements, edge})
	}
}

// element returns the element of a kind and character, which make builds once.
func (b *builder) element(kind byte, char string, spell func() []string) *element {
	key := string(kind) + char
	if e, ok := b.cache[key]; ok {
		return e
	}
	e := element{}
	for _, s := range spell() {
		if !slices.Contains(e, s) {
			e = append(e, s)
		}
	}
	b.cache[key] = &e
	return &e
}

// text adds a text as it is, in URLs and in JSON, or with any mixture of their escapes.
func (b *builder) text(value string) {
	var f []*element
	for len(value) > 0 {
		_, n := utf8.DecodeRuneInString(value)
		if strings.HasPrefix(value, "\r\n") {
			n = 2
		}
		char := value[:n]
		f = append(f, b.element('t', char, func() []string { return spellings(char) }))
		value = value[n:]
	}
	b.add(f, false)
}

// spellings returns the ways to write a character.
func spellings(char string) []string {
	list := []string{char}
	add := func(s ...string) { list = append(list, s...) }
	var upper, lower strings.Builder
	for _, c := range []byte(char) {
		fmt.Fprintf(&upper, "%%%02X", c)
		fmt.Fprintf(&lower, "%%%02x", c)
	}
	add(upper.String(), lower.String())
	switch char {
	case "\n", "\r\n", "\r":
		add("\n", "\r\n", "\r", `\n`, `\r\n`, `\r`, "%0A", "%0a", "%0D%0A", "%0d%0a", "%0D", "%0d")
	case " ":
		add("+")
	case "\t":
		add(`\t`)
	case "\b":
		add(`\b`)
	case "\f":
		add(`\f`)
	case "'":
		add(`'\''`, `'"'"'`)
	case "\x1b":
		add(`\e`, `\E`)
	}
	if c := char[0]; len(char) == 1 && (c < ' ' || c == 0x7f) {
		add("^"+string(c^0x40), "^\b^"+string(c^0x40), fmt.Sprintf(`\x%02x`, c), fmt.Sprintf(`\x%02X`, c), fmt.Sprintf(`\%03o`, c))
	} else if len(char) == 1 && strings.Contains(" !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", char) {
		add(`\` + char)
	}
	r, n := utf8.DecodeRuneInString(char)
	if r == utf8.RuneError && n == 1 {
		add("\uFFFD") // what a text view makes of it
		return list
	}
	if char == "\r\n" {
		return list
	}
	units := utf16.Encode([]rune{r})
	upper.Reset()
	lower.Reset()
	for _, u := range units {
		fmt.Fprintf(&upper, `\u%04X`, u)
		fmt.Fprintf(&lower, `\u%04x`, u)
	}
	add(upper.String(), lower.String())
	return list
}

// hex adds a value's hexadecimal form.
func (b *builder) hex(value string) {
	var f []*element
	for _, c := range []byte(hex.EncodeToString([]byte(value))) {
		digit := string(c)
		f = append(f, b.element('x', digit, func() []string { return []string{digit, strings.ToUpper(digit)} }))
	}
	b.add(f, false)
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// base64 adds what a value looks like in a base64 text, with 0, 1 or 2 bytes before it in its group of three. A
// character at the edge that also holds bits of a neighbour may be any that has the value's bits.
func (b *builder) base64(value string) {
	for before := range 3 {
		whole := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\x00", before) + value))
		bits := (before + len(value)) * 8
		var f []*element
		if before > 0 {
			own := 6 - before*8%6 // bits of the first character, the low ones
			f = append(f, b.edge(whole[before], 1<<own-1))
		}
		for _, c := range []byte(whole[(before*8+5)/6 : bits/6]) {
			f = append(f, b.edge(c, 63))
		}
		if rest := bits % 6; rest > 0 {
			f = append(f, b.edge(whole[bits/6], 63&^(1<<(6-rest)-1)))
		}
		for padding := strings.Count(whole, "="); ; padding-- {
			b.add(f, before > 0)
			if before > 0 {
				b.add(f[1:], false)
			}
			if padding == 0 {
				break
			}
			f = append(slices.Clip(f), b.element('t', "=", func() []string { return spellings("=") }))
		}
	}
}

// edge returns the characters that agree with c in the bits of a mask.
func (b *builder) edge(c byte, bits int) *element {
	key := fmt.Sprintf("%c%d", c, bits)
	return b.element('b', key, func() (list []string) {
		for i := range len(alphabet) {
			if (i^strings.IndexByte(alphabet, c))&bits != 0 {
				continue
			}
			list = append(list, spellings(alphabet[i:i+1])...)
			switch alphabet[i] {
			case '+':
				list = append(list, "-")
			case '/':
				list = append(list, "_")
			}
		}
		return list
	})
}
