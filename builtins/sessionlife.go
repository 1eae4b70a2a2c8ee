package builtins

import (
	"context"
	"fmt"
	"strings"
	"syscall"

	"go.starlark.net/starlark"

	"omniexpect/internal/clock"
	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/match"
	"omniexpect/internal/proc"
	"omniexpect/internal/session"
)

type useArgs struct {
	Session *Session `star:"session" type:"Session" doc:"the session that expect(), send() and the others are to act on"`
}

func (st *State) use(c *dsl.Call, a useArgs) (starlark.Value, error) {
	c.Current = a.Session
	return a.Session, nil
}

func (st *State) closeSession(c *dsl.Call, s *Session, _ dsl.None) (starlark.Value, error) {
	join := s.endAlways(c.Strand)
	err := c.Wait(func(ctx context.Context) error {
		join()
		if left := s.Close(ctx); len(left) > 0 {
			st.note("left running by " + s.Name + ": " + proc.Names(left))
		}
		return nil
	})
	if status, over := s.Status(); over && err == nil {
		return st.statusValue(status), nil
	}
	return starlark.None, err
}

type waitArgs struct {
	Timeout dsl.Duration `star:"timeout?" doc:"deadline; the session's by default"`
}

func (st *State) wait(c *dsl.Call, s *Session, a waitArgs) (starlark.Value, error) {
	began := st.Clock.Now()
	at, limit := s.deadline(c, a.Timeout, began)
	done := st.watch(c, "exit of "+s.Name, began, at)
	defer done()
	var status session.Status
	err := s.waitAlive(c, func(ctx context.Context) (err error) {
		if !at.IsZero() {
			var cancel context.CancelFunc
			ctx, cancel = clock.WithDeadline(ctx, st.Clock, at)
			defer cancel()
		}
		status, err = s.Wait(ctx)
		return err
	})
	if err == context.DeadlineExceeded {
		return nil, s.failure(fault.Timeout, fmt.Sprintf("wait for %s: still running after %s", s.Name, fault.Human(limit)), nil, match.Result{})
	}
	if err != nil {
		return nil, err
	}
	return st.statusValue(status), nil
}

type outputArgs struct {
	View   string `star:"view?" doc:"\"text\", or \"raw\" for the exact bytes"`
	Stderr bool   `star:"stderr?,kw" doc:"return standard error instead, of a session with pty=False"`
}

func (st *State) output(c *dsl.Call, s *Session, a outputArgs) (starlark.Value, error) {
	raw, err := s.viewOf("output", a.View)
	if err != nil {
		return nil, err
	}
	from := s.Out
	if a.Stderr {
		if s.Err == nil {
			return nil, s.mixed("output")
		}
		from = s.Err
	}
	if s.gone() && !from.Gone() { // its last words may be on their way
		if err := c.Wait(func(ctx context.Context) error { return st.drain(ctx, from, stderrTimeout) }); err != nil {
			return nil, err
		}
	}
	all, dropped := from.Output(raw)
	if dropped > 0 && !s.shortened {
		s.shortened = true
		st.note(fmt.Sprintf("output of %s: the first %d bytes were dropped: spawn(…, history=…) keeps more", s.Name, dropped))
	}
	if raw {
		return starlark.Bytes(all), nil
	}
	return starlark.String(all), nil
}

type resizeArgs struct {
	Rows int `star:"rows" doc:"height"`
	Cols int `star:"cols" doc:"width"`
}

func (st *State) resize(_ *dsl.Call, s *Session, a resizeArgs) (starlark.Value, error) {
	if a.Rows < 1 || a.Cols < 1 || a.Rows > 65535 || a.Cols > 65535 {
		return nil, fault.New(fault.Usage, "resize: got %d rows, %d cols, want 1 to 65535", a.Rows, a.Cols)
	}
	return starlark.None, s.Resize(a.Rows, a.Cols)
}

type signalArgs struct {
	Signal     starlark.Value `star:"signal" type:"str or int" doc:"\"INT\", \"SIGTERM\", 9 …"`
	Foreground bool           `star:"foreground?,kw" doc:"send it to the terminal's foreground process group instead"`
}

func (st *State) signal(_ *dsl.Call, s *Session, a signalArgs) (starlark.Value, error) {
	sig, err := signalOf(a.Signal)
	if err != nil {
		return nil, err
	}
	if sig == syscall.SIGINT {
		s.interruptAt = s.Out.End(false)
	}
	if a.Foreground {
		return starlark.None, s.SignalForeground(sig)
	}
	return starlark.None, s.Signal(sig)
}

func signalOf(v starlark.Value) (syscall.Signal, error) {
	if n, err := starlark.AsInt32(v); err == nil && n > 0 && n < 65 {
		return syscall.Signal(n), nil
	}
	name, _ := starlark.AsString(v)
	want := "SIG" + strings.TrimPrefix(strings.ToUpper(name), "SIG")
	for n := syscall.Signal(1); n < 65; n++ {
		if signalName(n) == want {
			return n, nil
		}
	}
	return 0, fault.New(fault.Usage, "signal: got %s, want a name like \"INT\" or a number from 1 to 64", v)
}

func (st *State) lifeMethods() []*dsl.Func {
	return []*dsl.Func{
		dsl.Method("Session", "wait", "Status", `Wait until the program has ended, even if other processes still hold its terminal. Output can still be read.`,
			`s = spawn("sh -c 'exit 3'")
assert.eq(s.wait().code, 3)`, waitArgs{Timeout: sessionTimeout()}, st.wait).As(dsl.Current),
		dsl.Method("Session", "output", "str", `All output so far, read or unread, as text or as the exact bytes. The parameter history of spawn bounds it.`,
			`s = spawn("echo hi")
s.wait()
s.expect_eof()
assert.contains(s.output(), "hi")`, outputArgs{}, st.output).As(dsl.Current),
		dsl.Method("Session", "close", "Status", `End the program and what it started, with SIGHUP, SIGTERM and SIGKILL in turn, and wait for their end. It may be called again and never fails.`,
			`s = spawn("sleep 100")
s.close()
assert.eq(s.alive, False)`, dsl.None{}, st.closeSession),
		dsl.Method("Session", "terminate", "Status", `The same as close.`,
			`s = spawn("sleep 100")
s.terminate()`, dsl.None{}, st.closeSession),
		dsl.Method("Session", "resize", "None", `Change the terminal's size. The program gets SIGWINCH.`,
			`s = spawn(["sh", "-c", "read l; stty size"])
s.resize(50, 132)
s.sendline()
s.expect("50 132")`, resizeArgs{}, st.resize),
		dsl.Method("Session", "signal", "None", `Send a signal to the program.`,
			`s = spawn("sleep 100")
s.signal("TERM")
assert.eq(s.wait().signal, "SIGTERM")`, signalArgs{}, st.signal),
	}
}
