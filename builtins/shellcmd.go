package builtins

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/match"
	"omniexpect/internal/shell"
)

// inShell runs a command in a session of shell().
func (r *command) inShell(c *dsl.Call) (*cmdValue, error) {
	s, sh := r.s, r.s.shell
	if sh.restricted {
		return nil, r.redirectsNothing("")
	}
	sh.errexit = sh.errexit || shell.SetsErrexit(r.text)
	if !sh.bare {
		r.ownTerminal(c)
	}
	if err := r.afterInterrupt(c); err != nil {
		return nil, err
	}
	sh.id++
	id := strconv.Itoa(sh.id)
	if err := s.send(c, r.commandLine(sh.id), r.timeout, false); err != nil {
		return nil, err
	}
	s.lastSent, s.interruptAt = r.text, -1
	res, err := r.wait(c, match.Pattern{Source: shell.Begin(sh.word, id)}, 0, false)
	if err != nil {
		return nil, err
	}
	if res.Why != match.Matched {
		return nil, r.failed(res, "the program in it never returned to its prompt, so the command was not started,")
	}
	if res.Groups[1] != "" {
		return nil, r.redirectsNothing("")
	}
	if res, err = r.wait(c, match.Pattern{Source: shell.Prompt(sh.word, id)}, 0, false); err != nil {
		return nil, err
	}
	if res.Why != match.Matched {
		return nil, r.failed(res, "still running: no prompt")
	}
	if res.Groups[1] != "" {
		return nil, r.redirectsNothing(", after this command,")
	}
	_, lines := s.Modes()
	sh.bare = !lines
	code, _ := strconv.Atoi(res.Groups[0])
	return s.commandValue(strings.TrimSuffix(res.Before.String(), "\n"), code, res.Lost), nil
}

// redirectsNothing is the error of a command whose shell has no way to tell where commands begin and end.
func (r *command) redirectsNothing(since string) error {
	r.s.shell.restricted = true
	return fault.New(fault.Usage, "cmd %s in %s: the shell%s %s", r.s.st.firstLine(r.text), r.s.Name, since, shell.CannotRedirect)
}

// commandLine returns what a shell is sent for a command.
func (r *command) commandLine(id int) string {
	s := r.s
	t := shell.Typing{Keys: shell.EditorKeys(), Begun: s.unfinished}
	if _, t.Lines = s.Modes(); t.Lines {
		t.Keys = s.LineKeys()
	}
	return s.shell.dialect.Typed(id, r.text, s.st.pieces, t)
}

// How long a command waits for the prompt that answers a Ctrl-C: before it presses Enter, and after that.
const (
	interruptDelay   = 200 * time.Millisecond
	interruptTimeout = time.Second
)

// ownTimeout is how long a command waits for the shell to have its terminal again.
const ownTimeout = time.Second

// ownTerminal waits until a program that the shell runs has given the terminal back. A line that comes while a program
// that edits lines is still there would be taken for keys, and stay without its end.
func (r *command) ownTerminal(c *dsl.Call) {
	ready := func() bool {
		_, lines := r.s.Modes()
		return r.s.InForeground() && (lines || r.s.shell.dialect.Edits)
	}
	for until := r.s.st.Clock.Now().Add(ownTimeout); !ready() && r.s.st.Clock.Now().Before(until) && !r.s.gone(); {
		if c.Sleep(5*time.Millisecond) != nil {
			return // the wait that follows ends at once
		}
	}
}

// afterInterrupt waits for the prompt that comes after a Ctrl-C: shells drop what they have read when they notice one, and
// that would be this command. Some notice it only when a line comes, which is an empty one then.
func (r *command) afterInterrupt(c *dsl.Call) error {
	s := r.s
	if s.interruptAt < 0 {
		return nil
	}
	prompt, from := regexp.MustCompile(s.prompt), s.interruptAt
	answered := func(within time.Duration) bool {
		for until := r.s.st.Clock.Now().Add(within); r.s.st.Clock.Now().Before(until) && !s.gone(); {
			if text, _ := s.Out.Since(from); prompt.Match(text) {
				return true
			}
			if c.Sleep(5*time.Millisecond) != nil {
				return true // the wait that follows ends at once
			}
		}
		return s.gone()
	}
	s.interruptAt = -1
	if answered(interruptDelay) {
		return nil
	}
	if err := s.send(c, "\n", r.timeout, false); err != nil {
		return err
	}
	answered(interruptTimeout)
	return nil
}
