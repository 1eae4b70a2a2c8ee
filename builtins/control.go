package builtins

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"go.starlark.net/starlark"

	"omniexpect/internal/clock"
	"omniexpect/internal/dsl"
	"omniexpect/internal/event"
	"omniexpect/internal/fault"
)

type stepArgs struct {
	Name string            `star:"name" doc:"what the script does now"`
	Fn   starlark.Callable `star:"fn?" doc:"a function that is the step; without it the step lasts until the next one"`
}

func (st *State) step(c *dsl.Call, a stepArgs) (starlark.Value, error) {
	if st.Events.Wants(event.KindStep) {
		strand, pos := c.Where()
		st.Events.Emit(strand, pos, &event.Step{Name: a.Name})
	}
	if a.Fn == nil {
		return starlark.None, nil
	}
	return c.Invoke(a.Fn)
}

type callArgs struct {
	Fn     starlark.Callable `star:"fn" doc:"a function"`
	Args   starlark.Tuple    `star:"*args" doc:"its arguments"`
	Kwargs []starlark.Tuple  `star:"**kwargs" doc:"its keyword arguments"`
}

func (st *State) deferCall(c *dsl.Call, a callArgs) (starlark.Value, error) {
	c.Host.Defer(dsl.Deferred{Fn: a.Fn, Args: a.Args, Kwargs: a.Kwargs, Pos: c.Pos()})
	return starlark.None, nil
}

// resultValue is what catch returns.
type resultValue struct {
	handle
	value starlark.Value
	err   error
	trace string
}

func (r *resultValue) String() string {
	if r.err == nil {
		return "<result " + r.value.String() + ">"
	}
	return fmt.Sprintf("<result error %s: %s>", fault.KindOf(r.err), reason(r.err))
}

// Held is what String shows.
func (r *resultValue) Held() starlark.Value {
	if r.err != nil {
		return starlark.None
	}
	return r.value
}

// Truth reports whether the call succeeded.
func (r *resultValue) Truth() starlark.Bool { return starlark.Bool(r.err == nil) }

func (r *resultValue) Attr(name string) (starlark.Value, error) { return r.typ.Attr(r, name) }

// failed declares a field that is None unless the call failed.
func failed(name, typ, doc string, get func(*resultValue) string) dsl.Field {
	return dsl.Attr(name, typ, doc, func(r *resultValue) starlark.Value {
		if r.err == nil {
			return starlark.None
		}
		return starlark.String(get(r))
	})
}

// detail is what was seen when the call failed, and what to do about it.
func (r *resultValue) detail() string {
	var f *fault.Error
	if !errors.As(r.err, &f) {
		return ""
	}
	lines := f.Detail
	for _, h := range f.Hints {
		lines = strings.TrimPrefix(lines+"\nhint: "+h, "\n")
	}
	return lines
}

// reason is the message of an error without the layers of calls around it.
func reason(err error) string {
	var f *fault.Error
	if errors.As(err, &f) {
		return f.Msg
	}
	var ee *starlark.EvalError
	for errors.As(err, &ee) && ee.Unwrap() != nil {
		err = ee.Unwrap()
	}
	return err.Error()
}

func resultType() *dsl.Type {
	return &dsl.Type{Name: "Result", Parts: ".value for the value, .ok, .error, .kind", Doc: "What catch() returns. It is true when the call succeeded.", Fields: []dsl.Field{
		dsl.Attr("ok", "bool", "whether the call succeeded", func(r *resultValue) starlark.Value { return r.Truth() }),
		dsl.Attr("value", "any", "what it returned", func(r *resultValue) starlark.Value { return orNone(r.value) }),
		failed("error", "str or None", "the message of its failure, or None; a value as any other: secrets in it are hidden when it is printed, and are sent as they are", func(r *resultValue) string { return reason(r.err) }),
		failed("kind", "str or None", "timeout, eof, exit, http, usage, script, assert, fail or env; None without a failure",
			func(r *resultValue) string { return string(fault.KindOf(r.err)) }),
		failed("detail", "str or None", "what was seen, such as unread output or a response body, with secrets hidden, then the hints; None without a failure", (*resultValue).detail),
		failed("trace", "str or None", "where it failed, None without a failure", func(r *resultValue) string { return r.trace }),
	}}
}

func (st *State) catch(c *dsl.Call, a callArgs) (starlark.Value, error) {
	v, err := starlark.Call(c.Thread, a.Fn, a.Args, a.Kwargs)
	var exit *dsl.Exit
	if err != nil && (c.Ctx.Err() != nil || errors.As(err, &exit)) {
		return nil, err
	}
	return st.result(v, err), nil
}

// result is what a call came to, as a value.
func (st *State) result(v starlark.Value, err error) *resultValue {
	if err == nil {
		return &resultValue{handle: st.handle("Result"), value: v}
	}
	r := &resultValue{handle: st.handle("Result"), err: err}
	var ee *starlark.EvalError
	if errors.As(err, &ee) {
		r.trace = ee.Backtrace()
	}
	return r
}

type failArgs struct {
	Args starlark.Tuple `star:"*message" doc:"the reason; texts and values, joined by spaces"`
}

func (st *State) fail(_ *dsl.Call, a failArgs) (starlark.Value, error) {
	return nil, fault.New(fault.Fail, "%s", joined(a.Args))
}

func joined(vals starlark.Tuple) string {
	parts := make([]string, len(vals))
	for i, v := range vals {
		parts[i] = plain(v)
	}
	return strings.Join(parts, " ")
}

type skipArgs struct {
	Why string `star:"reason?" doc:"why the script cannot run here"`
}

func (st *State) skip(_ *dsl.Call, a skipArgs) (starlark.Value, error) {
	return nil, &dsl.Exit{Skipped: true, Reason: a.Why}
}

type exitArgs struct {
	Code int `star:"code?" doc:"the exit status of omniexpect, 0 to 255"`
}

func (st *State) exit(_ *dsl.Call, a exitArgs) (starlark.Value, error) {
	if a.Code < 0 || a.Code > 255 {
		return nil, fault.New(fault.Usage, "exit: got %d, want 0 to 255", a.Code)
	}
	return nil, &dsl.Exit{Code: a.Code}
}

type sleepArgs struct {
	Duration dsl.Duration `star:"duration" doc:"how long"`
}

func (st *State) sleep(c *dsl.Call, a sleepArgs) (starlark.Value, error) {
	return starlark.None, st.pauseFor(c, "sleep", a.Duration.D, a.Duration.Forever)
}

func (st *State) now(*dsl.Call, dsl.None) (starlark.Value, error) {
	return starlark.Float(clock.Since(st.Clock, st.began).Seconds()), nil
}

func (st *State) uuid4(*dsl.Call, dsl.None) (starlark.Value, error) {
	id, err := uuid.NewRandomFromReader(rand.Reader)
	if err != nil {
		return nil, fault.New(fault.Env, "uuid4: %w", err)
	}
	return starlark.String(id.String()), nil
}

func (st *State) controlFuncs() []*dsl.Func {
	st.declare(resultType())
	return dsl.In("control",
		dsl.Define("step", "any", `Name what the script does now. Progress and the report show the name and the time.`,
			`step("say hello")
print("hello")`, stepArgs{}, st.step),
		dsl.Define("defer", "None", `Call a function at the end of the script, whatever happens, also after a failure or Ctrl-C. The last one deferred is called first.`,
			`defer(print, "cleaned up")`, callArgs{}, st.deferCall),
		dsl.Define("catch", "Result", `Call a function and return a Result instead of failing. Interrupts, exit() and skip() pass through.`,
			`r = catch(fail, "no")
assert.eq(r.kind, "fail")`, callArgs{}, st.catch),
		dsl.Define("fail", "", `End the script as failed, with a reason.`,
			`r = catch(fail, "only", 2, "of 3")
assert.eq(r.error, "only 2 of 3")`, failArgs{}, st.fail),
		dsl.Define("skip", "", `End the script as skipped, which is not a failure, because it cannot run here. The reason is printed.`,
			`def check():
    skip("needs tmux")

assert.eq(type(check), "function")`, skipArgs{}, st.skip),
		dsl.Define("exit", "", `End the script with an exit status. In a deferred call it takes effect only if the script has passed.`,
			`def stop():
    exit(3)

assert.eq(type(stop), "function")`, exitArgs{}, st.exit),
		dsl.Define("sleep", "None", `Do nothing for a while, but not beyond the deadline of a poll around it. To wait for something, use expect() or poll_until().`,
			`sleep("10ms")`, sleepArgs{}, st.sleep),
		dsl.Define("now", "float", `Seconds on a monotonic clock, for measuring.`,
			`t = now()
assert.true(now() >= t)`, dsl.None{}, st.now),
		dsl.Define("uuid4", "str", `A new random UUID.`,
			`assert.eq(len(uuid4()), 36)`, dsl.None{}, st.uuid4),
	)
}
