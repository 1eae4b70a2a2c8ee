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
	folds graph
	nodes foldNodes
	most  int // how old a try may get
}

// form is one way to write one secret: its elements, one after the other, with folds between any two.
type form struct {
	elements []*element
	least    int  // of them make it complete: the padding of base64 may be missing
	edge     bool // the first is a base64 character that is only partly the secret's: no fold comes after it
}

// element is a character with its spellings.
type element struct {
	graph
	plain byte // the character, if it is one byte
	first [4]uint64
}

func (e *element) begins(b byte) bool { return e.first[b>>6]&(1<<(b&63)) != 0 }

// begins reports whether any form may begin with two bytes.
func (f *forms) begins(a, b byte) bool { return f.pairs[a][b>>6]&(1<<(b&63)) != 0 }

// The bounds of a try: how long an occurrence may be, for what no terminal shows between its characters.
const (
	minSpan     = 32 << 10
	spanPerChar = 64
)

// builder makes forms, with each distinct element only once.
type builder struct {
	forms *forms
	cache map[string]*element
	old   int
}

func newBuilder(before *forms) *builder {
	b := &builder{forms: &forms{}, cache: map[string]*element{}}
	if before == nil {
		b.forms.folds, b.forms.nodes = folds()
		b.forms.most = minSpan
		return b
	}
	*b.forms = *before
	b.forms.list = slices.Clone(before.list)
	for i := range before.first {
		b.forms.first[i] = slices.Clip(before.first[i])
	}
	b.old = len(before.list)
	return b
}

// done indexes the new forms by how they may begin.
func (b *builder) done() *forms {
	f := b.forms
	for i := b.old; i < len(f.list); i++ {
		form := f.list[i]
		f.most = max(f.most, minSpan+spanPerChar*len(form.elements))
		g := form.elements[0].graph
		for c := range 256 {
			if form.elements[0].begins(byte(c)) {
				f.first[c] = append(f.first[c], int32(i))
			}
		}
		for _, e := range g[0].edges { // the range is one byte
			for _, next := range g[e.node].edges {
				f.pair(e.from, next)
			}
			if g[e.node].end == nothing {
				continue
			}
			for _, next := range form.elements[1].graph[0].edges {
				f.pair(e.from, next)
			}
			if form.edge {
				continue
			}
			for _, next := range f.folds[0].edges {
				if next.from != ' ' && next.from != '_' { // see mayBegin
					f.pair(e.from, next)
				}
			}
			f.pair(e.from, edge{from: '\x1b', to: '\x1b'})
		}
	}
	return f
}

func (f *forms) pair(a byte, next edge) {
	for c := int(next.from); c <= int(next.to); c++ {
		f.pairs[a][c>>6] |= 1 << (c & 63)
	}
}

// add adds a form; every form has at least two elements.
func (b *builder) add(elements []*element, least int, edge bool) {
	if least > 1 {
		b.forms.list = append(b.forms.list, form{elements, least, edge})
	}
}

// element returns the element of a kind and character, which spell makes once.
func (b *builder) element(kind byte, char string, spell func() graph) *element {
	key := string(kind) + char
	if e, ok := b.cache[key]; ok {
		return e
	}
	e := &element{graph: spell()}
	if len(char) == 1 {
		e.plain = char[0]
	}
	for _, edge := range e.graph[0].edges {
		e.first[edge.from>>6] |= 1 << (edge.from & 63)
	}
	b.cache[key] = e
	return e
}

// characters cuts a value into what is escaped as one.
func characters(value string) (list []string) {
	for len(value) > 0 {
		_, n := utf8.DecodeRuneInString(value)
		if strings.HasPrefix(value, "\r\n") {
			n = 2
		}
		list, value = append(list, value[:n]), value[n:]
	}
	return list
}

// text adds a text as it is, or with any mixture of escapes.
func (b *builder) text(value string) {
	var f []*element
	for _, char := range characters(value) {
		f = append(f, b.element('t', char, func() graph { return spellings(char) }))
	}
	b.add(f, len(f), false)
}

// wide adds a text that is not all ASCII in UTF-16: in one that is there is only a NUL more at each character.
func (b *builder) wide(value string) {
	if !utf8.ValidString(value) || !strings.ContainsFunc(value, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return
	}
	for _, high := range []int{0, 1} {
		var f []*element
		for _, r := range value {
			var char []byte
			for _, u := range utf16.Encode([]rune{r}) {
				unit := [2]byte{byte(u), byte(u)}
				unit[high] = byte(u >> 8)
				char = append(char, unit[:]...)
			}
			f = append(f, b.element('w', string(char), func() graph {
				g := newGraph()
				g.add(string(char))
				return g
			}))
		}
		b.add(f, len(f), false)
	}
}

// hex adds a value's hexadecimal form, also with something between its bytes, as dumps have it.
func (b *builder) hex(value string) {
	var f []*element
	for i, c := range []byte(hex.EncodeToString([]byte(value))) {
		digit, kind := string(c), byte('x')
		between := []string{""}
		if i > 0 && i%2 == 0 {
			kind, between = 'X', []string{"", " ", ":", "-", ", 0x", " 0x", "0x"}
		}
		f = append(f, b.element(kind, digit, func() graph {
			g := newGraph()
			for _, sep := range between {
				g.ends(g.hex(g.literal(0, sep), digit), whole)
			}
			return g
		}))
	}
	b.add(f, len(f), false)
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
		least := len(f)
		for range strings.Count(whole, "=") {
			f = append(f, b.element('t', "=", func() graph { return spellings("=") }))
		}
		b.add(f, least, before > 0)
		if before > 0 {
			b.add(f[1:], least-1, false)
		}
	}
}

// edge returns the characters that agree with c in the bits of a mask.
func (b *builder) edge(c byte, bits int) *element {
	key := fmt.Sprintf("%c%d", c, bits)
	return b.element('b', key, func() graph {
		g := newGraph()
		for i := range len(alphabet) {
			if (i^strings.IndexByte(alphabet, c))&bits != 0 {
				continue
			}
			char := alphabet[i : i+1]
			g.add(char)
			switch char {
			case "+":
				g.add("-")
				g.escapes(char)
			case "/":
				g.add("_")
				g.escapes(char)
			}
		}
		return g
	})
}

// escapes adds the ways in which the signs of base64 are escaped.
func (g *graph) escapes(char string) {
	g.escaped("%", char)
	g.escaped("=", char)
	g.add(`\` + char)
	g.code(rune(char[0]))
}
