package keys

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// lineStart stands for the character in front of a line.
const lineStart = -1

// matcher is a regular expression that looks at keys as they are typed. The package regexp cannot tell whether more keys
// could make a match, so the ways through the expression that are open are followed here; what a match has in its groups is
// the package's.
type matcher struct {
	index int
	expr  string
	prog  *syntax.Prog
	open  []way    // before the next character, the longest first
	alive int      // where the longest of them that takes more begins, or -1
	seen  []uint32 // the round in which an instruction was reached
	round uint32
	whole *regexp.Regexp // what the groups are taken from, at the beginning of a line and behind a character
	after *regexp.Regexp
}

// way is a place in the expression that was reached by what was typed from an offset on.
type way struct {
	pc    uint32
	start int
}

func newMatcher(expr string, index int) (*matcher, error) {
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	return &matcher{index: index, expr: expr, prog: prog, alive: -1, seen: make([]uint32, len(prog.Inst))}, nil
}

func (x *matcher) forget() { x.open, x.alive = nil, -1 }

// shift gives the first n bytes to the program.
func (x *matcher) shift(n int) {
	for i := range x.open {
		x.open[i].start -= n
	}
	if x.alive >= 0 {
		x.alive -= n
	}
}

// anyEdge lets through all that depends on what comes next.
const anyEdge = syntax.EmptyEndLine | syntax.EmptyEndText | syntax.EmptyWordBoundary | syntax.EmptyNoWordBoundary

// empty reports whether the expression may match no key at all.
func (x *matcher) empty() bool {
	x.round++
	found := false
	x.follow(uint32(x.prog.Start), anyEdge|syntax.EmptyBeginLine|syntax.EmptyBeginText, func(pc uint32) {
		found = found || x.prog.Inst[pc].Op == syntax.InstMatch
	})
	return found
}

// step looks at a character at an offset, behind prev. It returns where a match begins that this one completes, or -1.
func (x *matcher) step(prev, r rune, at int) (start int) {
	x.round++
	var next []way
	for _, w := range append(x.open, way{uint32(x.prog.Start), at}) {
		x.follow(w.pc, edges(prev, r), func(pc uint32) {
			if inst := &x.prog.Inst[pc]; takes(inst, r) {
				next = append(next, way{inst.Out, w.start})
			}
		})
	}
	x.open = next
	start, x.alive = -1, -1
	x.round++
	for _, w := range x.open {
		x.follow(w.pc, edges(r, lineStart), func(pc uint32) {
			if start < 0 && x.prog.Inst[pc].Op == syntax.InstMatch {
				start = w.start
			}
		})
	}
	x.round++
	for _, w := range x.open {
		x.follow(w.pc, edges(r, lineStart)|anyEdge, func(pc uint32) {
			if x.alive < 0 && x.prog.Inst[pc].Op != syntax.InstMatch {
				x.alive = w.start
			}
		})
	}
	return start
}

// edges is what holds between two characters. Each line is a text of its own: the next key is not known when it ends.
func edges(prev, r rune) syntax.EmptyOp {
	if prev == '\r' || prev == '\n' {
		prev = lineStart
	}
	if r == '\r' {
		r = '\n'
	}
	return syntax.EmptyOpContext(prev, r)
}

// follow visits the instructions that take a character, or are the end, and can be reached without one. Each is visited
// once a round.
func (x *matcher) follow(pc uint32, holds syntax.EmptyOp, visit func(pc uint32)) {
	if x.seen[pc] == x.round {
		return
	}
	x.seen[pc] = x.round
	switch inst := &x.prog.Inst[pc]; inst.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		x.follow(inst.Out, holds, visit)
		x.follow(inst.Arg, holds, visit)
	case syntax.InstCapture, syntax.InstNop:
		x.follow(inst.Out, holds, visit)
	case syntax.InstEmptyWidth:
		if syntax.EmptyOp(inst.Arg)&^holds == 0 {
			x.follow(inst.Out, holds, visit)
		}
	case syntax.InstFail:
	default:
		visit(pc)
	}
}

// takes reports whether an instruction takes a character. Enter is a line end, or \r. What takes nearly everything, as the
// dot does, takes no key that is a command to the program or to its terminal: Ctrl-C is not to wait for the rest of a match.
func takes(inst *syntax.Inst, r rune) bool {
	if inst.Op == syntax.InstMatch {
		return false
	}
	if r == '\r' && inst.MatchRune('\n') {
		return true
	}
	if !inst.MatchRune(r) {
		return false
	}
	control := r < ' ' && r != '\t' && r != '\n' || r == 0x7f
	return !control || !(inst.MatchRune(1) && inst.MatchRune(2) && inst.MatchRune('a') && inst.MatchRune('~'))
}

// groups returns the text of a match, in which Enter is what the expression has for it, and its groups.
func (x *matcher) groups(before rune, text string) []string {
	re, lead, from := &x.whole, "", 0
	front := `\A(?:`
	if before != lineStart && before != '\r' && before != '\n' {
		re, lead, from = &x.after, string(before), 1
		front = `\A(?s:.)(`
	}
	if *re == nil {
		var err error
		if *re, err = regexp.Compile(front + x.expr + `)\z`); err != nil { // it was as large as an expression may be
			return x.noGroups(text)
		}
	}
	for _, text := range []string{strings.ReplaceAll(text, "\r", "\n"), text} {
		if m := (*re).FindStringSubmatch(lead + text); m != nil {
			return m[from:]
		}
	}
	return x.noGroups(text)
}

func (x *matcher) noGroups(text string) []string {
	return append([]string{text}, make([]string, max(0, x.prog.NumCap/2-1))...)
}
