// Package explain finds out why a pattern may not have matched what a program wrote. It explains; it decides no match.
package explain

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"time"

	"omniexpect/internal/lazy"
	"omniexpect/internal/match"
)

// Evidence is what a session has seen, for finding out why a pattern did not match.
type Evidence struct {
	Raw     bool
	Unread  []byte // in the view that was searched
	Text    []byte // the unread text view
	All     []byte // all that is kept, read or unread
	Bytes   []byte // the unread output as it came
	Tail    []byte // the end of the output as it came
	Sent    string // what was sent last
	Echoed  bool   // all of its echo is unread
	AfterCR int    // with how many CRs the output ends
	Cols    int
	Lost    int64 // bytes of unread output that were dropped
	Limit   int   // how much of it is kept

	Alternate bool // the program has the alternate screen
	InString  bool // the output stands inside a control string
}

// tailLength is how much of the end of an output may be a question for the cursor's place.
const tailLength = 64

// Gather returns what a stream tells. What was sent is for the caller to add.
func Gather(out *match.Stream, raw bool) Evidence {
	e := Evidence{Raw: raw, AfterCR: out.AfterCR(), Alternate: out.Alternate(), InString: out.InString()}
	e.Unread, e.Lost = out.Unread(raw)
	e.Bytes, _ = out.Unread(true)
	e.Text, _ = out.Unread(false)
	e.All, _ = out.Output(raw)
	all, _ := out.Output(true)
	e.Tail = all[max(0, len(all)-tailLength):]
	return e
}

// How much is done to find out why patterns did not match: less text for each of many, and no more after a while. A failed
// wait is late by as much.
const (
	maxText = 1 << 20
	minText = 32 << 10
	maxTime = 500 * time.Millisecond
)

// Patterns returns why patterns may not have matched, as far as that can be told. name is what messages call one.
func (e Evidence) Patterns(patterns []match.Pattern, name func(match.Pattern) string) []string {
	most := max(maxText/max(len(patterns), 1), minText)
	e.Unread, e.Text = e.Unread[max(0, len(e.Unread)-most):], e.Text[max(0, len(e.Text)-most):]
	var hints []string
	missing := false
	began := time.Now()
	for i, p := range patterns {
		missing = missing || !p.Outcome() && !Found(p, e.Unread)
		if i > 0 && time.Since(began) > maxTime {
			hints = append(hints, fmt.Sprintf("%d more patterns were not examined: that would take long with this "+
				"much output; explain(pattern) examines one", len(patterns)-i))
			break
		}
		if h := e.why(p); h != "" {
			hints = append(hints, name(p)+": "+h)
		}
	}
	if missing && e.Lost > 0 && len(hints) == 0 {
		hints = append(hints, fmt.Sprintf("it may have been in the %d bytes that were dropped before they were read: spawn(…, buffer=…) keeps more than %d", e.Lost, e.Limit))
	}
	if missing && !e.Raw && e.draws() {
		hints = append(hints, "this program draws with cursor movements: text on its screen need not be in its output, which has what was drawn in the order in which it was")
	}
	if e.InString {
		hints = append(hints, "the output is inside an unfinished control string (an OSC or DCS without its end), and the text view hides what follows")
	}
	if cursorQuery().Match(e.Tail) {
		hints = append(hints, `the program has asked its terminal where the cursor is (ESC [6n) and may wait for the answer, which nobody gives `+
			`here: always(b"\x1b[6n", "\x1b[1;1R") does from then on`)
	}
	return hints
}

// cursorQuery matches the question for the cursor's place at the end of an output, other control sequences after it.
var cursorQuery = lazy.Regexp(`\x1b\[6n(?:\x1b\[[0-9;?>=]*[a-zA-Z])*$`)

// why is the likeliest reason that a pattern is not in the unread output, or "".
func (e Evidence) why(p match.Pattern) string {
	if p.Outcome() || len(p.Source) > maxPattern || Found(p, e.Unread) && p.Kind != match.Bytes {
		return ""
	}
	if p.Kind == match.Regexp {
		if odd := match.Odd(p.Source); odd != "" {
			return odd
		}
	}
	for _, reason := range []func(match.Pattern) string{e.special, e.view, e.otherCase, e.lineEnds, e.anchors, e.blanks, e.overwritten, e.alike, e.echoed} {
		if why := reason(p); why != "" {
			return why
		}
	}
	if e.Lost > 0 && Found(p, e.All[max(0, len(e.All)-len(e.Unread)-int(min(e.Lost, int64(len(e.All))))):]) {
		return fmt.Sprintf("it was in the output, but %d bytes of that were dropped before they were read, because the buffer was full: spawn(…, buffer=…) keeps more than %d", e.Lost, e.Limit)
	}
	if Found(p, e.All) {
		return "it was in the output before, and an earlier wait consumed it"
	}
	return ""
}

// maxPattern is the longest pattern that is looked into: each reason compiles it anew.
const maxPattern = 4096

func (e Evidence) view(p match.Pattern) string {
	switch {
	case e.Raw && Found(p, e.Text):
		return "it is there in the text view; in the raw view colour codes or line ends stand between"
	case !e.Raw && p.Kind == match.Regexp && strings.Contains(p.Source, `\x1b`), !e.Raw && strings.Contains(p.Source, "\x1b"):
		return `the text view has no escape sequences: leave them away, or use view="raw"`
	}
	return ""
}

func (e Evidence) otherCase(p match.Pattern) string {
	p.IgnoreCase = true
	if !Found(p, e.Unread) {
		return ""
	}
	switch p.Kind {
	case match.Exact, match.Bytes:
		return "it is there in other case: write exact(…, ignore_case=True)"
	case match.Glob:
		return "it is there in other case: write glob(…, ignore_case=True)"
	}
	return "it is there in other case: write regex(…, ignore_case=True)"
}

// lineEnd matches a line end at the end of a regular expression.
var lineEnd = lazy.Regexp(`(?:(?:\\r|\\n|[\r\n])[?*+]?)+$`)

// lineEnds looks for line ends other than the pattern has them.
func (e Evidence) lineEnds(p match.Pattern) string {
	uncarried, unended := p, p
	uncarried.Source = strings.NewReplacer(`\r\n`, `\n`, "\r\n", "\n", `\r`, "", "\r", "").Replace(p.Source)
	unended.Source = strings.TrimRight(p.Source, "\r\n")
	if p.Kind == match.Regexp {
		unended.Source = lineEnd().ReplaceAllString(p.Source, "")
	}
	switch {
	case e.Raw:
		return ""
	case e.AfterCR > 0 && Found(p, append(bytes.Clone(e.Unread), bytes.Repeat([]byte("\r"), e.AfterCR)...)):
		return `the output ends with a \r, which the text view has only once no \n follows it: leave the \r away, or use view="raw"`
	case uncarried.Source != p.Source && Found(uncarried, e.Unread):
		return `the text view has \n for \r\n: leave the \r away, or use view="raw"`
	case bytes.IndexByte(e.Unread, '\r') >= 0 && Found(p, bytes.ReplaceAll(e.Unread, []byte("\r"), nil)):
		return `a \r by itself stands in between, as some shells write it before a command's output: allow \r* there`
	case uncarried.Source != p.Source && Found(uncarried, bytes.ReplaceAll(e.Unread, []byte("\r"), nil)):
		return `the text view has \n for \r\n, and a \r by itself stands in between, as some shells write it before a command's output: ` +
			`write \n for \r\n and allow \r* there, or use view="raw"`
	case unended.Source != p.Source && Found(unended, e.Unread):
		return "the text is there, but no line end after it"
	}
	return ""
}

// anchors looks for what ^, $ and . do across lines.
func (e Evidence) anchors(p match.Pattern) string {
	switch p.Kind {
	case match.Glob:
		expr, _ := p.Expr()
		if over := strings.ReplaceAll(expr, `[^\n]`, `(?s:.)`); Found(match.Pattern{Source: over}, e.Unread) {
			return "* and ? of a glob do not match line ends: write a regular expression, with (?s) before it"
		}
		return ""
	case match.Regexp:
	default:
		return ""
	}
	lines, all := p, p
	lines.Source, all.Source = "(?m)"+p.Source, "(?s)"+p.Source
	switch {
	case Found(lines, e.Unread):
		return "^ and $ are the beginning and the end of the unread text: write (?m) before it for those of lines"
	case Found(all, e.Unread):
		return "the . does not match line ends: write (?s) before it if it should"
	}
	return ""
}

// blanks looks for blanks, tabs and line ends other than the pattern has them.
func (e Evidence) blanks(p match.Pattern) string {
	expr, err := p.Expr()
	if err != nil || p.Kind == match.Bytes {
		return ""
	}
	there := func(expr string) bool { return Found(match.Pattern{Source: expr}, e.Unread) }
	trimmed, spaced := strings.Trim(expr, " "), strings.Join(strings.Fields(expr), `\s+`)
	body, end := strings.CutSuffix(expr, "$")
	switch {
	case trimmed != expr && len(trimmed) > 3 && there(trimmed): // less may stand anywhere
		return "it is there, but without the blank at its beginning or end"
	case strings.Contains(trimmed, " ") && there(spaced):
		return `it is there with other blanks, tabs or line ends between its words: write \s+ where they may differ`
	case end && p.Kind == match.Regexp && there(body+`\s+$`):
		return `it is there, but blanks or line ends follow before the end: write \s*$`
	}
	return ""
}

func (e Evidence) echoed(p match.Pattern) string {
	if e.Sent == "" || !Found(p, []byte(e.Sent)) {
		return ""
	}
	switch {
	case e.Echoed:
		return fmt.Sprintf("it is in the echo of what was sent, but the terminal wraps that line at its %d columns, and the output does not have it elsewhere", e.Cols)
	case Found(p, e.All):
		return "it was seen only in the echo of what was sent, which an earlier wait took"
	}
	return "it is in what was sent, but the program does not echo that, and no output has it"
}

// Found reports whether a pattern is in a text. It explains; it decides no match.
func Found(p match.Pattern, text []byte) bool {
	if p.Source == "" {
		return false
	}
	if !p.IgnoreCase && (p.Kind == match.Exact || p.Kind == match.Bytes) {
		return bytes.Contains(text, []byte(p.Source))
	}
	expr, err := p.Expr()
	if err != nil {
		return false
	}
	re, err := regexp.Compile(expr)
	return err == nil && re.Match(text)
}
