package builtins

import (
	"regexp"
	"regexp/syntax"
	"unicode/utf8"

	"omniexpect/internal/dsl"
)

// fewBytes is a text in which all matches are found in no time.
const fewBytes = 1 << 16

// matchCost is what a match costs besides its bytes, in units of a Pace.
const matchCost = 8

// eachMatch calls f with the offsets of each match, as regexp.FindAllStringSubmatchIndex finds them, one after the other, so
// that an interrupt and a deadline end it between two of them.
func eachMatch(c *dsl.Call, who, pattern, text string, f func(re *regexp.Regexp, at []int) error) error {
	re, err := compileRE(who, pattern)
	if err != nil {
		return err
	}
	if len(text) <= fewBytes {
		for _, at := range re.FindAllStringSubmatchIndex(text, -1) {
			if err := f(re, at); err != nil {
				return err
			}
		}
		return nil
	}
	m := matcher{re: re, text: text}
	if looksBehind(pattern) {
		m.behind = regexp.MustCompile(`\A(?s:.)(?s:.*?)(` + pattern + `)`)
	}
	pace := c.Pace()
	for pos, last := 0, -1; pos <= len(text); {
		at := m.from(pos)
		if at == nil {
			break
		}
		if err := pace.Step(matchCost + (at[1]-pos)/4); err != nil {
			return err
		}
		empty := at[1] == pos
		if !empty || at[0] != last { // no empty match right behind another one
			if err := f(re, at); err != nil {
				return err
			}
		}
		pos, last = at[1], at[1]
		if empty {
			_, n := utf8.DecodeRuneInString(text[pos:])
			pos += max(n, 1)
		}
	}
	return nil
}

// matcher finds matches from any offset of a text.
type matcher struct {
	re     *regexp.Regexp
	behind *regexp.Regexp // finds it in what begins one character earlier; nil for what does not look at that
	text   string
}

// from returns the first match from an offset on.
func (m *matcher) from(pos int) []int {
	re, skip := m.re, 0
	if m.behind != nil && pos > 0 {
		_, n := utf8.DecodeLastRuneInString(m.text[:pos])
		re, pos, skip = m.behind, pos-n, 2
	}
	at := re.FindStringSubmatchIndex(m.text[pos:])
	if at == nil {
		return nil
	}
	at = at[skip:]
	for i := range at {
		if at[i] >= 0 {
			at[i] += pos
		}
	}
	return at
}

// looksBehind reports whether a pattern may look at what stands before a match.
func looksBehind(pattern string) bool {
	re, err := syntax.Parse(pattern, syntax.Perl)
	return err != nil || behindIn(re)
}

func behindIn(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpBeginText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	}
	for _, sub := range re.Sub {
		if behindIn(sub) {
			return true
		}
	}
	return false
}
