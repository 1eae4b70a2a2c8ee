package match

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// unbounded stands for "no upper limit" in traits.
const unbounded = -1

// maxExact bounds the alternatives that an analysis enumerates.
const maxExact = 32

// traits is what can be told about every match of a regular expression without running it. It decides what of the
// unread text goexpect has to see; it never decides a match.
type traits struct {
	lits  []string // every match contains one of these; none: nothing is known
	fold  bool     // compare lits without regard to the case of ASCII letters
	lead  int      // at most this many bytes of the match come before the literal
	max   int      // longest match in bytes
	min   int      // shortest
	lines int      // most line ends in a match
	start bool     // depends on where the text begins (^ or \A)
	edge  bool     // looks at the characters around the match (\b, (?m)^, $ …)
	open  bool     // the end may grow when more text comes
	tail  byteSet  // what a match may end with
	empty bool     // a match may be empty

	lookahead bool // what matches at the end of the text may be no match when more comes
}

// node is the analysis of one subexpression.
type node struct {
	exact []string // all that it can match, if that is a short list
	fold  bool
	lits  []string
	lead  int
	min   int
	max   int
	lines int
}

func analyze(re *syntax.Regexp) traits {
	var t traits
	n := walk(re, &t)
	if n.exact != nil {
		n.lits, n.lead = n.exact, 0
	}
	if len(n.lits) == 0 || slices.Contains(n.lits, "") {
		n.lits, n.lead = nil, 0
	}
	t.lits, t.fold, t.lead = n.lits, n.fold, n.lead
	t.min, t.max, t.lines = n.min, n.max, n.lines
	t.open, t.lookahead = open(re), lookahead(re)
	last, empty := tails(re)
	if t.empty = empty; empty {
		t.tail.add(0, 0xff)
	} else {
		t.tail = last
	}
	return t
}

// add, times and maxOf calculate with unbounded.
func add(a, b int) int {
	if a == unbounded || b == unbounded {
		return unbounded
	}
	return a + b
}

func times(a, n int) int {
	switch {
	case a == 0 || n == 0:
		return 0
	case a == unbounded || n == unbounded:
		return unbounded
	}
	return a * n
}

func maxOf(a, b int) int {
	if a == unbounded || b == unbounded {
		return unbounded
	}
	return max(a, b)
}

func walk(re *syntax.Regexp, t *traits) node {
	switch re.Op {
	case syntax.OpLiteral:
		return literal(re)
	case syntax.OpCharClass:
		return class(re)
	case syntax.OpAnyChar:
		return node{min: 1, max: utf8.UTFMax, lines: 1}
	case syntax.OpAnyCharNotNL:
		return node{min: 1, max: utf8.UTFMax}
	case syntax.OpBeginText:
		t.start = true
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		t.edge = true
	case syntax.OpCapture:
		return walk(re.Sub[0], t)
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		return repeat(re, walk(re.Sub[0], t))
	case syntax.OpConcat:
		return concat(re, t)
	case syntax.OpAlternate:
		return alternate(re, t)
	}
	return node{exact: []string{""}}
}

func literal(re *syntax.Regexp) node {
	s := string(re.Rune)
	n := node{min: len(s), max: len(s), lines: strings.Count(s, "\n")}
	if re.Flags&syntax.FoldCase == 0 || !hasCase(re.Rune) {
		n.exact = []string{s}
		return n
	}
	// Some letters have forms of other lengths that are equal without regard to case: only what is plain ASCII on both
	// sides of the fold can be looked for.
	n.min, n.max, n.fold = 0, 0, true
	from, plain := 0, true
	for i, r := range re.Rune {
		lo, hi := foldLengths(r)
		n.min += lo
		n.max += hi
		if r < utf8.RuneSelf && lo == hi {
			continue
		}
		plain = false
		keepLongest(&n, re.Rune[from:i], from)
		from = i + 1
	}
	keepLongest(&n, re.Rune[from:], from)
	if plain {
		n.exact, n.lits = []string{strings.ToLower(s)}, nil
	}
	return n
}

func keepLongest(n *node, part []rune, at int) {
	if len(part) > 0 && (n.lits == nil || len(part) > len(n.lits[0])) {
		n.lits, n.lead = []string{strings.ToLower(string(part))}, at*utf8.UTFMax
	}
}

func hasCase(rs []rune) bool {
	return slices.ContainsFunc(rs, func(r rune) bool { return unicode.SimpleFold(r) != r })
}

// foldLengths returns the shortest and longest encoding among the forms of r that are equal without regard to case.
func foldLengths(r rune) (lo, hi int) {
	lo, hi = utf8.RuneLen(r), utf8.RuneLen(r)
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		lo, hi = min(lo, utf8.RuneLen(f)), max(hi, utf8.RuneLen(f))
	}
	return lo, hi
}

func class(re *syntax.Regexp) node {
	n := node{min: utf8.UTFMax}
	total := 0
	for i := 0; i < len(re.Rune); i += 2 {
		lo, hi := re.Rune[i], re.Rune[i+1]
		total += int(hi-lo) + 1
		n.min, n.max = min(n.min, runeBytes(lo)), max(n.max, runeBytes(hi))
		if lo <= '\n' && '\n' <= hi {
			n.lines = 1
		}
	}
	if total > 8 {
		return n
	}
	for i := 0; i < len(re.Rune); i += 2 {
		for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
			n.exact = append(n.exact, string(r))
		}
	}
	return n
}

func runeBytes(r rune) int {
	if n := utf8.RuneLen(r); n > 0 {
		return n
	}
	return 3
}

func repeat(re *syntax.Regexp, sub node) node {
	lo, hi := 0, unbounded
	switch re.Op {
	case syntax.OpPlus:
		lo = 1
	case syntax.OpQuest:
		hi = 1
	case syntax.OpRepeat:
		lo, hi = re.Min, re.Max
	}
	n := node{min: sub.min * lo, max: times(sub.max, hi), lines: times(sub.lines, hi), fold: sub.fold}
	switch {
	case lo == 0 && hi == 1 && sub.exact != nil:
		n.exact = append(slices.Clone(sub.exact), "")
	case lo == hi && lo <= 8 && sub.exact != nil:
		n.exact = []string{""}
		for range lo {
			if n.exact = cross(n.exact, sub.exact); n.exact == nil {
				break
			}
		}
	}
	if n.exact == nil && lo > 0 {
		n.lits, n.lead = sub.lits, sub.lead
		if sub.exact != nil {
			n.lits, n.lead = sub.exact, 0
		}
	}
	return n
}

// cross returns every a followed by every b, or nil when that is too long a list.
func cross(a, b []string) []string {
	if len(a)*len(b) > maxExact {
		return nil
	}
	out := make([]string, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			if len(x)+len(y) > 256 {
				return nil
			}
			out = append(out, x+y)
		}
	}
	return out
}

func concat(re *syntax.Regexp, t *traits) node {
	n := node{}
	run, runLead, all := []string{""}, 0, true
	offer := func(lits []string, lead int) {
		if better(lits, lead, n.lits, n.lead) {
			n.lits, n.lead = lits, lead
		}
	}
	for _, s := range re.Sub {
		sub := walk(s, t)
		joined := []string(nil)
		if sub.exact != nil {
			joined = cross(run, sub.exact)
		}
		if joined == nil {
			all = false
			offer(run, runLead)
			if sub.exact != nil {
				joined, runLead = sub.exact, n.max
			} else {
				offer(sub.lits, add(n.max, sub.lead))
				joined, runLead = []string{""}, add(n.max, sub.max)
			}
		}
		run = joined
		n.min += sub.min
		n.max = add(n.max, sub.max)
		n.lines = add(n.lines, sub.lines)
		n.fold = n.fold || sub.fold
	}
	if all {
		n.exact = run
	}
	offer(run, runLead)
	return n
}

// better reports whether literals a rule out more text than literals b.
func better(a []string, leadA int, b []string, leadB int) bool {
	if len(a) == 0 || slices.Contains(a, "") {
		return false
	}
	if len(b) == 0 {
		return true
	}
	if la, lb := shortest(a), shortest(b); la != lb {
		return la > lb
	}
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return leadA != unbounded && (leadB == unbounded || leadA <= leadB)
}

func shortest(s []string) int {
	n := len(s[0])
	for _, x := range s[1:] {
		n = min(n, len(x))
	}
	return n
}

func alternate(re *syntax.Regexp, t *traits) node {
	var n node
	exact, lits := []string{}, []string{}
	for i, s := range re.Sub {
		sub := walk(s, t)
		if i == 0 {
			n.min = sub.min
		}
		n.min = min(n.min, sub.min)
		n.max = maxOf(n.max, sub.max)
		n.lines = maxOf(n.lines, sub.lines)
		n.fold = n.fold || sub.fold
		if exact != nil && sub.exact != nil && len(exact)+len(sub.exact) <= maxExact {
			exact = append(exact, sub.exact...)
		} else {
			exact = nil
		}
		mine, lead := sub.lits, sub.lead
		if sub.exact != nil {
			mine, lead = sub.exact, 0
		}
		if lits != nil && len(mine) > 0 && len(lits)+len(mine) <= maxExact {
			lits, n.lead = append(lits, mine...), maxOf(n.lead, lead)
		} else {
			lits = nil
		}
	}
	n.exact = exact
	if exact == nil && lits != nil {
		n.lits = lits
	}
	return n
}

// open reports whether a match can become longer, or stop being one, when more text follows it.
func open(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpEndLine, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	case syntax.OpCapture:
		return open(re.Sub[0])
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest:
		return re.Flags&syntax.NonGreedy == 0 || open(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min != re.Max && re.Flags&syntax.NonGreedy == 0 || open(re.Sub[0])
	case syntax.OpConcat:
		return lasts(re.Sub, open)
	case syntax.OpAlternate:
		for i, s := range re.Sub {
			if open(s) || i < len(re.Sub)-1 && re.Sub[i+1].Op == syntax.OpEmptyMatch {
				return true
			}
		}
	}
	return false
}

// lookahead reports whether a match can stop being one when more text follows it: it ends with a look at that.
func lookahead(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpEndLine, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	case syntax.OpConcat:
		return lasts(re.Sub, lookahead)
	}
	return slices.ContainsFunc(re.Sub, lookahead)
}

// lasts reports whether something holds for one of the parts that a sequence may end with.
func lasts(parts []*syntax.Regexp, is func(*syntax.Regexp) bool) bool {
	for _, s := range slices.Backward(parts) {
		if is(s) {
			return true
		}
		if _, empty := tails(s); !empty {
			return false
		}
	}
	return false
}
