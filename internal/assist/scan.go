package assist

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is the kind of a token.
type kind int

const (
	word kind = iota
	number
	quoted
	mark // one bracket or sign, or the operators of more characters that matter here
	newline
	comment
)

// token is a piece of a script; open is a text that is not closed.
type token struct {
	kind     kind
	from, to int
	open     bool
}

// scan splits a text into tokens, whatever it is.
func scan(text string) []token {
	var out []token
	for i := 0; i < len(text); {
		c := text[i]
		t := token{kind: mark, from: i}
		switch {
		case c == ' ' || c == '\t':
			i++
			continue
		case c == '\\' && i+1 < len(text) && (text[i+1] == '\n' || text[i+1] == '\r'):
			i += 2 // the line goes on
			continue
		case c == '\n' || c == '\r':
			t.kind = newline
			i++
			if c == '\r' && i < len(text) && text[i] == '\n' {
				i++
			}
		case c == '#':
			t.kind = comment
			i += lineEnd(text[i:])
		case c == '"' || c == '\'':
			t.kind = quoted
			i, t.open = quotedEnd(text, i)
		case isDigit(c) || c == '.' && i+1 < len(text) && isDigit(text[i+1]):
			t.kind = number
			i = numberEnd(text, i)
		case wordLen(text[i:]) > 0:
			t.kind = word
			i += wordLen(text[i:])
			if p := text[t.from:i]; i < len(text) && (text[i] == '"' || text[i] == '\'') && (p == "r" || p == "b" || p == "rb") {
				t.kind = quoted
				i, t.open = quotedEnd(text, i)
			}
		default:
			_, n := utf8.DecodeRuneInString(text[i:])
			if i+2 <= len(text) && strings.Contains(" == != <= >= += -= *= /= %= |= &= ^= ** // ", " "+text[i:i+2]+" ") {
				n = 2
			}
			i += n
		}
		t.to = i
		out = append(out, t)
	}
	return out
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// wordLen is the length of the word that a text begins with.
func wordLen(text string) int {
	for i, r := range text {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return i
		}
	}
	return len(text)
}

func lineEnd(text string) int {
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		return i
	}
	return len(text)
}

func numberEnd(text string, i int) int {
	for i < len(text) {
		c := text[i]
		sign := (c == '-' || c == '+') && (text[i-1] == 'e' || text[i-1] == 'E')
		if !sign && c != '.' && c != '_' && !isDigit(c) && !('a' <= c|0x20 && c|0x20 <= 'z') {
			break
		}
		i++
	}
	return i
}

// quotedEnd returns where the text that begins with a quote ends, and whether it is left open.
func quotedEnd(text string, i int) (end int, open bool) {
	quote := text[i : i+1]
	long := strings.HasPrefix(text[i:], strings.Repeat(quote, 3))
	if long {
		quote = strings.Repeat(quote, 3)
	}
	for i += len(quote); i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], quote):
			return i + len(quote), false
		case text[i] == '\\' && i+1 < len(text) && (long || text[i+1] != '\n' && text[i+1] != '\r'):
			i++
		case !long && (text[i] == '\n' || text[i] == '\r'):
			return i, true
		}
	}
	return len(text), true
}

// isKeyword reports whether a word belongs to the language, so that no value stands there.
func isKeyword(w string) bool {
	switch w {
	case "and", "break", "continue", "def", "elif", "else", "for", "if", "in", "lambda", "load", "not", "or", "pass", "return", "while":
		return true
	}
	return false
}

// statement is a line of the script, with the lines that belong to it.
type statement struct {
	from, to int // the text, without what is before it in its line; to is before the line end
	tokens   []token
	indent   string // the blanks before it
	open     []int  // the brackets that are not closed, as indexes of tokens
}

func (s *statement) first(text string) string { return text[s.tokens[0].from:s.tokens[0].to] }

// header reports whether a block follows.
func (s *statement) header(text string) bool {
	last := s.tokens[len(s.tokens)-1]
	return text[last.from:last.to] == ":"
}

// column is the width of blanks, as the language counts.
func column(blanks string) int {
	n := 0
	for _, c := range blanks {
		n++
		if c == '\t' {
			n = (n + 7) / 8 * 8
		}
	}
	return n
}

// statements splits a text. A bracket that is left open ends at a line that is not indented further than the line it was
// opened in, if that line begins like a statement.
func statements(text string) []statement {
	var out []statement
	var cur statement
	end := func() {
		if len(cur.tokens) > 0 {
			cur.to = cur.tokens[len(cur.tokens)-1].to
			out = append(out, cur)
		}
		cur = statement{}
	}
	fresh := true // at the beginning of a line
	for _, t := range scan(text) {
		switch t.kind {
		case comment:
			continue
		case newline:
			fresh = true
			if len(cur.open) == 0 {
				end()
			}
			continue
		}
		if fresh && len(cur.open) > 0 && t.kind == word && begins(text[t.from:t.to]) && column(indentAt(text, t.from)) <= column(cur.indent) {
			end()
		}
		fresh = false
		if len(cur.tokens) == 0 {
			cur.from, cur.indent = t.from, indentAt(text, t.from)
		}
		cur.tokens = append(cur.tokens, t)
		if t.kind == mark {
			cur.bracket(text)
		}
	}
	end()
	return out
}

// begins reports whether a statement can begin with a word.
func begins(w string) bool {
	switch w {
	case "for", "if", "else", "in", "and", "or", "not", "lambda":
		return false
	}
	return true
}

// bracket keeps account of the brackets that are open.
func (s *statement) bracket(text string) {
	at := len(s.tokens) - 1
	sign := text[s.tokens[at].from:s.tokens[at].to]
	if strings.Contains("([{", sign) {
		s.open = append(s.open, at)
		return
	}
	if !strings.Contains(")]}", sign) {
		return
	}
	for i := len(s.open) - 1; i >= 0; i-- {
		if t := s.tokens[s.open[i]]; closing(text[t.from:t.to]) == sign {
			s.open = s.open[:i:i]
			return
		}
	}
}

func closing(open string) string {
	return map[string]string{"(": ")", "[": "]", "{": "}"}[open]
}

// indentAt returns the blanks that the line of a place begins with.
func indentAt(text string, at int) string {
	start := strings.LastIndexAny(text[:at], "\r\n") + 1
	end := start
	for end < at && (text[end] == ' ' || text[end] == '\t') {
		end++
	}
	return text[start:end]
}

// TokenEnd returns where the word, the text or the sign ends that begins at an offset; the offset itself if there is none.
func TokenEnd(text string, at int) int {
	rest := text[at:]
	if end := lineEnd(rest); end < len(rest) && !strings.Contains(rest[:end], `"""`) {
		rest = rest[:end] // the rest of the script does not matter
	}
	for _, t := range scan(rest) {
		if t.from == 0 && t.kind != newline && t.kind != comment {
			return at + t.to
		}
		break
	}
	return at
}
