package builtins

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"omniexpect/internal/clock"
	"omniexpect/internal/dsl"
	"omniexpect/internal/event"
	"omniexpect/internal/fault"
	"omniexpect/internal/match"
	"omniexpect/internal/session"
)

// Text is a parameter that takes a text, bytes, or a secret.
type Text struct{ v starlark.Value }

// StarType names the type in the reference.
func (Text) StarType() string { return "str" }

// StarDefault shows a default.
func (t Text) StarDefault() string {
	if t.v == nil {
		return `""`
	}
	return t.v.String()
}

// Unpack makes Text a type of parameters.
func (t *Text) Unpack(v starlark.Value) error {
	switch v.(type) {
	case starlark.String, starlark.Bytes, secretValue:
		t.v = v
		return nil
	}
	return fault.New(fault.Usage, "got %s, want text, bytes or a secret", v.Type())
}

// textOf returns the text with placeholders of secrets still in it.
func textOf(v starlark.Value) string {
	switch v := v.(type) {
	case starlark.String:
		return string(v)
	case starlark.Bytes:
		return string(v)
	case secretValue:
		return v.placeholder
	}
	return ""
}

// send resolves secrets and writes to the program.
func (s *Session) send(c *dsl.Call, text string, timeout dsl.Duration, force bool) error {
	if err := s.usable(c.Func.Name); err != nil {
		return err // before anything is noted as sent
	}
	if err := s.letKeyBe(c); err != nil {
		return err
	}
	data := []byte(s.st.Mask.Resolve(text))
	s.emitInput(c, event.In{Text: text, Secret: string(data) != text})
	s.noteSent(data)
	s.lastSent = text
	limit := s.writeLimit(c, timeout)
	return longLine(c, c.Wait(func(ctx context.Context) error { return s.Send(ctx, data, limit, force) }))
}

// longLine adds to the refusal of a line that is too long what the function that was called offers.
func longLine(c *dsl.Call, err error) error {
	var f *fault.Error
	if !errors.Is(err, session.ErrLongLine) || !errors.As(err, &f) {
		return err
	}
	for _, p := range c.Func.Params() {
		if p.Name == "force" {
			f.Msg += "; force=True sends it all the same"
		}
	}
	return err
}

// noteSent notes what a command that comes after it has to know.
func (s *Session) noteSent(data []byte) {
	s.sentAt, s.sentRaw = s.Out.Seen()
	s.atPrompt = ""
	if bytes.ContainsAny(data, "\r\n") {
		s.answeredAt = s.sentAt
	}
	if s.shell != nil {
		s.shell.bare = false
	}
	if len(data) > 0 {
		s.unfinished = !bytes.ContainsRune([]byte("\r\n\x03\x04\x15\x1a\x1c"), rune(data[len(data)-1]))
	}
	if bytes.IndexByte(data, 3) >= 0 {
		s.interruptAt = s.sentAt
	}
}

// letKeyBe waits after an Esc or a Control key that was pressed: programs would take it and what comes at once for one.
func (s *Session) letKeyBe(c *dsl.Call) error {
	wait := clock.Until(s.st.Clock, s.keyUntil)
	if wait <= 0 {
		return nil
	}
	s.keyUntil = time.Time{}
	return c.Sleep(wait)
}

// writeOnce is how long a write with timeout=0 may take: what the program's terminal takes at once.
const writeOnce = time.Millisecond

// writeLimit is how long a write may take, 0 meaning as long as it likes.
func (s *Session) writeLimit(c *dsl.Call, timeout dsl.Duration) time.Duration {
	at, limit := s.deadline(c, timeout, s.st.Clock.Now())
	if at.IsZero() {
		return 0
	}
	return max(limit, writeOnce)
}

type sendArgs struct {
	Text    Text         `star:"text" doc:"what to send, exactly"`
	Timeout dsl.Duration `star:"timeout?" doc:"how long the program may take to read it; more is a failure"`
	Force   bool         `star:"force?,kw" doc:"send a line that is longer than the terminal takes"`
}

func (st *State) send(c *dsl.Call, s *Session, a sendArgs) (starlark.Value, error) {
	return starlark.None, s.send(c, textOf(a.Text.v), a.Timeout, a.Force)
}

// lineEnd is what the Enter key sends.
func (s *Session) lineEnd() string {
	if s.Raw || s.Pipes {
		return "\n"
	}
	return "\r"
}

type sendlineArgs struct {
	Text    Text         `star:"text?" doc:"the line without its line ending"`
	Timeout dsl.Duration `star:"timeout?" doc:"how long the program may take to read it; more is a failure"`
	Force   bool         `star:"force?,kw" doc:"send a line that is longer than the terminal takes"`
}

func (st *State) sendline(c *dsl.Call, s *Session, a sendlineArgs) (starlark.Value, error) {
	text := ""
	if a.Text.v != nil {
		text = textOf(a.Text.v)
	}
	return starlark.None, s.send(c, text+s.lineEnd(), a.Timeout, a.Force)
}

type sendEOFArgs struct {
	Timeout dsl.Duration `star:"timeout?" doc:"how long the program may take to read it; more is a failure"`
}

func (st *State) sendEOF(c *dsl.Call, s *Session, a sendEOFArgs) (starlark.Value, error) {
	limit := s.writeLimit(c, a.Timeout)
	s.emitInput(c, event.In{EOF: true})
	return starlark.None, c.Wait(func(ctx context.Context) error { return s.SendEOF(ctx, limit) })
}

type submitArgs struct {
	Text    Text         `star:"text" doc:"what to type before Enter"`
	Timeout dsl.Duration `star:"timeout?" doc:"deadline for the whole call"`
	Quiet   dsl.Duration `star:"quiet?,kw" doc:"how long the output must be quiet before Enter is pressed"`
}

// The pauses of submit: programs that tell typing from pasting by time take an Enter that comes later than this as a
// key of its own.
const (
	submitGap   = 200 * time.Millisecond
	submitRetry = time.Second
)

// submit types text into a full-screen program and presses Enter as a key of its own.
func (st *State) submit(c *dsl.Call, s *Session, a submitArgs) (starlark.Value, error) {
	if err := s.usable("submit"); err != nil {
		return nil, err
	}
	began := st.Clock.Now()
	at, _ := s.deadline(c, a.Timeout, began)
	text := textOf(a.Text.v)
	before := s.Out.End(true)
	typedAt := before
	if err := s.send(c, s.bracketed(text), a.Timeout, false); err != nil {
		return nil, err
	}
	// A program that is busy has not taken the text in although it is quiet: it gets some time to show anything of it.
	quiet := max(a.Quiet.D, submitGap)
	for waited := time.Duration(0); ; waited += quiet {
		if _, _, err := s.quiet(c, at, quiet, stdout); err != nil {
			return nil, err
		}
		if text == "" || s.Out.End(true) > before || waited+quiet >= submitRetry || s.gone() {
			break
		}
	}
	before = s.Out.End(true)
	if err := s.send(c, s.lineEnd(), a.Timeout, true); err != nil {
		return nil, err
	}
	s.lastSent = text
	// A program that took the Enter draws something. Where nothing comes, it is pressed once more, unless the program has
	// not shown what was typed either: then there is nothing to tell whether it took the Enter.
	shows := text == "" || before > typedAt
	if _, _, err := s.quiet(c, at, submitGap, stdout); err != nil {
		return nil, err
	}
	if shows && s.Out.End(true) == before && !s.gone() {
		if _, _, err := s.quiet(c, at, submitRetry, stdout); err != nil {
			return nil, err
		}
		if s.Out.End(true) == before && !s.gone() {
			return starlark.None, s.send(c, s.lineEnd(), a.Timeout, true)
		}
	}
	return starlark.None, nil
}

// bracketed is a text as a paste, where the program asked for that. The end of a paste within it would be the end of it.
func (s *Session) bracketed(text string) string {
	if !s.Out.BracketedPaste() {
		return text
	}
	const end = "\x1b[201~"
	for strings.Contains(text, end) { // what is left may be one again
		text = strings.ReplaceAll(text, end, "")
	}
	return "\x1b[200~" + text + end
}

func (s *Session) gone() bool {
	_, over := s.Status()
	return over
}

// quiet waits until nothing was written for a while. The unread output stays.
func (s *Session) quiet(c *dsl.Call, deadline time.Time, idle time.Duration, stream string) (*waiting, match.Result, error) {
	out, err := s.streamOf("wait_idle", stream)
	if err != nil {
		return nil, match.Result{}, err
	}
	set, err := s.compile(nil, false, stream)
	if err != nil {
		return nil, match.Result{}, err
	}
	w := &waiting{who: "wait_idle", session: s, out: out, set: set, began: s.st.Clock.Now(),
		want: match.Want{Set: set, Deadline: deadline, Idle: idle}}
	res, err := w.try(c)
	return w, res, err
}

func (st *State) sendMethods() []*dsl.Func {
	return []*dsl.Func{
		dsl.Method("Session", "send", "None", `Send exactly this text. Use sendline for a line with Enter.`,
			`s = spawn("cat")
s.send("hi\r")
s.expect("hi\nhi\n")`, sendArgs{Timeout: sessionTimeout()}, st.send),
		dsl.Method("Session", "sendline", "None", `Send a line and press Enter. On a terminal that is CR, with raw=True or pty=False LF.`,
			`s = spawn("cat")
s.sendline("hi")
s.expect("hi\nhi\n")`, sendlineArgs{Timeout: sessionTimeout()}, st.sendline),
		dsl.Method("Session", "submit", "None", `Type a text into a full-screen program and press Enter as a key of its own. Many such programs treat text and Enter in one write as a paste. submit pastes the text in brackets if the program asked for that, waits until the output is quiet, presses Enter, and presses it once more if nothing happened. A program that shows nothing of what is typed gets one Enter, and submit cannot know whether it was accepted.`,
			`s = spawn("cat")
s.submit("hello")
s.expect("hello\nhello\n")`, submitArgs{Timeout: sessionTimeout(), Quiet: dsl.Seconds(0.2)}, st.submit),
		dsl.Method("Session", "send_eof", "None", `End the program's input. On a terminal that is Ctrl-D, twice after an unfinished line; a pipe is closed.`,
			`s = spawn("cat")
s.send_eof()
s.wait()`, sendEOFArgs{Timeout: sessionTimeout()}, st.sendEOF),
	}
}
