package builtins

import (
	"context"
	"fmt"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"omniexpect/internal/clock"
	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/match"
	"omniexpect/internal/session"
)

// finishedValue is what run returns.
type finishedValue struct {
	handle
	st     *State
	status session.Status
	stdout string
	stderr string
	raw    []byte
	lost   int64
}

func (f *finishedValue) String() string { return fmt.Sprintf("<finished %s>", f.status) }

// Truth reports whether the program ended with status 0.
func (f *finishedValue) Truth() starlark.Bool { return starlark.Bool(f.status.OK()) }

func (f *finishedValue) Attr(name string) (starlark.Value, error) { return f.typ.Attr(f, name) }

func (f *finishedValue) output() starlark.Value { return starlark.String(f.stdout) }

func finishedType() *dsl.Type {
	return &dsl.Type{Name: "Finished", Parts: ".output for the text, .code for the number, .ok for success", Doc: "What run() returns. It is true if the program ended with status 0.", Fields: []dsl.Field{
		dsl.Attr("output", "str", "what it wrote, as text", (*finishedValue).output),
		dsl.Attr("stdout", "str", "the same", (*finishedValue).output),
		dsl.Attr("stderr", "str", "its standard error, with pty=False", func(f *finishedValue) starlark.Value { return starlark.String(f.stderr) }),
		dsl.Attr("raw", "bytes", "the exact bytes it wrote, with colour codes", func(f *finishedValue) starlark.Value { return starlark.Bytes(f.raw) }),
		dsl.Attr("status", "Status", "how it ended", func(f *finishedValue) starlark.Value { return f.st.statusValue(f.status) }),
		dsl.Attr("code", "int or None", "its exit status; None after a signal", func(f *finishedValue) starlark.Value { return codeOf(f.status) }),
		dsl.Attr("signal", "str or None", "the signal that ended it, or None", func(f *finishedValue) starlark.Value { return signalOfStatus(f.status) }),
		dsl.Attr("ok", "bool", "whether the status is 0", func(f *finishedValue) starlark.Value { return f.Truth() }),
		dsl.Attr("lost", "int", "how many bytes were dropped from the beginning of its output, because it wrote more than history",
			func(f *finishedValue) starlark.Value { return starlark.MakeInt64(f.lost) }),
	}}
}

type runArgs struct {
	programArgs
	Pty     bool         `star:"pty?,kw" doc:"False: pipes instead of a terminal, with standard error separate"`
	Input   Text         `star:"input?,kw" doc:"what to send to it, followed by the end of its input"`
	Timeout dsl.Duration `star:"timeout?,kw" doc:"deadline, at which the program is killed"`
	History int          `star:"history?,kw" doc:"how many bytes of its output are kept at most"`
	Check   bool         `star:"check?,kw" doc:"fail unless it ends with status 0"`
}

func (st *State) run(c *dsl.Call, a runArgs) (starlark.Value, error) {
	sp := spawnDefaults()
	sp.programArgs = a.programArgs
	var err error
	if sp.Env, err = unattended(a.Env); err != nil {
		return nil, err
	}
	sp.Pty, sp.Timeout, sp.History = a.Pty, a.Timeout, a.History
	s, err := st.start(c, sp)
	if err != nil {
		return nil, err
	}
	if a.Input.v != nil {
		err = s.send(c, textOf(a.Input.v), a.Timeout, false)
	}
	if err == nil && (a.Input.v != nil || !a.Pty) {
		limit := s.writeLimit(c, a.Timeout)
		err = c.Wait(func(ctx context.Context) error { return s.SendEOF(ctx, limit) })
	}
	if err != nil && fault.KindOf(err) != fault.EOF && !s.gone() { // a program need not read its input to its end
		st.kill(c, s)
		if e, ok := err.(*fault.Error); ok && a.Pty && e.Kind == fault.Usage {
			e.Msg, _, _ = strings.Cut(e.Msg, "; send shorter lines")
			e.Msg += "; run it with pty=False, or give it shorter lines"
		}
		return nil, err
	}
	return st.toEnd(c, s, a)
}

// kill ends a program that a run is through with.
func (st *State) kill(c *dsl.Call, s *Session) {
	c.Wait(func(ctx context.Context) error { s.Close(ctx); return nil })
}

// runErrorsLast is how long a run goes on reading standard error after the end of all else, if somebody goes on writing.
const runErrorsLast = time.Second

// toEnd waits for a program's end, kills it at the deadline, and gathers what it wrote.
func (st *State) toEnd(c *dsl.Call, s *Session, a runArgs) (starlark.Value, error) {
	w, err := s.waiting(c, "run", []match.Pattern{{Kind: match.EOF}}, a.Timeout, viewArgs{})
	if err != nil {
		return nil, err
	}
	res, err := w.try(c)
	if err != nil {
		return nil, err
	}
	timedOut := res.Why == match.TimedOut
	status, over := s.Status()
	if !over && !timedOut { // it has closed its terminal, and ends or not
		st.waitUntil(c, s, w.want.Deadline)
		status, over = s.Status()
	}
	text, lost := s.Out.Output(false)
	if timedOut || !over {
		e := fault.New(fault.Timeout, "run %s: still running after %s: killed", s.Name, fault.Human(w.limit))
		if over {
			e.Msg = fmt.Sprintf("run %s: it has ended (%s), and its output goes on after %s%s", s.Name, status, fault.Human(w.limit), s.heldBy())
		}
		e.Hints = append(s.stopped(), s.paged()...)
		st.kill(c, s)
		return nil, e.WithDetail(st.seen(text, 0, !over))
	}
	f := &finishedValue{handle: st.handle("Finished"), st: st, status: status, stdout: string(text), lost: lost}
	if lost > 0 {
		st.note(fmt.Sprintf("run %s: the first %d bytes of its output were dropped: history=… keeps more", s.Name, lost))
	}
	f.raw, _ = s.Out.Output(true)
	if s.Err != nil {
		if err := c.Wait(func(ctx context.Context) error { return st.drain(ctx, s.Err, runErrorsLast) }); err != nil {
			return nil, err
		}
		errText, lost := s.Err.Output(false)
		if lost > 0 {
			st.note(fmt.Sprintf("run %s: the first %d bytes of its standard error were dropped: history=… keeps more", s.Name, lost))
		}
		f.stderr = string(errText)
	}
	st.kill(c, s)
	if a.Check && !status.OK() {
		e := fault.New(fault.Exit, "run %s: %s, want status 0", s.Name, status)
		return nil, e.WithDetail(st.seen([]byte(f.stdout+f.stderr), 0, false))
	}
	return f, nil
}

func (st *State) waitUntil(c *dsl.Call, s *Session, at time.Time) {
	c.Wait(func(ctx context.Context) error {
		if !at.IsZero() {
			var cancel context.CancelFunc
			ctx, cancel = clock.WithDeadline(ctx, st.Clock, at)
			defer cancel()
		}
		_, err := s.Wait(ctx)
		return err
	})
}

func (st *State) runFuncs() []*dsl.Func {
	st.declare(finishedType())
	return dsl.In("sessions",
		dsl.Define("run", "Finished", `Run one command to its end and return its output and status. At the deadline it is killed, and the failure shows the end of what it wrote. Nobody is there to press a key, so PAGER and similar variables (GIT_PAGER, MANPAGER, SYSTEMD_PAGER …) are "cat", whatever is inherited, and less, node, sqlite3, psql and shells keep no history, unless env= sets or removes these variables. If env= sets PAGER, the other pager variables are removed.`,
			`r = run(["sh", "-c", "echo out; exit 3"])
assert.eq(r.output, "out\n")
assert.eq(r.code, 3)`, runArgs{programArgs: spawnDefaults().programArgs, Pty: true, Timeout: dsl.Seconds(30), History: spawnDefaults().History}, st.run),
	)
}
