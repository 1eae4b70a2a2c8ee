package interp

import (
	"strings"
	"unicode/utf8"

	"go.starlark.net/syntax"

	"omniexpect/internal/fault"
)

// byteOrderMark is what some editors put in front of a text in UTF-8. It is not part of the text.
const byteOrderMark = "\uFEFF"

// ParseText reads a script's text into its tree. The text that it returns is the one that the tree's positions are about:
// without a byte order mark.
func ParseText(name, text string) (*syntax.File, string, error) {
	text, err := decode(name, text)
	if err != nil {
		return nil, text, err
	}
	f, err := Options().Parse(name, text, syntax.RetainComments)
	if err != nil {
		return nil, text, err
	}
	return f, text, shallow(f, text)
}

// decode removes a byte order mark, and refuses what is not UTF-8.
func decode(name, text string) (string, error) {
	bad := func(at int, msg string, hint string) error {
		e := fault.New(fault.Script, "%s", msg)
		e.Hints = []string{hint}
		line := strings.Count(text[:at], "\n")
		col := utf8.RuneCountInString(text[strings.LastIndexByte(text[:at], '\n')+1 : at])
		return &Located{Pos: syntax.MakePosition(&name, int32(line+1), int32(col+1)), Err: e}
	}
	const save = "save it as UTF-8: iconv -f %s -t UTF-8 FILE > NEW"
	if enc := wide(text); enc != "" {
		return text, bad(0, "the text is "+enc+", want UTF-8", strings.Replace(save, "%s", enc, 1))
	}
	text = strings.TrimPrefix(text, byteOrderMark)
	if at := strings.IndexByte(text, 0); at >= 0 { // the parser takes it for the end of the file
		return text, bad(at, "a NUL character, which a script cannot have", `delete it; in a text it is written "\x00"`)
	}
	if utf8.ValidString(text) {
		return text, nil
	}
	at := 0
	for {
		r, n := utf8.DecodeRuneInString(text[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	return text, bad(at, "a byte that is not UTF-8", strings.Replace(save, "%s", "ISO-8859-1", 1)+
		`; a byte of its own is written b"\x`+hex(text[at])+`"`)
}

func hex(b byte) string { return string([]byte{"0123456789abcdef"[b>>4], "0123456789abcdef"[b&15]}) }

// wide names the encoding of a text whose characters are wider than a byte, which its mark or its zeros tell.
func wide(text string) string {
	has := func(s string) bool { return strings.HasPrefix(text, s) }
	zero := func(i int) bool { return i < len(text) && text[i] == 0 }
	switch {
	case has("\xff\xfe\x00\x00"), has("\x00\x00\xfe\xff"):
		return "UTF-32"
	case has("\xff\xfe"), has("\xfe\xff"):
		return "UTF-16"
	case zero(1) && zero(3) && !zero(0) && !zero(2):
		return "UTF-16LE"
	case zero(0) && zero(2) && !zero(1) && !zero(3) && len(text) > 3:
		return "UTF-16BE"
	}
	return ""
}

// deepest bounds how deep a script's tree is. What reads a tree calls itself for each level, and a Go program whose stack
// is full dies without a word. The parser has a bound of its own for what is nested; what it does not count is what
// grows to the left: sums, chains of calls and members, elif.
const deepest = 5000

// shallow is an error if a tree is too deep.
func shallow(f *syntax.File, text string) error {
	if len(text) < deepest {
		return nil // a level takes a character at least
	}
	var deep *syntax.Position
	depth := 0
	syntax.Walk(f, func(n syntax.Node) bool {
		switch {
		case n == nil:
			depth--
			return false
		case deep != nil:
			return false
		case depth == deepest || clauses(n) > deepest:
			deep = new(begin(n))
			return false
		}
		depth++
		return true
	})
	if deep == nil {
		return nil
	}
	e := fault.New(fault.Script, "nested too deeply: more than %d levels", deepest)
	e.Hints = []string{deepHint}
	return &Located{Pos: *deep, Line: LineOf(text, int(deep.Line)), Err: e}
}

const deepHint = "a long sum, or a long chain of calls or of elif, nests as brackets do: make a list and go through it in a loop"

// clauses counts what a comprehension nests without a node of its own for each level.
func clauses(n syntax.Node) int {
	if c, ok := n.(*syntax.Comprehension); ok {
		return len(c.Clauses)
	}
	return 0
}

// begin is where a node stands, as near as can be told without going down its left side.
func begin(n syntax.Node) syntax.Position {
	switch n := n.(type) {
	case *syntax.BinaryExpr:
		return n.OpPos
	case *syntax.CallExpr:
		return n.Lparen
	case *syntax.DotExpr:
		return n.Dot
	case *syntax.IndexExpr:
		return n.Lbrack
	case *syntax.SliceExpr:
		return n.Lbrack
	}
	start, _ := n.Span()
	return start
}
