package match

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Pattern is one thing to wait for. The zero Kind is a regular expression.
type Pattern struct {
	Kind       Kind
	Source     string // the expression, the exact text or bytes, the glob
	IgnoreCase bool
}

// Kind describes how a pattern's source is read.
type Kind uint8

// The kinds of patterns. EOF, Timeout and Full have no source.
const (
	Regexp  Kind = iota // RE2 as Go's regexp package has it
	Exact               // the text itself
	Glob                // * ? [abc] as in a shell
	Bytes               // the bytes themselves, in the raw view
	EOF                 // the program has ended and all its output is read
	Timeout             // the deadline
	Full                // the unread text has reached its bound
)

// String returns the pattern as a script would write it.
func (p Pattern) String() string {
	text := fmt.Sprintf("%q", p.Source)
	switch p.Kind {
	case Exact:
		text = "exact(" + text + ")"
	case Glob:
		text = "glob(" + text + ")"
	case Bytes:
		text = "exact(b" + text + ")"
	case EOF:
		return "EOF"
	case Timeout:
		return "TIMEOUT"
	case Full:
		return "FULL"
	default:
		if !strings.Contains(p.Source, `"`) && !strings.ContainsFunc(p.Source, unprintable) {
			text = `r"` + p.Source + `"`
		}
	}
	if p.IgnoreCase {
		return strings.TrimSuffix(text, ")") + ", ignore_case)"
	}
	return text
}

// patternShown is how many characters of a pattern messages show.
const patternShown = 300

// Short is String for a message: of a long pattern the middle is left out.
func (p Pattern) Short() string { return Shorten(p.String()) }

// Shorten leaves out the middle of a text that is too long for a message. What must not be shown is to be hidden before, for
// half of it would not be recognised.
func Shorten(text string) string {
	if utf8.RuneCountInString(text) <= patternShown {
		return text
	}
	runes := []rune(text)
	const tail = patternShown / 3
	return fmt.Sprintf("%s…(%d characters)…%s", string(runes[:patternShown-tail]), len(runes), string(runes[len(runes)-tail:]))
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// Outcome reports whether the pattern is not a text that may come, but another end of a wait: EOF and the like.
func (p Pattern) Outcome() bool { return p.Kind >= EOF }

// Regexp compiles the pattern for a text.
func (p Pattern) Regexp() (*regexp.Regexp, error) {
	if p.Outcome() {
		return nil, fmt.Errorf("%s is not a text", p)
	}
	expr, err := p.Expr()
	if err != nil {
		return nil, err
	}
	return regexp.Compile(expr)
}

// Expr returns the pattern as a regular expression over text.
func (p Pattern) Expr() (string, error) { return p.expr(false) }

// expr returns the pattern as a regular expression. In latin mode each byte stands for the character of that number.
func (p Pattern) expr(latin bool) (string, error) {
	flags := ""
	if p.IgnoreCase {
		flags = "(?i)"
	}
	switch p.Kind {
	case Exact, Bytes:
		if latin {
			return latinExpr(p.Source, flags), nil
		}
		return flags + regexp.QuoteMeta(p.Source), nil
	case Glob:
		g, err := globExpr(p.Source)
		return flags + g, err
	}
	return flags + p.Source, nil
}

// latinExpr returns bytes as an expression over the characters of their numbers. Only ASCII letters have two cases: a byte
// beyond them is not a letter.
func latinExpr(s, flags string) string {
	var b strings.Builder
	for i := range len(s) {
		c := regexp.QuoteMeta(string(rune(s[i])))
		if flags != "" && s[i] < utf8.RuneSelf {
			c = "(?:" + flags + c + ")"
		}
		b.WriteString(c)
	}
	return b.String()
}

// globExpr translates a glob: * is any text within a line, ? one character of it, [a-z] and [!a-z] a class, \ quotes.
func globExpr(glob string) (string, error) {
	var b strings.Builder
	rs := []rune(glob)
	for i := 0; i < len(rs); i++ {
		switch r := rs[i]; r {
		case '*':
			b.WriteString(`[^\n]*?`)
		case '?':
			b.WriteString(`[^\n]`)
		case '[':
			end := slices.Index(rs[min(i+2, len(rs)):], ']')
			if end < 0 {
				return "", fmt.Errorf("no ] after the [ at character %d", i+1)
			}
			end += i + 2
			body := string(rs[i+1 : end])
			if rest, ok := strings.CutPrefix(body, "!"); ok {
				body = "^" + rest
			}
			b.WriteString("[" + strings.ReplaceAll(strings.ReplaceAll(body, `\`, `\\`), "[", `\[`) + "]")
			i = end
		case '\\':
			if i++; i == len(rs) {
				return "", errors.New(`nothing after the last \`)
			}
			b.WriteString(regexp.QuoteMeta(string(rs[i])))
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	return b.String(), nil
}

// compiled is a pattern that has text to match.
type compiled struct {
	traits
	index  int // in the Set
	tree   *syntax.Regexp
	expr   string
	re     *regexp.Regexp // once it may match
	names  []string       // of its groups
	anon   string         // the expression without group names, once an alternation has asked for it
	groups int
}

// Set is a list of patterns compiled for one kind of view. It is immutable but for its cache of alternations, which the
// stream that uses it guards: a Set belongs to one stream.
type Set struct {
	Patterns []Pattern
	pats     []compiled
	latin    bool // the view is raw, and some pattern is bytes that are not UTF-8
	raw      bool
	eof      int // index of EOF, Timeout, Full in Patterns; -1
	timeout  int
	full     int
	scan     *scanner
	free     bool // some pattern has no literal
	fixed    bool // there is one pattern, and all its matches have one length
	combined map[string]*regexp.Regexp
}

// Compile prepares patterns for a stream. raw asks for the exact bytes; a Bytes pattern implies it.
func Compile(patterns []Pattern, raw bool) (*Set, error) {
	s := &Set{Patterns: patterns, raw: raw, eof: -1, timeout: -1, full: -1, combined: map[string]*regexp.Regexp{}}
	for _, p := range patterns {
		if p.Kind == Bytes {
			s.raw = true
			s.latin = s.latin || !utf8.ValidString(p.Source) || strings.ContainsRune(p.Source, utf8.RuneError)
		}
	}
	for i, p := range patterns {
		switch p.Kind {
		case EOF:
			s.eof = i
		case Timeout:
			s.timeout = i
		case Full:
			s.full = i
		default:
			c, err := s.compile(i, p)
			if err != nil {
				return nil, err
			}
			s.pats = append(s.pats, c)
		}
	}
	all := make([]traits, len(s.pats))
	for i, c := range s.pats {
		all[i] = c.traits
		s.free = s.free || len(c.lits) == 0
	}
	s.scan = newScanner(all)
	s.fixed = len(s.pats) == 1 && all[0].min == all[0].max
	return s, nil
}

// BadPattern is what Compile returns for a pattern that cannot be waited for.
type BadPattern struct {
	Pattern Pattern
	Why     string
}

// Error names the pattern and what is wrong with it.
func (b *BadPattern) Error() string { return "pattern " + b.Pattern.Short() + ": " + Shorten(b.Why) }

// maxPattern bounds the source of a pattern. What takes long to compile would outlive the deadline of its wait.
const maxPattern = 128 << 10

func (s *Set) compile(i int, p Pattern) (compiled, error) {
	bad := func(format string, args ...any) (compiled, error) {
		return compiled{}, &BadPattern{p, fmt.Sprintf(format, args...)}
	}
	if p.Source == "" {
		return bad("it matches nothing at all: name the text to wait for")
	}
	if len(p.Source) > maxPattern {
		return bad("it has %d bytes, and a pattern may have %d: wait for the beginning or the end of the text, and compare the rest", len(p.Source), maxPattern)
	}
	if s.latin && p.Kind != Bytes && !ascii(p.Source) {
		return bad("only ASCII can be in one list with bytes that are not UTF-8")
	}
	expr, err := p.expr(s.latin)
	if err != nil {
		return bad("%s", err)
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return bad("%s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	c := compiled{index: i, expr: expr, names: tree.CapNames()[1:], groups: tree.MaxCap(), traits: analyze(tree), tree: tree}
	switch {
	case s.latin:
		c.toBytes()
	case s.raw:
		c.takeInvalid()
	}
	return c, nil
}

// toBytes turns traits that speak of the transcoded text into ones that speak of the raw bytes. There a byte is one or
// two bytes of the transcoded text, so lengths in bytes are upper bounds as they are.
func (c *compiled) toBytes() {
	lits := make([]string, len(c.lits))
	for i, l := range c.lits {
		var b strings.Builder
		for _, r := range l {
			b.WriteByte(byte(r))
		}
		lits[i] = b.String()
	}
	c.lits = lits
	c.min = 0
}

// takeInvalid allows for what an invalid byte is taken for in the raw view: a U+FFFD of one byte.
func (c *compiled) takeInvalid() {
	if slices.ContainsFunc(c.lits, func(l string) bool { return strings.ContainsRune(l, utf8.RuneError) }) {
		c.lits, c.lead = nil, 0
	}
	c.min = 0
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// regexp compiles the expression, which was parsed before, when it is needed: of fifty patterns most never are.
func (c *compiled) regexp() *regexp.Regexp {
	if c.re == nil {
		c.re = regexp.MustCompile(c.expr)
	}
	return c.re
}

// anonymous returns the expression without group names. Writing it takes milliseconds where it has large classes like \S,
// so it waits until it is needed.
func (c *compiled) anonymous() string {
	if c.anon == "" {
		forget(c.tree)
		c.anon = c.tree.String()
	}
	return c.anon
}

// forget removes group names, which may not occur twice in an alternation.
func forget(re *syntax.Regexp) {
	re.Name = ""
	for _, s := range re.Sub {
		forget(s)
	}
}

// expression returns what finds the candidates, or nil where that would be too large in one.
func (s *Set) expression(candidates []int) *regexp.Regexp {
	if len(candidates) == 1 {
		return s.pats[candidates[0]].regexp()
	}
	return s.alternation(candidates)
}

// alternation returns one expression for several candidates, each in a group of its own.
func (s *Set) alternation(candidates []int) *regexp.Regexp {
	key := fmt.Sprint(candidates)
	if re, known := s.combined[key]; known {
		return re
	}
	parts := make([]string, len(candidates))
	for i, c := range candidates {
		parts[i] = "(" + s.pats[c].anonymous() + ")"
	}
	re, err := regexp.Compile(strings.Join(parts, "|"))
	if err != nil {
		re = nil
	}
	if len(s.combined) > 64 {
		clear(s.combined)
	}
	s.combined[key] = re
	return re
}

// Empty reports whether pattern i may match where there is nothing.
func (s *Set) Empty(i int) bool {
	for _, c := range s.pats {
		if c.index == i {
			return c.empty
		}
	}
	return false
}

// Names returns the names of the groups of pattern i, unnamed ones as "".
func (s *Set) Names(i int) []string {
	for _, c := range s.pats {
		if c.index == i {
			return c.names
		}
	}
	return nil
}

// Raw reports whether the set is matched against the exact bytes.
func (s *Set) Raw() bool { return s.raw }

// Open reports whether pattern i may match more when more text comes, so that settle makes a difference.
func (s *Set) Open(i int) bool {
	for _, c := range s.pats {
		if c.index == i {
			return c.open
		}
	}
	return false
}
