package builtins

import (
	"bytes"
	"context"
	"errors"
	"time"

	"go.starlark.net/starlark"

	"omniexpect/internal/clock"
	"omniexpect/internal/dsl"
	"omniexpect/internal/event"
	"omniexpect/internal/fault"
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
	if err := s.waitKeyGap(c); err != nil {
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

// waitKeyGap waits after an Esc or a Control key that was pressed: programs would take it and what comes at once for one.
func (s *Session) waitKeyGap(c *dsl.Call) error {
	wait := clock.Until(s.st.Clock, s.keyUntil)
	if wait <= 0 {
		return nil
	}
	s.keyUntil = time.Time{}
	return s.st.pauseFor(c, "the pause after a key", wait, false)
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

// typingArgs say how patiently something is written.
type typingArgs struct {
	Timeout dsl.Duration `star:"timeout?" doc:"how long the program may take to read it; more is a failure"`
	Force   bool         `star:"force?,kw" doc:"send a line that is longer than the terminal takes"`
}

type sendArgs struct {
	Text Text `star:"text" doc:"what to send, exactly"`
	typingArgs
}

func (st *State) send(c *dsl.Call, s *Session, a sendArgs) (starlark.Value, error) {
	return starlark.None, s.send(c, textOf(a.Text.v), a.Timeout, a.Force)
}

type sendlineArgs struct {
	Text Text `star:"text?" doc:"the line without its line ending"`
	typingArgs
}

func (st *State) sendline(c *dsl.Call, s *Session, a sendlineArgs) (starlark.Value, error) {
	text := ""
	if a.Text.v != nil {
		text = textOf(a.Text.v)
	}
	return starlark.None, s.send(c, text+s.LineEnd(), a.Timeout, a.Force)
}

type sendEOFArgs struct {
	Timeout dsl.Duration `star:"timeout?" doc:"how long the program may take to read it; more is a failure"`
}

func (st *State) sendEOF(c *dsl.Call, s *Session, a sendEOFArgs) (starlark.Value, error) {
	limit := s.writeLimit(c, a.Timeout)
	s.emitInput(c, event.In{EOF: true})
	return starlark.None, c.Wait(func(ctx context.Context) error { return s.SendEOF(ctx, limit) })
}

func (st *State) sendMethods() []*dsl.Func {
	return []*dsl.Func{
		dsl.Method("Session", "send", "None", `Send exactly this text. Use sendline for a line with Enter.`,
			`s = spawn("cat")
s.send("hi\r")
s.expect("hi\nhi\n")`, sendArgs{typingArgs: typingArgs{Timeout: sessionTimeout()}}, st.send).As(dsl.Current | dsl.Keys),
		dsl.Method("Session", "sendline", "None", `Send a line and press Enter. On a terminal that is CR, with raw=True or pty=False LF.`,
			`s = spawn("cat")
s.sendline("hi")
s.expect("hi\nhi\n")`, sendlineArgs{typingArgs: typingArgs{Timeout: sessionTimeout()}}, st.sendline).As(dsl.Current | dsl.Line),
		dsl.Method("Session", "submit", "None", `Type a text into a full-screen program and press Enter as a key of its own. Many such programs treat text and Enter in one write as a paste. submit pastes the text in brackets if the program asked for that, waits until the output is quiet, but two seconds at most, presses Enter, and presses it once more if nothing happened. It is over as soon as the program has answered, or has reported by OSC 7501 that it is working or blocked. A program that shows nothing of what is typed gets one Enter. Where nothing tells whether the program took the text, submit says so in a note. At the deadline that is a failure.`,
			`s = spawn("cat")
s.submit("hello")
s.expect("hello\nhello\n")`, submitArgs{Timeout: sessionTimeout(), Quiet: dsl.Seconds(0.2)}, st.submit).As(dsl.Current),
		dsl.Method("Session", "send_eof", "None", `End the program's input. On a terminal that is Ctrl-D, twice after an unfinished line; a pipe is closed.`,
			`s = spawn("cat")
s.send_eof()
s.wait()`, sendEOFArgs{Timeout: sessionTimeout()}, st.sendEOF).As(dsl.Current),
	}
}
