package builtins

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"omniexpect/internal/cells"
	"omniexpect/internal/dsl"
	"omniexpect/internal/echo"
	"omniexpect/internal/fault"
	"omniexpect/internal/match"
)

// cmdValue is what cmd returns.
type cmdValue struct {
	handle
	output string
	code   int // -1 if it is not known
	lost   int64
}

func (v *cmdValue) String() string {
	if v.code < 0 {
		return "<command>"
	}
	return fmt.Sprintf("<command: status %d>", v.code)
}

// Truth is false when the command failed.
func (v *cmdValue) Truth() starlark.Bool { return v.code <= 0 }

func (v *cmdValue) Attr(name string) (starlark.Value, error) { return v.typ.Attr(v, name) }

func (v *cmdValue) lines() starlark.Value {
	if v.output == "" {
		return stringList(nil)
	}
	return stringList(strings.Split(v.output, "\n"))
}

func (v *cmdValue) status() starlark.Value {
	if v.code < 0 {
		return starlark.None
	}
	return starlark.MakeInt(v.code)
}

func (v *cmdValue) ok() starlark.Value {
	if v.code < 0 {
		return starlark.None
	}
	return starlark.Bool(v.code == 0)
}

func commandType() *dsl.Type {
	return &dsl.Type{Name: "Command", Doc: "What cmd() returns. It is false if the command failed.", Fields: []dsl.Field{
		dsl.Attr("output", "str", "what was written between the command and the next prompt, without the last line ending",
			func(v *cmdValue) starlark.Value { return starlark.String(v.output) }),
		dsl.Attr("lines", "list", "the output in lines", (*cmdValue).lines),
		dsl.Attr("code", "int or None", "the exit status; for Python 1 after an exception; None if it is not known", (*cmdValue).status),
		dsl.Attr("status", "int or None", "the same", (*cmdValue).status),
		dsl.Attr("ok", "bool or None", "whether the status is 0; None if it is not known", (*cmdValue).ok),
		dsl.Attr("lost", "int", "how many bytes of the output were dropped because there was too much of it",
			func(v *cmdValue) starlark.Value { return starlark.MakeInt64(v.lost) }),
	}}
}

type cmdArgs struct {
	Text    Text           `star:"text" doc:"the command; it may have several lines"`
	Timeout dsl.Duration   `star:"timeout?" doc:"deadline"`
	Prompt  starlark.Value `star:"prompt?,kw" type:"pattern" doc:"for a session that shell() did not make: what its prompt looks like, a regular expression or exact(…). It must be there before the command and after it"`
	Check   bool           `star:"check?,kw" doc:"fail unless its status is 0"`
}

func (st *State) cmd(c *dsl.Call, s *Session, a cmdArgs) (starlark.Value, error) {
	if err := s.usable("cmd"); err != nil {
		return nil, err
	}
	if s.commanded { // before anything of it is sent: a command that is refused must not run
		return nil, s.busy(c.Thread.Name, "cmd", s.Name)
	}
	s.commanded = true
	defer func() { s.commanded = false }()
	text := st.Mask.Resolve(textOf(a.Text.v))
	text = strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	at, limit := s.deadline(c, a.Timeout, s.st.Clock.Now())
	run := &command{s: s, text: text, at: at, limit: limit, timeout: a.Timeout}
	var v *cmdValue
	var err error
	switch {
	case a.Prompt != nil && a.Prompt != starlark.None:
		v, err = run.atPrompt(c, a.Prompt)
	case s.shell != nil:
		v, err = run.inShell(c)
	default:
		return nil, fault.New(fault.Usage, "cmd: %s has no known prompt: start it with shell(%q) instead of spawn, or say "+
			"what its prompt looks like: prompt=…", s.Name, "bash")
	}
	if s.Closed() && c.Ctx.Err() == nil { // by another branch; a shell shows its prompt once more when it is hung up
		err = run.failed(match.Result{Why: match.AtEOF}, "")
	}
	if err != nil {
		return nil, err
	}
	if a.Check && v.code > 0 {
		return nil, fault.New(fault.Exit, "cmd %s in %s: status %d, want 0", st.firstLine(text), s.Name, v.code).
			WithDetail(st.seen([]byte(v.output), v.lost, false))
	}
	return v, nil
}

// firstLine is what messages show of a command.
func (st *State) firstLine(text string) string {
	line, _, more := strings.Cut(st.Mask.Mask(text), "\n")
	if r := []rune(line); len(r) > 60 {
		line, more = string(r[:60]), true
	}
	if more {
		line += "…"
	}
	return strconv.Quote(line)
}

// command is one call of cmd.
type command struct {
	s       *Session
	text    string
	at      time.Time
	limit   time.Duration
	timeout dsl.Duration
}

// wait waits for one pattern within the command's deadline.
func (r *command) wait(c *dsl.Call, p match.Pattern, settle time.Duration, peek bool) (match.Result, error) {
	w, err := r.s.waiting(c, "cmd", []match.Pattern{p}, r.timeout, viewArgs{View: "text"})
	if err != nil {
		return match.Result{}, err
	}
	w.want.Deadline, w.limit, w.want.Settle, w.want.Peek = r.at, r.limit, settle, peek
	return w.try(c)
}

// failed is the error of a command whose end was not seen.
func (r *command) failed(res match.Result, what string) error {
	s := r.s
	msg := fmt.Sprintf("cmd %s in %s: ", r.s.st.firstLine(r.text), s.Name)
	if res.Why == match.AtEOF && s.Closed() {
		return s.failure(fault.EOF, msg+s.ending(), nil, res)
	}
	if res.Why == match.AtEOF {
		if st, over := s.Status(); over {
			err := s.failure(fault.EOF, msg+"the program "+st.Sentence()+" instead of showing its prompt again", nil, res)
			if f, ok := err.(*fault.Error); ok && s.shell != nil && s.shell.errexit {
				f.Hints = append(f.Hints, "set -e was used in it: a shell ends then with the first command that fails")
			}
			return err
		}
		return s.failure(fault.EOF, msg+"the session has ended", nil, res)
	}
	err := s.failure(fault.Timeout, msg+what+" within "+fault.Human(r.limit), nil, res)
	if f, ok := err.(*fault.Error); ok && s.shell != nil && !s.InForeground() {
		f.Hints = append(f.Hints, "another program has its terminal: if that is a shell as well, say how its prompt looks, cmd(…, prompt=…)")
	}
	return err
}

// promptSettle is how long a prompt must be the last thing in the output: the same text in the middle of it goes on.
const promptSettle = 100 * time.Millisecond

// atPrompt runs a command in a session of which no more is known than how its prompt looks.
func (r *command) atPrompt(c *dsl.Call, prompt starlark.Value) (*cmdValue, error) {
	s := r.s
	p, err := onePattern(prompt)
	if err != nil || p.Kind != match.Regexp && p.Kind != match.Exact {
		return nil, fault.New(fault.Usage, "cmd: prompt=%v: want a regular expression or exact(…)", prompt)
	}
	if strings.Contains(r.text, "\n") {
		return nil, fault.New(fault.Usage, "cmd: a command of several lines needs a session of shell(): each line would get a prompt")
	}
	last := match.Pattern{Source: `(?:` + promptExpr(p) + `)\z`, IgnoreCase: p.IgnoreCase}
	re, err := regexp.Compile(last.Source)
	if err != nil {
		return nil, fault.New(fault.Usage, "cmd: prompt: %w", err)
	}
	if !s.answered(re) {
		if err := r.ready(c, last, re, fmt.Sprintf("nothing was sent: %s did not end the output", p)); err != nil {
			return nil, r.notBegun(err)
		}
	}
	if s.lastSent == "" {
		r.letEdit(c)
	}
	at := s.promptText(re)
	s.Out.Skip(s.Out.End(false))
	from, raw := s.Out.End(false), s.Out.End(true)
	if err := s.send(c, r.typed()+s.LineEnd(), r.timeout, false); err != nil {
		return nil, err
	}
	s.sentAt, s.sentRaw, s.lastSent, s.atPrompt = from, raw, r.text+s.LineEnd(), at
	if err := r.ready(c, last, re, "no prompt ends its output"); err != nil {
		return nil, err
	}
	res, err := r.wait(c, last, 0, false)
	if err != nil || res.Why != match.Matched {
		return nil, errors.Join(err, r.failed(res, "no prompt after it"))
	}
	return s.commandValue(r.answer(res), -1, res.Lost), nil
}

// commandValue is what came of a command. A part of the output that is not there is said.
func (s *Session) commandValue(output string, code int, lost int64) *cmdValue {
	if lost > 0 {
		s.sayLost("cmd in %s: the first %d bytes of the output were dropped", s.Name, lost)
	}
	return &cmdValue{handle: s.st.handle("Command"), output: output, code: code, lost: lost}
}

// letEdit waits for a program that has shown its first prompt and edits lines to begin with that: a line that comes before
// is echoed twice, by the terminal and by the program. Where the terminal does the editing the time passes.
func (r *command) letEdit(c *dsl.Call) {
	for until := r.s.st.Clock.Now().Add(promptSettle); r.s.canonical() && r.s.st.Clock.Now().Before(until) && !r.s.gone(); {
		if c.Sleep(5*time.Millisecond) != nil {
			return // the wait that follows ends at once
		}
	}
}

// promptText is the prompt that ends the output.
func (s *Session) promptText(re *regexp.Regexp) string {
	text, _ := s.Out.Since(s.Out.End(false) - maxPrompt)
	return strings.TrimLeft(re.FindString(string(match.Tail(text, maxPrompt))), "\r\n")
}

// maxPrompt is how much of the output's end is looked at for a prompt.
const maxPrompt = 1000

// promptExpr is the pattern of a prompt as a regular expression. A line end that it begins with may have the CR after it
// that line editors write.
func promptExpr(p match.Pattern) string {
	expr := p.Source
	if p.Kind == match.Exact {
		expr = regexp.QuoteMeta(expr)
	}
	for _, end := range []string{"\n", `\n`} {
		if rest, ok := strings.CutPrefix(expr, end); ok {
			return `(?:\n\r*)` + rest
		}
	}
	return expr
}

// notBegun adds to the failure of a command that was not sent what would have had to be there.
func (r *command) notBegun(err error) error {
	var f *fault.Error
	if errors.As(err, &f) && f.Kind == fault.Timeout {
		text, _ := r.s.Out.Since(r.s.Out.End(false) - maxPrompt)
		text = bytes.TrimRight(text, "\r\n")
		f.Msg += fmt.Sprintf("; the last line is %q, and one pattern must match the prompt before the command and after it",
			r.s.st.conceal(string(text[bytes.LastIndexAny(text, "\r\n")+1:])))
	}
	return err
}

// typed is the command as it is typed. What has keys in it, as a tab is one for programs that edit lines, is pasted where
// the program asked for pastes to be marked.
func (r *command) typed() string {
	if strings.ContainsFunc(r.text, isKey) {
		return r.s.bracketed(r.text)
	}
	return r.text
}

// isKey reports whether a line editor may take a character for a key.
func isKey(c rune) bool { return c < ' ' && c != '\n' || c == 0x7f }

// answer is what a command wrote: what stands between its echo and the prompt, without what a line editor draws around it.
func (r *command) answer(res match.Result) string {
	s, out := r.s, res.Before.String()
	begins := res.End - int64(len(res.Text)+len(out))
	if s.echoes() {
		to := 0
		if _, end, _ := s.echoSpan(); end > begins {
			to = int(end - begins)
		}
		if r.text == "" {
			to = lineEndAfter(out, 0) // all that there is of its echo
		}
		out = out[min(to, len(out)):]
	}
	if canonical := s.canonical(); canonical {
		return strings.TrimSuffix(out, "\n")
	}
	out = withoutMark(out, s.Cols)
	if !strings.HasPrefix(res.Text, "\n") {
		out = s.withoutGap(out, res.End-int64(len(res.Text)))
	}
	return strings.TrimSuffix(out, "\n")
}

// withoutGap takes away the line ends that only a prompt drawn with movements has: as many stay as there are rows between
// what was written last and the prompt, which begins at an offset of the text.
func (s *Session) withoutGap(out string, prompt int64) string {
	ends := len(out) - len(strings.TrimRight(out, "\n"))
	if ends < 2 {
		return out
	}
	from, to := s.Out.RawOf(prompt-int64(len(out))), s.Out.RawOf(prompt)
	raw, base := s.Out.RawSince(max(from, to-maxGap) - echoContext)
	raw = raw[:max(to-base, 0)]
	at := min(max(max(from, to-maxGap)-base, 0), int64(len(raw)))
	if n, known := echo.Gap(raw[:at], raw[at:], s.Cols); known && n < ends {
		return out[:len(out)-ends+n]
	}
	return out
}

// maxGap is how much before a prompt is drawn to find out where it stands.
const maxGap = 16 << 10

// withoutMark takes away what zsh and fish draw in front of their prompt to have it begin a row: a mark, blanks over the
// rest of the width, a CR, blanks over the mark (fish: the mark again, and a blank), and a CR. Where the output had ended its
// line, the mark is gone on the screen; where it had not, it stands behind it.
func withoutMark(out string, cols int) string {
	rest := strings.TrimRight(out, "\r")
	at := strings.LastIndexByte(rest, '\r')
	if len(rest) == len(out) || at < 0 {
		return out
	}
	head, tail := rest[:at], rest[at+1:]
	again := strings.TrimRight(tail, " ")
	over := len(tail) - len(again)
	if over == 0 {
		return out
	}
	if again != "" {
		over = cells.Sum(again)
	}
	for _, blanks := range []int{cols - over, cols - over - 1} {
		marked, ok := strings.CutSuffix(head, strings.Repeat(" ", max(blanks, 1)))
		switch {
		case !ok:
		case again == "":
			return withoutCells(marked, over)
		case strings.HasSuffix(marked, again):
			return marked[:len(marked)-len(again)]
		}
	}
	return out
}

// withoutCells takes away the last characters of a text, as many as take n cells.
func withoutCells(text string, n int) string {
	for n > 0 && text != "" {
		c, size := utf8.DecodeLastRuneInString(text)
		text, n = text[:len(text)-size], n-cells.Width(c)
	}
	return text
}

// ready waits until a prompt that answers what was sent last ends the output, and stays its end.
func (r *command) ready(c *dsl.Call, last match.Pattern, re *regexp.Regexp, none string) error {
	for {
		res, err := r.wait(c, last, promptSettle, true)
		if err != nil {
			return err
		}
		if res.Why != match.Matched {
			return r.failed(res, none)
		}
		if r.s.answered(re) {
			return nil
		}
		if !r.at.IsZero() && !r.s.st.Clock.Now().Before(r.at) {
			return r.failed(match.Result{Why: match.TimedOut}, none)
		}
		// This prompt is older than what was sent: a newer one has to come.
		if err := c.Sleep(10 * time.Millisecond); err != nil {
			return err
		}
	}
}

// answered reports whether a prompt ends the output that came after the echo of what was sent last.
func (s *Session) answered(re *regexp.Regexp) bool {
	text, base := s.Out.Since(s.sentAt)
	if s.lastSent == "" || !s.echoes() {
		return re.Match(match.Tail(text, maxPrompt))
	}
	_, to, whole := s.echoSpan()
	if !whole {
		return false
	}
	rest := text[min(max(to-base, 0), int64(len(text))):]
	// The line end of the echo may be the one that the prompt begins with.
	return re.Match(match.Tail(rest, maxPrompt)) || len(rest) < len(text) && len(rest) < maxPrompt && re.Match(append([]byte("\n"), rest...))
}

func (st *State) promptMethods() []*dsl.Func {
	return []*dsl.Func{
		dsl.Method("Session", "cmd", "Command", `Run a command in a shell and return its output and status, whatever was left unread before. With a session of shell() the output is exactly what the command wrote. With other sessions prompt= is needed and the status is not known; the output is what was written between the echo of the command, however the program's line editor drew it, and the next prompt. A command with a tab or another control character is pasted if the program has turned bracketed paste on; otherwise such a character is a key. With pty=False the terminal does not echo, and an echo by the program stays in the output.`,
			`sh = shell("bash")
assert.eq(sh.cmd("printf abc; exit_code() { return 3; }; exit_code").code, 3)
old = spawn(["sh", "-c", "printf '> '; while read l; do echo \"ran $l\"; printf '> '; done"])
assert.eq(old.cmd("one", prompt = "> ").output, "ran one")`, cmdArgs{Timeout: sessionTimeout()}, st.cmd).As(dsl.Current),
	}
}
