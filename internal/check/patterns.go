package check

import (
	"errors"
	"fmt"
	"regexp"
	resyntax "regexp/syntax"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"omniexpect/internal/dsl"
	"omniexpect/internal/lazy"
	"omniexpect/internal/match"
)

// pat is a pattern that is written out in a call.
type pat struct {
	expr    syntax.Expr
	source  *syntax.Literal // where its text is
	pattern match.Pattern
}

// patterns checks what a call waits for.
func (u *unit) patterns(b *bound) {
	for _, p := range b.fn.Params() {
		e := b.args[p.Name]
		switch {
		case p.Rest && p.Type == "pattern":
			u.patternList(b, b.rest, false)
		case e == nil:
		case p.Type == "pattern":
			u.patternArg(b, e)
		case p.Type == "regexp":
			u.expression(b, e)
		case p.Type == "dict of pattern":
			if d, ok := e.(*syntax.DictExpr); ok {
				for _, entry := range d.List {
					u.patternArg(b, entry.(*syntax.DictEntry).Value)
				}
			}
		}
	}
}

func (u *unit) patternArg(b *bound, e syntax.Expr) {
	switch e := unparen(e).(type) {
	case *syntax.ListExpr:
		u.patternList(b, e.List, false)
	case *syntax.TupleExpr:
		u.patternList(b, e.List, false)
	case *syntax.DictExpr:
		var keys []syntax.Expr
		for _, entry := range e.List {
			keys = append(keys, entry.(*syntax.DictEntry).Key)
		}
		u.patternList(b, keys, true)
	default:
		u.patternList(b, []syntax.Expr{e}, false)
	}
}

// patternList checks each of several patterns, then whether they stand in each other's way.
func (u *unit) patternList(b *bound, list []syntax.Expr, dict bool) {
	if len(list) == 0 && !b.star && !b.fn.Is(dsl.Each) {
		u.error(b.call, "pattern", b.fn.Name+": no patterns: nothing to wait for", "")
	}
	var pats []pat
	raw := slices.ContainsFunc(list, u.maybeBytes) // one such has all of them looked for in the raw view
	for _, e := range list {
		p, ok := u.pattern(e)
		if !ok {
			if k := u.infer(e).name; len(list) > 1 && k != "" && k != "string" && k != "pattern" && k != "bytes" {
				u.error(e, "pattern", fmt.Sprintf("%s: one of the patterns is %s, want a text, exact(…), EOF or TIMEOUT", b.fn.Name, spoken(k)), "")
			}
			continue
		}
		pats = append(pats, p)
		u.onePattern(b, p)
		if !u.views && !raw && u.terminal(b.fn) {
			u.neverInText(p)
		}
	}
	for i, q := range pats {
		for _, p := range pats[:i] {
			if u.inTheWay(b, p, q, dict) {
				break
			}
		}
	}
}

// pattern reads a pattern that is written out.
func (u *unit) pattern(e syntax.Expr) (pat, bool) {
	e = unparen(e)
	if text, lit := u.text(e); lit != nil {
		return pat{e, lit, match.Pattern{Source: text}}, true
	}
	switch e := e.(type) {
	case *syntax.Ident:
		if u.predeclared(e) {
			if p, ok := u.c.table().values[e.Name].(patternValue); ok {
				return pat{e, nil, p.AsPattern()}, true
			}
		}
	case *syntax.CallExpr:
		if f := u.infer(e.Fn).fn; f.Is(dsl.Pure) && f.Returns == "pattern" && len(e.Args) > 0 {
			return u.evaluated(e, f)
		}
	}
	return pat{}, false
}

// patternValue is a value that is a pattern.
type patternValue interface{ AsPattern() match.Pattern }

// evaluated makes a call whose arguments are written out. Its first one is the text of the pattern.
func (u *unit) evaluated(call *syntax.CallExpr, f *dsl.Func) (pat, bool) {
	var args starlark.Tuple
	var kwargs []starlark.Tuple
	var source *syntax.Literal
	for i, a := range call.Args {
		name, e := named(a)
		v, ok := constant(e)
		if text, lit := u.text(e); lit != nil {
			v, ok = starlark.String(text), true
			if i == 0 {
				source = lit
			}
		}
		switch {
		case !ok:
			return pat{}, false
		case name != nil:
			kwargs = append(kwargs, starlark.Tuple{starlark.String(name.Name), v})
		default:
			args = append(args, v)
		}
	}
	if source == nil {
		return pat{}, false
	}
	v, err := f.Eval(args, kwargs)
	p, ok := v.(patternValue)
	if err != nil || !ok {
		return pat{}, false
	}
	return pat{call, source, p.AsPattern()}, true
}

// expression checks a parameter that is a regular expression for a text.
func (u *unit) expression(b *bound, e syntax.Expr) {
	text, lit := u.text(e)
	if lit == nil {
		return
	}
	if _, err := regexp.Compile(text); err != nil {
		u.badExpression(e, text, err)
		return
	}
	u.notRaw(e, lit)
}

// badExpression reports an expression that RE2 does not take, and what to write.
func (u *unit) badExpression(e syntax.Expr, expr string, err error) {
	msg := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	u.error(e, "regexp", "the pattern is not a regular expression: "+match.Shorten(msg), match.Advice(expr, msg))
}

// onePattern checks a pattern by itself.
func (u *unit) onePattern(b *bound, p pat) {
	if p.source == nil {
		return
	}
	set, err := match.Compile([]match.Pattern{p.pattern}, false)
	if err != nil {
		if p.pattern.Source == "" {
			u.error(p.expr, "pattern", `the pattern "" is empty: it would match at once`, "name the text to wait for; expect_eof() waits for the end, wait_idle(1) for a pause")
			return
		}
		msg := ""
		if bad, ok := errors.AsType[*match.BadPattern](err); ok {
			msg = bad.Why
		}
		if p.pattern.Kind != match.Regexp {
			u.error(p.expr, "pattern", match.Shorten(err.Error()), `a character that means itself has a \ in front of it; exact("…") takes the whole text as it stands`)
			return
		}
		if strings.Contains(p.pattern.Source, "\x1b") {
			u.error(p.expr, "regexp", "the pattern is not a regular expression: "+msg,
				"escape codes never come in the text view: wait for the text alone, or write exact(…) with view=\"raw\"")
			return
		}
		u.badExpression(p.expr, p.pattern.Source, errors.New(msg))
		return
	}
	if p.pattern.Kind != match.Regexp {
		return
	}
	u.notRaw(p.expr, p.source)
	re, err := resyntax.Parse(p.pattern.Source, resyntax.Perl)
	if err != nil {
		return
	}
	if odd := match.Odd(p.pattern.Source); odd != "" {
		u.warn(p.expr, "never", odd, "for the characters themselves write exact(…) or a \\ before the {")
		return
	}
	compiled := regexp.MustCompile(p.pattern.Source)
	switch {
	case impossible(re):
		u.warn(p.expr, "never", fmt.Sprintf("%s can never match: $ and ^ stand for the end and the beginning of the text", p.pattern.Short()),
			`for the characters themselves write \$ and \^, or exact("…"); a line end is \n`)
	case compiled.MatchString("") && b.args["settle"] == nil && !b.fn.Is(dsl.Absent):
		u.warn(p.expr, "empty", fmt.Sprintf("%s also matches nothing at all, so the wait ends at once, whatever was written", p.pattern.Short()),
			"write + in place of *, or name a text that has to be there")
	case re.Op == resyntax.OpCharClass && len([]rune(p.pattern.Source)) > 4 && wordClass(p.pattern.Source):
		u.warn(p.expr, "class", fmt.Sprintf("%s is one character out of that set", p.pattern.Short()), "for the text itself write exact("+p.source.Raw+")")
	case set.Open(0) && b.args["settle"] == nil && !b.fn.Is(dsl.Absent) && u.terminal(b.fn) && !anchored(re):
		u.warn(p.expr, "open", fmt.Sprintf("%s ends in something that may go on: it matches what has come so far, which may be half of it", p.pattern.Short()),
			`add what follows, as in r"(\d+)\n", or wait with settle=0.2 until it has stopped growing`)
	}
}

// terminal reports whether a builtin waits for the output of a program, which comes in pieces.
func (u *unit) terminal(f *dsl.Func) bool { return f.Recv == "" || u.c.table().terminal[f.Recv] }

var bracketedWord = lazy.Regexp(`^\[(?:[A-Z]{3,}|[A-Z]?[a-z]{3,})\]$`)

// wordClass reports whether a class like [sudo] reads like a word in brackets, and not like a choice of letters as [abc],
// [YyNn] or [qx].
func wordClass(s string) bool {
	letters := []byte(strings.Trim(s, "[]"))
	return bracketedWord().MatchString(s) && !slices.IsSorted(letters) && strings.ContainsAny(s, "aeiouyAEIOUY")
}

// anchored reports whether a pattern ends in $ on purpose: a prompt that nothing follows.
func anchored(re *resyntax.Regexp) bool {
	for re.Op == resyntax.OpConcat && len(re.Sub) > 0 {
		re = re.Sub[len(re.Sub)-1]
	}
	return re.Op == resyntax.OpEndText || re.Op == resyntax.OpEndLine
}

// impossible reports whether an expression has text after the end or before the beginning.
func impossible(re *resyntax.Regexp) bool {
	switch re.Op {
	case resyntax.OpNoMatch:
		return true
	case resyntax.OpCapture:
		return impossible(re.Sub[0])
	case resyntax.OpAlternate:
		for _, s := range re.Sub {
			if !impossible(s) {
				return false
			}
		}
		return true
	case resyntax.OpConcat:
		ended, some := false, false
		for _, s := range re.Sub {
			switch {
			case impossible(s), ended && needs(s), some && s.Op == resyntax.OpBeginText:
				return true
			case s.Op == resyntax.OpEndText:
				ended = true
			}
			some = some || needs(s)
		}
	}
	return false
}

// needs reports whether an expression takes at least one character.
func needs(re *resyntax.Regexp) bool {
	switch re.Op {
	case resyntax.OpLiteral, resyntax.OpCharClass, resyntax.OpAnyChar, resyntax.OpAnyCharNotNL:
		return true
	case resyntax.OpCapture, resyntax.OpPlus:
		return needs(re.Sub[0])
	case resyntax.OpRepeat:
		return re.Min > 0 && needs(re.Sub[0])
	case resyntax.OpConcat:
		for _, s := range re.Sub {
			if needs(s) {
				return true
			}
		}
	}
	return false
}

// neverInText warns of what the text view does not have.
func (u *unit) neverInText(p pat) {
	if p.source == nil || p.pattern.Kind == match.Glob {
		return
	}
	expr, err := p.pattern.Expr()
	if err != nil {
		return
	}
	re, err := resyntax.Parse(expr, resyntax.Perl)
	if err != nil {
		return
	}
	switch {
	case demands(re, "\r\n"):
		u.warn(p.expr, "text view", `"\r\n" never comes in the text view: there a line end is "\n"`, `write \n, or give view="raw"`)
	case demands(re, "\x1b"):
		u.warn(p.expr, "text view", "escape codes never appear in the text view: colours and cursor movements are removed", `wait for the text alone, or give view="raw"`)
	}
}

// demands reports whether every match of an expression has a text in it.
func demands(re *resyntax.Regexp, text string) bool {
	one := func(sub *resyntax.Regexp) bool { return demands(sub, text) }
	switch re.Op {
	case resyntax.OpLiteral:
		return strings.Contains(string(re.Rune), text)
	case resyntax.OpCapture, resyntax.OpPlus:
		return one(re.Sub[0])
	case resyntax.OpRepeat:
		return re.Min > 0 && one(re.Sub[0])
	case resyntax.OpConcat:
		return slices.ContainsFunc(re.Sub, one)
	case resyntax.OpAlternate:
		return !slices.ContainsFunc(re.Sub, func(sub *resyntax.Regexp) bool { return !one(sub) })
	}
	return false
}

// maybeBytes reports whether a pattern may be bytes.
func (u *unit) maybeBytes(e syntax.Expr) bool {
	if _, ok := u.pattern(e); ok {
		return false
	}
	return u.infer(e).name != "string"
}

var wordEdge = lazy.Regexp(`\w\\b|\\b[\w(]`)

var backReference = lazy.Regexp(`\\[1-7]($|[^0-7])`)

// notRaw warns of a backslash that the language reads before the pattern does.
func (u *unit) notRaw(e syntax.Expr, lit *syntax.Literal) {
	if strings.HasPrefix(lit.Raw, "r") {
		return
	}
	raw := strings.ReplaceAll(lit.Raw, `\\`, "..") // a backslash for the pattern
	means, hint := "", "write r in front of it, and single backslashes: r"+strings.ReplaceAll(lit.Raw, `\\`, `\`)
	switch {
	case wordEdge().MatchString(raw):
		means = `"\b" is a backspace`
	case strings.Contains(raw, "(") && backReference().MatchString(raw):
		means, hint = `"\1" is the character of that number`, "RE2 has no backreferences: take m[1] and compare"
	default: // \a, \f, \v and \0 are the same characters to the pattern
		return
	}
	u.warn(e, "raw", fmt.Sprintf("the pattern %s is not a raw text, so its backslashes mean something else first (%s)", lit.Raw, means), hint)
}

// inTheWay reports that pattern q cannot win because p is listed before it.
func (u *unit) inTheWay(b *bound, p, q pat, dict bool) bool {
	if p.pattern == q.pattern {
		msg := fmt.Sprintf("the pattern %s is listed twice", q.pattern.Short())
		if dict && p.pattern.Kind != match.EOF {
			u.error(q.expr, "repeated", msg+", which a dict does not take", "one entry for a pattern")
			return true
		}
		u.warn(q.expr, "repeated", msg+": the second one never matches", "leave it out")
		return true
	}
	if b.fn.Is(dsl.Each) {
		return false
	}
	return u.hides(p, q) || u.hides(q, p)
}

// hides reports that p is complete before q whenever q comes.
func (u *unit) hides(p, q pat) bool {
	short, ok := literal(p.pattern)
	long, ok2 := literal(q.pattern)
	if !ok || !ok2 {
		return false
	}
	if at := strings.Index(long, short); at < 0 || at+len(short) >= len(long) {
		return false
	}
	u.warn(q.expr, "unreachable", fmt.Sprintf("%s is never the answer: %s is complete before it, whenever it comes", q.pattern.Short(), p.pattern.Short()),
		"name what tells them apart, or leave the longer one out")
	return true
}

// literal returns the text that alone a pattern matches.
func literal(p match.Pattern) (string, bool) {
	if p.IgnoreCase {
		return "", false
	}
	switch p.Kind {
	case match.Exact:
		return p.Source, p.Source != ""
	case match.Regexp:
		re, err := resyntax.Parse(p.Source, resyntax.Perl)
		if err == nil && re.Op == resyntax.OpLiteral && re.Flags&resyntax.FoldCase == 0 {
			return string(re.Rune), true
		}
	}
	return "", false
}
