package builtins

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"omniexpect/internal/clock"
	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/match"
)

type passwordArgs struct {
	Timeout dsl.Duration `star:"timeout?" doc:"deadline"`
}

// How a wait for a password looks at the terminal: nothing announces a change of its modes, so it is asked. A prompt that
// does not end like one, or has no word for what it wants, has to stand still for a while. What has neither is more likely
// the news of a program that has switched its echo off early, and will drop what was typed before it asks.
const (
	passwordPoll   = 10 * time.Millisecond
	passwordQuiet  = 200 * time.Millisecond
	passwordUnlike = time.Second
)

// passwordWords are what a prompt has in it where the program reads keys one by one, as editors of command lines do too.
var passwordWords = []string{"password", "passphrase", "passcode", "passwort", "pin", "secret", "token", "code", "key"}

func (st *State) waitPassword(c *dsl.Call, s *Session, a passwordArgs) (starlark.Value, error) {
	prompt, err := s.passwordPrompt(c, "wait_password", a.Timeout)
	return starlark.String(prompt), err
}

// passwordPrompt waits until the program asks for a password: its terminal's echo is off, and a prompt ends what it wrote.
// The output up to there is read then.
func (s *Session) passwordPrompt(c *dsl.Call, who string, timeout dsl.Duration) (string, error) {
	if err := s.usable(who); err != nil {
		return "", err
	}
	if !s.HasTerminal() {
		return "", fault.New(fault.Usage, "%s: %s has no terminal, so its echo cannot be turned off: use expect and sendline", who, s.Name)
	}
	began := s.st.Clock.Now()
	at, limit := s.deadline(c, timeout, began)
	done := s.st.watch(c, "a password prompt from "+s.Name, began, at)
	defer done()
	var why string // what is missing
	var prompt string
	err := s.waitAlive(c, func(ctx context.Context) error {
		tick := s.st.Clock.NewTimer(passwordPoll)
		defer tick.Stop()
		var seenEnd int64
		since := began
		for {
			over := s.gone()
			end := s.Out.End(false)
			if end != seenEnd {
				seenEnd, since = end, s.st.Clock.Now()
			}
			if prompt, why = s.askedFor(end, clock.Since(s.st.Clock, since)); why == "" {
				s.Out.Skip(end)
				return nil
			}
			now := s.st.Clock.Now()
			switch {
			case over:
				return errGone
			case !at.IsZero() && !now.Before(at):
				return context.DeadlineExceeded
			}
			select {
			case <-tick.C():
				tick.Reset(passwordPoll)
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
	switch err {
	case nil:
		return prompt, nil
	case errGone:
		return "", s.failure(fault.EOF, fmt.Sprintf("%s: %s asked for no password: %s", who, s.Name, s.ending()), nil, match.Result{})
	case context.DeadlineExceeded:
		return "", s.failure(fault.Timeout, fmt.Sprintf("%s: %s asked for no password within %s: %s", who, s.Name, fault.Human(limit), why),
			nil, match.Result{})
	}
	return "", err
}

var errGone = fmt.Errorf("the program is gone")

// askedFor describes what is missing for a password prompt, or returns the prompt.
func (s *Session) askedFor(end int64, quiet time.Duration) (prompt, why string) {
	echo, canonical := s.Modes()
	if echo {
		return "", "its terminal's echo is still on, so what is sent now would be seen"
	}
	switch {
	case end == 0:
		return "", "echo is off, but nothing was written yet"
	case end <= s.secretEnd:
		return "", "nothing was written since the last secret was sent"
	case end <= s.answeredAt:
		return "", "nothing was written since the last line was sent"
	}
	text, from := s.Out.Since(max(0, end-4096))
	text = match.Tail(text[:max(0, end-from)], 1000)
	last := bytes.LastIndexAny(text, "\n\r") + 1
	prompt = strings.TrimSpace(string(text[last:]))
	above := ""
	if prompt == "" && last > 0 {
		above = s.promptAbove(text[:last-1], end-int64(len(text)))
	}
	low := strings.ToLower(prompt)
	asks := false
	for _, w := range passwordWords {
		asks = asks || strings.Contains(low, w)
	}
	formed := false
	for _, end := range []string{":", "?", ">", "：", "？", "›"} {
		formed = formed || strings.HasSuffix(prompt, end)
	}
	switch {
	case above != "" && quiet >= passwordQuiet && canonical:
		return above, ""
	case above != "" && canonical:
		return "", "echo is off, but its output goes on"
	case prompt == "":
		return "", "echo is off, but no prompt ends its output"
	case !canonical && !(asks && formed):
		return "", fmt.Sprintf("echo is off because the program reads keys by itself, and %q does not ask for a password", prompt)
	case !formed && !asks && quiet < passwordUnlike:
		return "", fmt.Sprintf("echo is off, but %q does not look like a prompt, unless nothing more comes", prompt)
	case !(formed && asks) && quiet < passwordQuiet:
		return "", "echo is off, but its output goes on"
	}
	return prompt, ""
}

// promptAbove returns a prompt that a program has ended with a line end, "" if the last line of text asks for no password.
// What answers the last secret or line that was sent, such as the line end after it, makes no new prompt of the old one.
func (s *Session) promptAbove(text []byte, at int64) string {
	from := bytes.LastIndexAny(text, "\n\r") + 1
	line := strings.TrimSpace(string(text[from:]))
	low := strings.ToLower(line)
	if at+int64(from) < max(s.secretEnd, s.answeredAt) || !strings.HasSuffix(line, ":") && !strings.HasSuffix(line, "?") {
		return ""
	}
	for _, w := range passwordWords {
		if strings.Contains(low, w) {
			return line
		}
	}
	return ""
}

type sendSecretArgs struct {
	Value   starlark.Value `star:"value" type:"str or secret" doc:"the password; all output shows *** instead from now on"`
	Timeout dsl.Duration   `star:"timeout?" doc:"deadline for the prompt"`
}

func (st *State) sendSecret(c *dsl.Call, s *Session, a sendSecretArgs) (starlark.Value, error) {
	var text string
	switch v := a.Value.(type) {
	case secretValue:
		text = v.placeholder
	case starlark.String:
		if v == "" {
			e := fault.New(fault.Usage, "send_secret: the value is empty; is a variable of the environment not set?")
			e.Hints = []string{"an empty password is wait_password() and sendline()"}
			return nil, e
		}
		text = st.hideValue(string(v))
	default:
		return nil, fault.New(fault.Usage, "send_secret: got %s, want a text or a secret", a.Value.Type())
	}
	// Drop the newline that a secret file ends with. Any other newline would submit early and send the rest to whatever follows
	// the prompt.
	value := strings.TrimRight(st.Mask.Resolve(text), "\r\n")
	switch {
	case value == "":
		return nil, fault.New(fault.Usage, "send_secret: the value is empty but for its line end")
	case strings.ContainsAny(value, "\r\n"):
		return nil, fault.New(fault.Usage, "send_secret: the value has several lines, and a password prompt takes one; nothing was sent")
	}
	text = st.hideValue(value)
	if _, err := s.passwordPrompt(c, "send_secret", a.Timeout); err != nil {
		if e, ok := err.(*fault.Error); ok {
			e.Msg += "; nothing was sent"
		}
		return nil, err
	}
	if limit, ok := s.Fits(len(value)); !ok {
		return nil, fault.New(fault.Usage, "send_secret to %s: the value has %d bytes, and its terminal takes lines of %d in this mode, so the "+
			"program would get only a part of it; nothing was sent", s.Name, len(value), limit)
	}
	s.secretEnd = s.Out.End(false)
	return starlark.None, s.send(c, text+s.LineEnd(), a.Timeout, false)
}

func (st *State) passwordMethods() []*dsl.Func {
	return []*dsl.Func{
		dsl.Method("Session", "wait_password", "str", `Wait until the program asks for a password: its terminal's echo is off and the output ends with a prompt. A banner that mentions passwords is not a prompt. Returns the prompt; the output up to its end is consumed.`,
			`s = spawn(["sh", "-c", "echo 'your password expires soon'; stty -echo; printf 'Password: '; read p; stty echo"])
assert.eq(s.wait_password(), "Password:")`, passwordArgs{Timeout: sessionTimeout()}, st.waitPassword).As(dsl.Current),
		dsl.Method("Session", "send_secret", "None", `Wait for a password prompt as wait_password does, and send the value as a line. It is hidden in all output from now on. If the echo is never turned off, that is a failure and nothing is sent.`,
			`s = spawn(["sh", "-c", "stty -echo; printf 'Password: '; read p; stty echo; echo; echo len ${#p}"])
s.send_secret("hunter2")
s.expect("len 7")`, sendSecretArgs{Timeout: sessionTimeout()}, st.sendSecret).As(dsl.Current | dsl.Conceals),
	}
}
