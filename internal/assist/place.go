package assist

import "strings"

// what is what is written at a place.
type what int

const (
	nothing    what = iota // a comment, a text, a number, a name that is being given
	name                   // a name, or a keyword argument
	attribute              // after a dot
	loadFile               // the first text of load
	loadedName             // another text of load
	inText                 // any other text
)

// place is a place in a script and what stands around it.
type place struct {
	what     what
	from, to int    // the word or the text around it, as far as it goes
	at       int    // the place itself
	receiver string // the expression before the dot
	bare     bool   // of loadFile and loadedName: outside of quotes
	calls    []call // those that are open, the innermost first
	argument bool   // a new argument of the innermost call begins here
	stmt     *statement
}

// call is a call that is open at a place.
type call struct {
	callee string
	from   int // where the callee begins
	args   []arg
}

// arg is an argument; name is set if it is given by name.
type arg struct{ name, text string }

// find returns what stands at a place.
func find(text string, at int) place {
	p := place{what: name, from: at, to: at, at: at}
	toks := scan(text[:at])
	if n := len(toks); n > 0 && toks[n-1].kind == comment {
		p.what = nothing
		return p
	}
	p.word(text)
	if all := statements(text[:at]); len(all) > 0 {
		if s := &all[len(all)-1]; sameStatement(text[s.to:at], s) {
			p.stmt = s
		}
	}
	if p.stmt == nil {
		return p
	}
	s := p.stmt
	for i := len(s.open) - 1; i >= 0; i-- {
		if c, ok := callAt(text, s, s.open[i]); ok {
			p.calls = append(p.calls, c)
			if i == len(s.open)-1 {
				p.argument = len(c.args) == 0 || c.args[len(c.args)-1] == arg{text: strings.TrimSpace(text[p.from:at])}
			}
		}
	}
	p.classify(text)
	return p
}

// sameStatement reports whether a statement goes on after what is between its last token and the place.
func sameStatement(between string, s *statement) bool {
	return len(s.open) > 0 || !strings.ContainsAny(between, "\r\n")
}

// word finds the word around the place.
func (p *place) word(text string) {
	for p.from > 0 {
		prev := p.from - 1
		for prev > 0 && text[prev]&0xC0 == 0x80 {
			prev--
		}
		if r := text[prev:p.from]; wordLen("x"+r) != len(r)+1 {
			break
		}
		p.from = prev
	}
	p.to = p.at + wordLen("x"+text[p.at:]) - 1
}

// classify looks at the tokens before the place.
func (p *place) classify(text string) {
	s := p.stmt
	n := len(s.tokens)
	last := s.tokens[n-1]
	before := n // the tokens before the word
	if last.to == p.at && last.kind == word {
		before--
	}
	loading := len(p.calls) > 0 && p.calls[0].callee == "load"
	switch {
	case last.kind == quoted && last.open && last.to == p.at:
		p.what = inText
		p.inside(text, last)
		if loading {
			p.what = loadFile
			if len(p.calls[0].args) > 1 {
				p.what = loadedName
			}
		}
	case last.kind == quoted && last.to == p.at, last.kind == number && last.to == p.at:
		p.what = nothing
	case loading:
		p.what, p.bare = loadFile, true
		if len(p.calls[0].args) > 1 {
			p.what = loadedName
		}
	case before > 0 && text[s.tokens[before-1].from:s.tokens[before-1].to] == ".":
		p.what = attribute
		if before > 1 {
			from := primary(text, s.tokens, before-2)
			p.receiver = text[s.tokens[from].from:s.tokens[before-2].to]
		}
	case before > 0 && text[s.tokens[before-1].from:s.tokens[before-1].to] == "def":
		p.what = nothing
	}
}

// inside finds what stands between the quotes around the place.
func (p *place) inside(text string, t token) {
	first := t.from + strings.IndexAny(text[t.from:], `"'`)
	long := strings.Repeat(text[first:first+1], 3)
	quotes := 1
	if strings.HasPrefix(text[first:], long) && p.at >= first+len(long) {
		quotes = len(long)
	}
	p.from = first + quotes
	end, open := quotedEnd(text, first)
	p.to = end
	if !open {
		p.to -= quotes
	}
}

// primary returns the token that the expression begins with whose last token is at i: a.b(c)[d].e
func primary(text string, toks []token, i int) int {
	for i > 0 {
		sign := text[toks[i].from:toks[i].to]
		if toks[i].kind == mark {
			if !strings.Contains(")]}", sign) {
				return i
			}
			open := opening(text, toks, i)
			if open <= 0 || sign == "}" || !operand(text, toks[open-1]) {
				return max(open, 0)
			}
			i = open - 1
			continue
		}
		if prev := toks[i-1]; text[prev.from:prev.to] != "." || i < 2 {
			return i
		}
		i -= 2
	}
	return i
}

// operand reports whether a value ends with a token, so that a bracket after it calls or indexes.
func operand(text string, t token) bool {
	s := text[t.from:t.to]
	switch t.kind {
	case word:
		return !isKeyword(s) || s == "load"
	case quoted:
		return true
	case mark:
		return s == ")" || s == "]"
	}
	return false
}

func opening(text string, toks []token, i int) int {
	depth := 0
	for ; i >= 0; i-- {
		if toks[i].kind != mark {
			continue
		}
		switch s := text[toks[i].from:toks[i].to]; {
		case strings.Contains(")]}", s):
			depth++
		case strings.Contains("([{", s):
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// callAt returns the call that a bracket opens.
func callAt(text string, s *statement, open int) (call, bool) {
	t := s.tokens
	if text[t[open].from:t[open].to] != "(" || open == 0 || !operand(text, t[open-1]) || t[open-1].kind == quoted {
		return call{}, false
	}
	from := primary(text, t, open-1)
	if from > 0 && text[t[from-1].from:t[from-1].to] == "def" {
		return call{}, false
	}
	c := call{callee: text[t[from].from:t[open-1].to], from: t[from].from}
	depth, lambda, start := 0, false, open+1
	flush := func(end int) {
		a := arg{}
		if end > start {
			a.text = text[t[start].from:t[end-1].to]
			if end-start > 1 && t[start].kind == word && text[t[start+1].from:t[start+1].to] == "=" {
				a.name = text[t[start].from:t[start].to]
			}
		}
		c.args = append(c.args, a)
		start = end + 1
	}
	for i := open + 1; i < len(t); i++ {
		switch sign := text[t[i].from:t[i].to]; {
		case t[i].kind == word && sign == "lambda":
			lambda = true
		case t[i].kind != mark:
		case strings.Contains("([{", sign):
			depth++
		case strings.Contains(")]}", sign):
			depth--
		case depth == 0 && sign == ":":
			lambda = false
		case depth == 0 && sign == "," && !lambda:
			flush(i)
		}
	}
	flush(len(t))
	return c, true
}
