package builtins

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/match"
)

// evidence is what a session has seen, for finding out why a pattern did not match.
type evidence struct {
	raw     bool
	unread  []byte // in the view that was searched
	plain   []byte // the unread text view
	all     []byte // all that is kept, read or unread
	sent    string // what was sent last
	echo    string // the part of the text that is its echo
	hasEcho bool   // all of the echo is unread
	afterCR int    // with how many CRs the output ends
	cols    int
	lost    int64  // bytes of unread output that were dropped
	limit   int    // how much of it is kept
	bytes   []byte // the unread output as it came
}

func (s *Session) evidence(out *match.Stream, raw bool) evidence {
	e := evidence{raw: raw, sent: strings.TrimRight(s.st.Mask.Resolve(s.lastSent), "\r\n"), cols: s.Cols, limit: s.Limit}
	e.unread, e.lost = out.Unread(raw)
	e.bytes, _ = out.Unread(true)
	e.plain, _ = out.Unread(false)
	e.all, _ = out.Output(raw)
	e.afterCR = out.AfterCR()
	if e.sent != "" && out == s.Out {
		end := s.Out.End(false)
		from, to, _ := s.echoSpan()
		if size := int64(len(e.plain)); from < to && from >= end-size {
			e.echo, e.hasEcho = string(e.plain[from-(end-size):to-(end-size)]), true
		}
	}
	return e
}

// How much is done to find out why patterns did not match: less text for each of many, and no more after a while. A failed
// wait is late by as much.
const (
	explainText  = 1 << 20
	explainLeast = 32 << 10
	explainTime  = 500 * time.Millisecond
)

// explain says why patterns may not have matched, as far as that can be told.
func (s *Session) explain(out *match.Stream, patterns []match.Pattern, raw bool) []string {
	e := s.evidence(out, raw)
	most := max(explainText/max(len(patterns), 1), explainLeast)
	e.unread, e.plain = e.unread[max(0, len(e.unread)-most):], e.plain[max(0, len(e.plain)-most):]
	var hints []string
	missing := false
	began := time.Now()
	for i, p := range patterns {
		missing = missing || p.Kind < match.EOF && !found(p, e.unread)
		if i > 0 && time.Since(began) > explainTime {
			hints = append(hints, fmt.Sprintf("why %d more patterns did not match was not looked into: that would take long with this "+
				"much output; explain(pattern) does it for one", len(patterns)-i))
			break
		}
		if h := e.why(p); h != "" {
			hints = append(hints, s.st.patternName(p)+": "+h)
		}
	}
	if missing && e.lost > 0 && len(hints) == 0 {
		hints = append(hints, fmt.Sprintf("it may have been in the %d bytes that were dropped before they were read: spawn(…, buffer=…) keeps more than %d", e.lost, e.limit))
	}
	if missing && !raw && e.draws(out) {
		hints = append(hints, "this program draws with cursor movements: text on its screen need not be in its output, which has what was drawn in the order in which it was")
	}
	if out.InString() {
		hints = append(hints, "the output stands inside an unfinished control string (an OSC or DCS without its end), which hides what follows from the text view")
	}
	if all, _ := out.Output(true); whereCursor().Match(all[max(0, len(all)-64):]) {
		hints = append(hints, `the program has asked its terminal where the cursor is (ESC [6n) and may wait for the answer, which nobody gives `+
			`here: always(b"\x1b[6n", "\x1b[1;1R") does from then on`)
	}
	return hints
}

// whereCursor matches the question for the cursor's place at the end of an output, other control sequences after it.
var whereCursor = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\x1b\[6n(?:\x1b\[[0-9;?>=]*[a-zA-Z])*$`) })

// why is the likeliest reason that a pattern is not in the unread output, or "".
func (e evidence) why(p match.Pattern) string {
	if p.Kind >= match.EOF || len(p.Source) > explainLongest || found(p, e.unread) && p.Kind != match.Bytes {
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
	if e.lost > 0 && found(p, e.all[max(0, len(e.all)-len(e.unread)-int(min(e.lost, int64(len(e.all))))):]) {
		return fmt.Sprintf("it was in the output, but %d bytes of that were dropped before they were read, because the buffer was full: spawn(…, buffer=…) keeps more than %d", e.lost, e.limit)
	}
	if found(p, e.all) {
		return "it was in the output before, and an earlier wait consumed it"
	}
	return ""
}

// explainLongest is the longest pattern that is looked into: each reason compiles it anew.
const explainLongest = 4096

// bracketed is a character class that looks like a word in brackets.
const bracketed = `\[([A-Za-z][A-Za-z0-9 _-]+)\]`

// repeated is a sign of repetition after a letter or a digit.
const repeated = `([A-Za-z0-9])([*+?])`

// special looks for characters that the writer meant as they stand.
func (e evidence) special(p match.Pattern) string {
	if p.Kind != match.Regexp && p.Kind != match.Glob {
		return ""
	}
	there := found(match.Pattern{Kind: match.Exact, Source: p.Source}, e.unread)
	if p.Kind == match.Glob {
		if there {
			return fmt.Sprintf("the text is there as it stands, but * ? and [ ] are wildcards in a glob: write exact(%q)", p.Source)
		}
		return ""
	}
	if there {
		return fmt.Sprintf("the text is there as it stands, but its [ ] ( ) $ . * + ? are read as a regular expression: write exact(%q)", p.Source)
	}
	if strings.Contains(p.Source, `\\`) {
		return ""
	}
	meant := meanings()
	for _, a := range meant {
		if e.as(p, a.literal) {
			return a.what
		}
	}
	for i, a := range meant {
		for _, b := range meant[i+1:] {
			if a.what != b.what && e.as(p, func(s string) string { return b.literal(a.literal(s)) }) {
				return a.what + "; " + b.what
			}
		}
	}
	return ""
}

// as says whether a pattern would be there if some of its characters stood for themselves.
func (e evidence) as(p match.Pattern, literal func(string) string) bool {
	q := p
	q.Source = literal(p.Source)
	return q.Source != p.Source && found(q, e.unread)
}

// meaning is a kind of characters that writers take for themselves: how to write them so, and what they are else.
type meaning struct {
	literal func(string) string
	what    string
}

func meanings() []meaning {
	const dollar = "$ is the end of the text: write \\$ for the character"
	return []meaning{
		{func(s string) string { return regexp.MustCompile(bracketed).ReplaceAllString(s, `\[$1\]`) }, "[…] is a class of characters: write \\[ and \\] for the brackets themselves"},
		{func(s string) string { return strings.ReplaceAll(s, "$", `\$`) }, dollar},
		{func(s string) string { // the last one is meant as the end
			body, end := strings.CutSuffix(s, "$")
			if body = strings.ReplaceAll(body, "$", `\$`); end {
				body += "$"
			}
			return body
		}, dollar},
		{func(s string) string { return strings.NewReplacer("(", `\(`, ")", `\)`).Replace(s) }, "( ) make a group: write \\( and \\) for the characters"},
		{func(s string) string { return regexp.MustCompile(repeated).ReplaceAllString(s, `$1\$2`) }, "* + ? repeat what stands before them: write \\* \\+ \\? for the characters"},
	}
}

func (e evidence) view(p match.Pattern) string {
	switch {
	case e.raw && found(p, e.plain):
		return "it is there in the text view; in the raw view colour codes or line ends stand between"
	case !e.raw && p.Kind == match.Regexp && strings.Contains(p.Source, `\x1b`), !e.raw && strings.Contains(p.Source, "\x1b"):
		return `the text view has no escape sequences: leave them away, or use view="raw"`
	}
	return ""
}

func (e evidence) otherCase(p match.Pattern) string {
	p.IgnoreCase = true
	if !found(p, e.unread) {
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

// lineEnd is a line end at the end of a regular expression.
const lineEnd = `(?:(?:\\r|\\n|[\r\n])[?*+]?)+$`

// lineEnds looks for line ends other than the pattern has them.
func (e evidence) lineEnds(p match.Pattern) string {
	uncarried, unended := p, p
	uncarried.Source = strings.NewReplacer(`\r\n`, `\n`, "\r\n", "\n", `\r`, "", "\r", "").Replace(p.Source)
	unended.Source = strings.TrimRight(p.Source, "\r\n")
	if p.Kind == match.Regexp {
		unended.Source = regexp.MustCompile(lineEnd).ReplaceAllString(p.Source, "")
	}
	switch {
	case e.raw:
		return ""
	case e.afterCR > 0 && found(p, append(bytes.Clone(e.unread), bytes.Repeat([]byte("\r"), e.afterCR)...)):
		return `the output ends with a \r, which the text view has only once no \n follows it: leave the \r away, or use view="raw"`
	case uncarried.Source != p.Source && found(uncarried, e.unread):
		return `the text view has \n for \r\n: leave the \r away, or use view="raw"`
	case bytes.IndexByte(e.unread, '\r') >= 0 && found(p, bytes.ReplaceAll(e.unread, []byte("\r"), nil)):
		return `a \r by itself stands in between, as some shells write it before a command's output: allow \r* there`
	case uncarried.Source != p.Source && found(uncarried, bytes.ReplaceAll(e.unread, []byte("\r"), nil)):
		return `the text view has \n for \r\n, and a \r by itself stands in between, as some shells write it before a command's output: ` +
			`write \n for \r\n and allow \r* there, or use view="raw"`
	case unended.Source != p.Source && found(unended, e.unread):
		return "the text is there, but no line end after it"
	}
	return ""
}

// anchors looks for what ^, $ and . do across lines.
func (e evidence) anchors(p match.Pattern) string {
	switch p.Kind {
	case match.Glob:
		expr, _ := p.Expr()
		if over := strings.ReplaceAll(expr, `[^\n]`, `(?s:.)`); found(match.Pattern{Source: over}, e.unread) {
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
	case found(lines, e.unread):
		return "^ and $ are the beginning and the end of the unread text: write (?m) before it for those of lines"
	case found(all, e.unread):
		return "the . does not match line ends: write (?s) before it if it should"
	}
	return ""
}

// blanks looks for blanks, tabs and line ends other than the pattern has them.
func (e evidence) blanks(p match.Pattern) string {
	expr, err := p.Expr()
	if err != nil || p.Kind == match.Bytes {
		return ""
	}
	there := func(expr string) bool { return found(match.Pattern{Source: expr}, e.unread) }
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

func (e evidence) echoed(p match.Pattern) string {
	if e.sent == "" || !found(p, []byte(e.sent)) {
		return ""
	}
	switch {
	case e.hasEcho:
		return fmt.Sprintf("it is in the echo of what was sent, but there the terminal folds the line at its %d columns, and no output has it", e.cols)
	case found(p, e.all):
		return "it was seen only in the echo of what was sent, which an earlier wait took"
	}
	return "it is in what was sent, but the program does not echo that, and no output has it"
}

// found says whether a pattern is in a text. It explains; it decides no match.
func found(p match.Pattern, text []byte) bool {
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

type explainArgs struct {
	Pattern Patterns `star:"pattern" doc:"the pattern that does not match"`
	View    string   `star:"view?,kw" doc:"\"text\" or \"raw\""`
	Stream  string   `star:"stream?,kw" doc:"\"stdout\", or \"stderr\" of a session with pty=False"`
}

func (st *State) explainCall(_ *dsl.Call, s *Session, a explainArgs) (starlark.Value, error) {
	raw, err := s.viewFor("explain", a.View, a.Pattern.list)
	if err != nil {
		return nil, err
	}
	out, err := s.streamOf("explain", a.Stream)
	if err != nil {
		return nil, err
	}
	set, err := s.compile(a.Pattern.list, raw, a.Stream)
	if err != nil {
		return nil, err
	}
	raw = set.Raw()
	unread, lost := out.Unread(raw)
	lines := s.explain(out, a.Pattern.list, raw)
	for _, p := range a.Pattern.list {
		if found(p, unread) {
			lines = append(lines, st.patternName(p)+": it is in the unread output")
		}
	}
	if len(lines) == 0 {
		lines = []string{"nothing like " + st.patternNames(a.Pattern.list) + " has been seen"}
	}
	return starlark.String(strings.Join(append(lines, s.st.seen(unread, lost, !out.Gone())), "\n")), nil
}

func (st *State) explainMethods() []*dsl.Func {
	return []*dsl.Func{
		dsl.Method("Session", "explain", "str", `Return why a pattern does not match, as a failed wait reports it: another case, special characters, line endings, text already consumed, the echo of what was sent. The unread output follows.`,
			`s = spawn("echo Ready")
s.wait_idle(0.1)
assert.contains(s.explain("ready"), "other case")`, explainArgs{}, st.explainCall),
	}
}
