package builtins

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"golang.org/x/term"

	"omniexpect/internal/clock"
	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/usertty"
)

type askUserArgs struct {
	Prompt  string       `star:"prompt?" doc:"the question"`
	Secret  bool         `star:"secret?,kw" doc:"whether to hide the answer: it is not shown while it is typed, and it is a secret from then on"`
	Timeout dsl.Duration `star:"timeout?,kw" doc:"deadline for the whole answer; None waits for ever"`
}

// askUser reads a line from the person at the terminal, or from what standard input is instead.
func (st *State) askUser(c *dsl.Call, a askUserArgs) (starlark.Value, error) {
	in := st.UserIn
	if in == nil {
		in = os.Stdin
	}
	if !st.asking.CompareAndSwap(false, true) {
		return nil, fault.New(fault.Usage, "ask_user: another branch is asking: a person has one terminal")
	}
	defer st.asking.Store(false)
	if s := st.attended.Load(); s != nil {
		return nil, fault.New(fault.Usage, "ask_user: %s is using the terminal: ask before or after interact, or in a function of its on=", s.Name)
	}
	began := st.Clock.Now()
	timeout := a.Timeout
	timeout.Forever = timeout.Forever || !timeout.Set
	at, limit := st.deadline(c, timeout, began)
	bounded := !at.IsZero()
	var answer string
	ahead := st.typedAhead
	st.typedAhead = nil
	err := c.Wait(func(ctx context.Context) error {
		if bounded {
			var cancel context.CancelFunc
			ctx, cancel = clock.WithDeadline(ctx, st.Clock, at)
			defer cancel()
		}
		var err error
		answer, ahead, err = answered(ctx, in, a, ahead)
		return err
	})
	st.typedAhead = ahead
	switch {
	case errors.Is(err, context.DeadlineExceeded) && bounded && clock.Since(st.Clock, began) >= limit:
		return nil, fault.New(fault.Timeout, "ask_user %q: no answer within %s", a.Prompt, fault.Human(limit))
	case errors.Is(err, errNoAnswer):
		e := fault.New(fault.Env, "ask_user %q: no answer: standard input has ended", a.Prompt)
		e.Hints = []string{"where nobody can answer, as under cron or in CI, take the value from param() or env()"}
		return nil, e
	case err != nil:
		return nil, err
	}
	if a.Secret && answer != "" {
		return secretValue{st.hideValue(answer)}, nil
	}
	return starlark.String(answer), nil
}

var errNoAnswer = errors.New("no answer")

// answered writes the prompt, if there is a terminal, and returns the line that comes, without its end. It is read byte by
// byte: what stands behind it in a pipe is left for the next reader. ahead is what was read from a terminal already, and what is
// left of it is returned.
func answered(ctx context.Context, in *os.File, a askUserArgs, ahead []byte) (_ string, left []byte, _ error) {
	fd := int(in.Fd())
	out, person := fd, term.IsTerminal(fd)
	if f := int(os.Stderr.Fd()); term.IsTerminal(f) {
		out = f
	}
	t, err := usertty.New(fd, out)
	if err != nil {
		return "", ahead, fault.New(fault.Env, "ask_user: %w", err)
	}
	defer t.Close()
	defer t.StopAt(ctx)()
	if person {
		if a.Secret {
			back, err := usertty.WithoutEcho(fd)
			if err != nil {
				return "", ahead, fault.New(fault.Env, "ask_user: the terminal's echo cannot be switched off: %w", err)
			}
			defer t.Write([]byte("\n")) // the Enter that was not shown
			defer back()
		}
		if _, err := t.Write([]byte(a.Prompt)); err != nil {
			return "", ahead, endOf(ctx, err)
		}
	}
	line, ahead, whole := aheadLine(ahead)
	if whole {
		return string(line), ahead, nil
	}
	buf := make([]byte, 1)
	for {
		_, err := t.Read(buf, 0)
		switch {
		case err != nil && inputEnded(err) && len(line) > 0: // the last line of a file lacks its end
			return strings.TrimSuffix(string(line), "\r"), ahead, nil
		case err != nil:
			return "", ahead, endOf(ctx, err)
		case buf[0] == '\n':
			return strings.TrimSuffix(string(line), "\r"), ahead, nil
		}
		line = append(line, buf[0])
	}
}

// aheadLine takes a line out of keys that were read without the terminal's line discipline.
func aheadLine(ahead []byte) (line, left []byte, whole bool) {
	if i := bytes.IndexAny(ahead, "\r\n"); i >= 0 {
		return ahead[:i:i], ahead[i+1:], true
	}
	return slices.Clone(ahead), nil, false
}

// inputEnded reports whether there is nothing more to read.
func inputEnded(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) }

// endOf is why a read or a write of the person's terminal has ended.
func endOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if inputEnded(err) {
		return errNoAnswer
	}
	return fault.New(fault.Env, "ask_user: %w", err)
}

func (st *State) askUserFuncs() []*dsl.Func {
	return dsl.In("control",
		dsl.Define("ask_user", "str or secret", `Ask the person at the terminal and return the line that is typed, without its end. If standard input is a pipe or a file, its next line is the answer and no prompt is written; at its end, ask_user fails with kind "env".`,
			`def login():
    user = ask_user("user: ")
    return user, ask_user("password: ", secret = True)

assert.eq(type(login), "function")`, askUserArgs{}, st.askUser),
	)
}
