package mask

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const punctuation = " !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

// spellings returns the ways to write a character, which is a byte where it is not UTF-8, and any line end.
func spellings(char string) graph {
	g := newGraph()
	g.add(char)
	g.escaped("%", char)
	g.escaped("=", char)
	g.escaped(`\x`, char)
	octal := ""
	for i := range len(char) {
		octal += fmt.Sprintf(`\%03o`, char[i])
	}
	g.add(octal)
	if strings.Trim(char, "\r\n") == "" {
		for _, end := range []string{"\n", "\r\n", "\r", `\n`, `\r\n`, `\r`, "%0A", "%0a", "%0D%0A", "%0d%0a", "%0D", "%0d", "=0A", "=0D=0A",
			"^M", "^J", "&#10;", "&#13;", "&#13;&#10;", "&#xA;", "&#xD;&#xA;", "&NewLine;"} {
			g.add(end)
		}
	}
	switch char {
	case " ":
		g.add("+")
		g.add("_") // in a header's quoted-printable
		g.add("\u00a0")
		g.add("&nbsp;")
	case "'":
		g.add(`'\''`)
		g.add(`'"'"'`)
		g.add("''")
	case `"`:
		g.add(`""`)
		g.add(`'"'`)
	case "\t":
		g.add(`\t`)
		g.add("&Tab;")
	case "\b":
		g.add(`\b`)
	case "\f":
		g.add(`\f`)
	case "\x1b":
		g.add(`\e`)
		g.add(`\E`)
	}
	if c := char[0]; len(char) == 1 && (c < ' ' || c == 0x7f) {
		g.add("^" + string(rune(c^0x40)))
		g.add("^\b^" + string(rune(c^0x40)))
	} else if len(char) == 1 && strings.IndexByte(punctuation, c) >= 0 {
		g.add(`\` + char)
	}
	r, n := utf8.DecodeRuneInString(char)
	switch {
	case r == utf8.RuneError && n == 1:
		g.add("\uFFFD") // what a text view makes of it
	case n == len(char):
		g.code(r)
	}
	return g
}

// code adds the ways to write a character by its number or its name.
func (g *graph) code(r rune) {
	at := 0
	for _, u := range utf16.Encode([]rune{r}) {
		at = g.hex(g.literal(at, `\u`), fmt.Sprintf("%04x", u))
	}
	g.ends(at, whole)
	g.ends(g.hex(g.literal(0, `\U`), fmt.Sprintf("%08x", r)), whole)
	number := strconv.FormatInt(int64(r), 16)
	at = g.literal(0, `\u{`)
	g.zeros(at)
	g.ends(g.literal(g.hex(at, number), "}"), whole)
	if r >= 0xa0 && r < 0x100 {
		g.ends(g.hex(g.literal(0, `\x`), number), whole)
		g.add(string([]byte{byte(r)})) // Latin 1
		g.add(fmt.Sprintf("%%%02X", r))
	}
	// A reference of HTML or XML does without its semicolon where a browser does.
	amp := g.ampersand()
	for _, x := range []string{"#x", "#X"} {
		at = g.literal(amp, x)
		g.zeros(at)
		g.reference(g.hex(at, number))
	}
	at = g.literal(amp, "#")
	g.zeros(at)
	g.reference(g.literal(at, strconv.Itoa(int(r))))
	for name := range strings.SplitSeq(entities(r), " ") {
		if name != "" {
			g.reference(g.literal(amp, name))
		}
	}
}

// ampersand adds the sign before a reference, which may be escaped itself, as where a page stands in JSON.
func (g *graph) ampersand() int {
	amp := g.literal(0, "&")
	for _, before := range []int{g.literal(0, `\u002`), g.literal(0, `\x2`)} {
		g.link(before, '6', '6', amp)
	}
	g.link(g.literal(amp, "amp"), ';', ';', amp)
	return amp
}

func (g *graph) reference(at int) {
	g.ends(at, whole)
	g.ends(g.literal(at, ";"), whole)
}

// entities returns the names that HTML has for a character, as far as anybody writes them.
func entities(r rune) string {
	if r >= 0xa0 && r < 0x100 {
		return strings.Fields(latin1)[r-0xa0]
	}
	for line := range strings.SplitSeq(named, "\n") {
		if char, names, _ := strings.Cut(line, " "); char == string(r) {
			return names
		}
	}
	return ""
}

const named = `& amp AMP
< lt LT
> gt GT
" quot QUOT
' apos
! excl
# num
$ dollar
% percnt
( lpar
) rpar
* ast midast
+ plus
, comma
. period
/ sol
: colon
; semi
= equals
? quest
@ commat
[ lsqb lbrack
\ bsol
] rsqb rbrack
^ Hat
_ lowbar UnderBar
` + "`" + ` grave DiacriticalGrave
{ lcub lbrace
| verbar vert VerticalLine
} rcub rbrace
€ euro
– ndash
— mdash
… hellip
‘ lsquo
’ rsquo
“ ldquo
” rdquo`

const latin1 = `nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute
micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave
Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml
Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth
ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml`
