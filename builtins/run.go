package builtins

import (
	"context"
	"fmt"
	"time"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/match"
	"omniexpect/internal/session"
)

// finishedValue is what run returns.
type finishedValue struct {
	st     *State
	status session.Status
	stdout string
	stderr string
	raw    []byte
}

func (f *finishedValue) String() string { return fmt.Sprintf("<finished %s>", f.status) }

// Type, Freeze, Truth and Hash make finishedValue a Starlark value. It is true when the program ended with status 0.
func (f *finishedValue) Type() string          { return "Finished" }
func (f *finishedValue) Freeze()               {}
func (f *finishedValue) Truth() starlark.Bool  { return starlark.Bool(f.status.OK()) }
func (f *finishedValue) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: Finished") }

func (f *finishedValue) AttrNames() []string { return f.st.types.finished.AttrNames() }

func (f *finishedValue) Attr(name string) (starlark.Value, error) {
	switch name {
	case "output", "stdout":
		return starlark.String(f.stdout), nil
	case "stderr":
		return starlark.String(f.stderr), nil
	case "raw":
		return starlark.Bytes(f.raw), nil
	case "status":
		return statusValue{f.status, f.st}, nil
	case "code", "signal", "ok":
		return statusValue{f.status, f.st}.Attr(name)
	}
	return nil, nil
}

func finishedType() *dsl.Type {
	return &dsl.Type{Name: "Finished", Doc: "What run() returns. It is true when the program ended with status 0.", Fields: []dsl.Field{
		{Name: "output", Type: "str", Doc: "what it wrote, as text"},
		{Name: "stdout", Type: "str", Doc: "the same"},
		{Name: "stderr", Type: "str", Doc: "its standard error, with pty=False"},
		{Name: "raw", Type: "bytes", Doc: "what it wrote, exactly, colour codes and all"},
		{Name: "status", Type: "Status", Doc: "how it ended"},
		{Name: "code", Type: "int", Doc: "its exit status, None after a signal"},
		{Name: "signal", Type: "str", Doc: "the signal that ended it, or None"},
		{Name: "ok", Type: "bool", Doc: "status 0"},
	}}
}

type runArgs struct {
	programArgs
	Pty     bool         `star:"pty?,kw" doc:"False: pipes, standard error apart"`
	Input   Text         `star:"input?,kw" doc:"what is sent to it, followed by the end of its input"`
	Timeout dsl.Duration `star:"timeout?,kw" doc:"deadline; the program is killed then"`
	Check   bool         `star:"check?,kw" doc:"fail unless it ends with status 0"`
	Kill    string       `star:"kill?,kw" doc:"what goes down with it: \"group\", \"tree\" or \"all\""`
	Name    string       `star:"name?,kw" doc:"what messages call it"`
}

func (st *State) run(c *dsl.Call, a runArgs) (starlark.Value, error) {
	sp := spawnDefaults()
	sp.programArgs = a.programArgs
	sp.Pty, sp.Timeout, sp.Kill, sp.Name = a.Pty, a.Timeout, a.Kill, a.Name
	s, err := st.start(c, sp)
	if err != nil {
		return nil, err
	}
	if a.Input.v != nil {
		err = s.send(c, textOf(a.Input.v), a.Timeout, false)
	}
	if err == nil && (a.Input.v != nil || !a.Pty) {
		err = c.Wait(func(ctx context.Context) error { return s.SendEOF(ctx, st.scaled(a.Timeout.D)) })
	}
	if err != nil && fault.KindOf(err) != fault.EOF {
		return nil, err
	}
	return st.toEnd(c, s, a)
}

// toEnd waits for a program's end, kills it at the deadline, and gathers what it wrote.
func (st *State) toEnd(c *dsl.Call, s *Session, a runArgs) (starlark.Value, error) {
	w, err := s.waiting(c, "run", []match.Pattern{{Kind: match.EOF}}, expectArgs{Timeout: a.Timeout})
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
	text, _ := s.Out.Output(false)
	if timedOut || !over {
		c.Wait(func(ctx context.Context) error { s.Close(ctx); return nil })
		e := fault.New(fault.Timeout, "run %s: still running after %s: killed", s.Name, human(w.limit))
		return nil, e.WithDetail(st.seen(text, 0))
	}
	f := &finishedValue{st: st, status: status, stdout: string(text)}
	f.raw, _ = s.Out.Output(true)
	if s.Err != nil {
		errText, _ := s.Err.Output(false)
		f.stderr = string(errText)
	}
	c.Wait(func(ctx context.Context) error { s.Close(ctx); return nil })
	if a.Check && !status.OK() {
		e := fault.New(fault.Exit, "run %s: %s, want status 0", s.Name, status)
		return nil, e.WithDetail(st.seen([]byte(f.stdout+f.stderr), 0))
	}
	return f, nil
}

func (st *State) waitUntil(c *dsl.Call, s *Session, at time.Time) {
	c.Wait(func(ctx context.Context) error {
		if !at.IsZero() {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, at)
			defer cancel()
		}
		_, err := s.Wait(ctx)
		return err
	})
}

func (st *State) runFuncs() []*dsl.Func {
	return dsl.In("sessions",
		dsl.Define("run", "Finished", `Run one command to its end and return its output and status. At the deadline it is killed, and the failure shows the end of what it wrote.`,
			`r = run(["sh", "-c", "echo out; exit 3"])
assert.eq(r.output, "out\n")
assert.eq(r.code, 3)`, runArgs{Pty: true, Timeout: dsl.Seconds(30), Kill: "tree"}, st.run),
	)
}
