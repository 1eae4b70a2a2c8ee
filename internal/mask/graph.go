package mask

import "fmt"

// graph is a set of texts as a machine that reads them byte by byte from its node 0.
type graph []node

type node struct {
	edges []edge
	end   ending // what is complete here
}

// edge leads to a node with any byte of a range.
type edge struct {
	from, to byte
	node     uint16
}

// ending is what ends at a node.
type ending uint8

const (
	nothing ending = iota
	whole          // a spelling of a character
	counted        // a piece of a fold, of which there are few between two characters
	free           // one of which there may be any number
	back           // one that goes back over the character before, which comes once more
)

func newGraph() graph { return make(graph, 1) }

// step adds an edge with a range of bytes, or takes the one that is there.
func (g *graph) step(at int, from, to byte) int {
	for _, e := range (*g)[at].edges {
		if e.from == from && e.to == to {
			return int(e.node)
		}
	}
	*g = append(*g, node{})
	g.link(at, from, to, len(*g)-1)
	return len(*g) - 1
}

func (g *graph) link(at int, from, to byte, node int) {
	(*g)[at].edges = append((*g)[at].edges, edge{from, to, uint16(node)})
}

// literal adds a text as it stands. A backslash that begins an escape may come many times: each quoting of a text that was
// quoted before doubles it.
func (g *graph) literal(at int, text string) int {
	for i := range len(text) {
		at = g.step(at, text[i], text[i])
		if text[i] == '\\' && i+1 < len(text) && !g.leads(at, '\\', at) {
			g.link(at, '\\', '\\', at)
		}
	}
	return at
}

// hex adds hexadecimal digits in either case.
func (g *graph) hex(at int, digits string) int {
	for i := range len(digits) {
		c := digits[i]
		next := g.step(at, c, c)
		if c >= 'a' && c <= 'f' && !g.leads(at, c-0x20, next) {
			g.link(at, c-0x20, c-0x20, next)
		}
		at = next
	}
	return at
}

func (g *graph) leads(at int, c byte, node int) bool {
	for _, e := range (*g)[at].edges {
		if e.from == c && int(e.node) == node {
			return true
		}
	}
	return false
}

// zeros adds any number of zeros.
func (g *graph) zeros(at int) {
	if !g.leads(at, '0', at) {
		g.link(at, '0', '0', at)
	}
}

func (g *graph) ends(at int, p ending) { (*g)[at].end = p }

// add adds a whole spelling.
func (g *graph) add(text string) { g.ends(g.literal(0, text), whole) }

// escaped adds each byte of a text behind a sign, in hexadecimal.
func (g *graph) escaped(sign, text string) {
	at := 0
	for i := range len(text) {
		at = g.hex(g.literal(at, sign), fmt.Sprintf("%02x", text[i]))
	}
	g.ends(at, whole)
}

// The nodes of folds that are entered by themselves.
type foldNodes struct {
	root, again, done int // after a character; after the next one for the first time; after the last one
}

// folds returns what may stand between two characters of a secret without being seen, or what a terminal, a pager or an
// encoder wraps and draws lines with. Escape sequences are not in it: the parser of internal/vt knows them.
func folds() (graph, foldNodes) {
	g := newGraph()
	var n foldNodes
	put := func(p ending, texts ...string) {
		for _, text := range texts {
			g.ends(g.literal(0, text), p)
		}
	}
	// At the margin of a terminal or of a text in lines, with the escapes of a line end.
	put(counted, "\r", "\n", "=\n", "=\r\n", " \r", `\r`, `\n`, ` \r`)
	// What terminals swallow, and characters without a width.
	put(free, "\x00", "\a", "\x0e", "\x0f", "\x7f", "\u00ad", "\u034f", "\u180e", "\ufeff")
	for _, r := range [][2]rune{{0x200b, 0x200f}, {0x202a, 0x202e}, {0x2060, 0x2064}, {0x2066, 0x2069}, {0xfe00, 0xfe0f}} {
		for c := r[0]; c <= r[1]; c++ {
			put(free, string(c))
			g.ends(g.hex(g.literal(0, `\u`), fmt.Sprintf("%04x", c)), free)
		}
	}
	put(free, `\x00`, `\u0000`, `\0`, `\u00ad`, "&shy;", "&ZeroWidthSpace;", "&#8203;", "&#173;", "<wbr>")
	g.ends(g.hex(g.literal(0, `\u`), "feff"), free)
	// Bold and underlined by overstriking.
	put(back, "\b", `\b`, `\x08`, "^H")
	for _, b := range []string{"\b", `\b`, `\x08`, "^H"} {
		put(free, "_"+b)
	}
	// A control sequence that somebody has quoted.
	params, intro := g.node(), []string{"^[[", `\e[`, `\E[`, `\033[`}
	for _, text := range intro {
		g.link(g.literal(0, text[:len(text)-1]), '[', '[', params)
	}
	for _, x := range []string{`\x`, `\u00`} {
		g.link(g.hex(g.literal(0, x), "1b"), '[', '[', params)
	}
	g.link(params, ' ', '?', params)
	final := g.node()
	g.link(params, '@', '~', final)
	g.ends(final, free)

	n.again = g.node() // a character that is written at the margin and, after CR, again on the next row
	g.ends(g.literal(n.again, "\r"), counted)
	g.ends(g.literal(n.again, `\r`), counted)
	n.done = g.node()
	for _, b := range []string{"\b", `\b`, `\x08`, "^H"} {
		g.ends(g.literal(n.done, b), back)
	}
	return g, n
}

func (g *graph) node() int {
	*g = append(*g, node{})
	return len(*g) - 1
}
