package builtins

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"omniexpect/internal/clock"
	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/httpc"
)

type pollArgs struct {
	Fn       starlark.Callable `star:"fn" doc:"called again and again, without arguments"`
	Timeout  dsl.Duration      `star:"timeout?" doc:"deadline"`
	Interval dsl.Duration      `star:"interval?" doc:"pause between two calls; 0: none"`
	RetryOn  *starlark.List    `star:"retry_on?,kw" doc:"kinds of failures in fn that also mean \"not yet\""`
	Message  string            `star:"message?,kw" doc:"what the poll waits for"`
	Backoff  float64           `star:"backoff?,kw" doc:"factor by which the interval grows, up to 5 seconds"`
}

// pollState is what the failure of a poll shows.
type pollState struct {
	st      *State
	tries   int
	value   starlark.Value
	err     error
	changed []string // the values seen, each once in a row
	onlyNil bool
}

func (p *pollState) note(v starlark.Value, err error) {
	p.tries++
	p.value, p.err = v, err
	text := ""
	if err != nil {
		text = reason(err)
	} else {
		text = p.st.short(shown(v), 200)
		p.onlyNil = p.onlyNil && v == starlark.None
	}
	if err != nil {
		p.onlyNil = false
	}
	if n := len(p.changed); n == 0 || p.changed[n-1] != text {
		if p.changed = append(p.changed, text); len(p.changed) > 10 {
			p.changed = append(p.changed[:5], p.changed[6:]...)
		}
	}
}

func (st *State) pollUntil(c *dsl.Call, a pollArgs) (starlark.Value, error) {
	what := a.Message
	if what == "" {
		what = a.Fn.Name()
	}
	retry, err := kindsOf("poll_until: retry_on", a.RetryOn)
	if err != nil {
		return nil, err
	}
	began := st.Clock.Now()
	deadline, limit := st.deadline(c, a.Timeout, began)
	outer := c.Ctx
	done := st.watch(c, "poll: "+what, began, deadline)
	defer done()
	p := &pollState{st: st, onlyNil: true}
	interval := a.Interval.D
	for {
		v, err := st.pollOnce(c, a.Fn, deadline)
		if outer.Err() != nil {
			return nil, context.Cause(outer)
		}
		if err == nil && bool(v.Truth()) {
			return v, nil
		}
		cut := err != nil && fault.KindOf(err) == fault.Timeout && !deadline.IsZero() && clock.Until(st.Clock, deadline) <= 0
		if err != nil && !cut && !retry[string(fault.KindOf(err))] && !httpc.IsNotYet(err) {
			return nil, err
		}
		if cut && p.tries > 0 {
			p.tries++ // the deadline cut this call off, which shows less than what was seen before
		} else {
			p.note(v, err)
		}
		wait := interval
		if !deadline.IsZero() {
			left := clock.Until(st.Clock, deadline)
			if left <= 0 {
				return nil, p.failure(what, limit)
			}
			wait = min(wait, left)
		}
		if err := c.Sleep(wait); err != nil {
			return nil, err
		}
		if a.Backoff > 1 {
			interval = min(time.Duration(float64(interval)*a.Backoff), max(5*time.Second, a.Interval.D))
		}
	}
}

// pollOnce calls fn with the timeouts inside it clipped to the poll's deadline.
func (st *State) pollOnce(c *dsl.Call, fn starlark.Callable, deadline time.Time) (starlark.Value, error) {
	if deadline.IsZero() {
		return c.Invoke(fn)
	}
	old := c.Strand.Deadline
	if old.IsZero() || deadline.Before(old) {
		c.Strand.Deadline = deadline
		defer func() { c.Strand.Deadline = old }()
	}
	return c.Invoke(fn)
}

func (p *pollState) failure(what string, limit time.Duration) error {
	word := "tries"
	if p.tries == 1 {
		word = "try"
	}
	e := fault.New(fault.Timeout, "poll_until %s: not true within %s (%d %s)", what, fault.Human(limit), p.tries, word)
	var f *fault.Error
	switch {
	case p.err != nil && errors.As(p.err, &f):
		e.Msg += "; last error: " + f.Msg
		e.Detail = f.Detail
	case p.err != nil:
		e.Msg += "; last error: " + reason(p.err)
	default:
		e.Msg += "; last value: " + p.st.short(shown(p.value), 500)
	}
	if len(p.changed) > 1 {
		if e.Detail != "" {
			e.Detail += "\n"
		}
		e.Detail += "what was seen, in order:"
		for _, t := range p.changed {
			e.Detail += "\n  " + t
		}
	}
	if p.onlyNil {
		e.Hints = append(e.Hints, fmt.Sprintf("%s only ever returned None: does it lack a return statement?", what))
	}
	return e
}

// kindsOf reads a list of kinds of failures.
func kindsOf(who string, list *starlark.List) (map[string]bool, error) {
	known := []fault.Kind{fault.Timeout, fault.EOF, fault.Exit, fault.HTTP, fault.Assert, fault.Fail, fault.Usage, fault.Script, fault.Env}
	out := map[string]bool{}
	for i := 0; list != nil && i < list.Len(); i++ {
		k, _ := starlark.AsString(list.Index(i))
		if !slices.Contains(known, fault.Kind(k)) {
			return nil, fault.New(fault.Usage, "%s: %s is not a kind of failure: want some of %s", who, list.Index(i), strings.Trim(fmt.Sprint(known), "[]"))
		}
		out[k] = true
	}
	return out, nil
}

type retryArgs struct {
	Fn       starlark.Callable `star:"fn" doc:"called without arguments"`
	Times    int               `star:"times?" doc:"how often to call it at most"`
	On       *starlark.List    `star:"on?,kw" doc:"the kinds of failures after which it is called again; all by default"`
	Interval dsl.Duration      `star:"interval?,kw" doc:"pause between two calls; 0: none"`
}

func (st *State) retry(c *dsl.Call, a retryArgs) (starlark.Value, error) {
	if a.Times < 1 {
		return nil, fault.New(fault.Usage, "retry: times=%d, want at least 1", a.Times)
	}
	on, err := kindsOf("retry: on", a.On)
	if err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		v, err := st.catch(c, callArgs{Fn: a.Fn})
		if err != nil {
			return nil, err
		}
		r := v.(*resultValue)
		if r.err == nil {
			return r.value, nil
		}
		if a.On != nil && !on[string(fault.KindOf(r.err))] || try == a.Times {
			return nil, r.err
		}
		if err := st.pauseFor(c, "retry: the pause after a failure ("+reason(r.err)+")", a.Interval.D, false); err != nil {
			return nil, err
		}
	}
}

func (st *State) pollFuncs() []*dsl.Func {
	return dsl.In("polling",
		dsl.Define("poll_until", "any", `Call a function until it returns something true, and return that. Values that are not true, refused and reset connections, HTTP timeouts and statuses 502 to 504 mean "not yet"; any other failure ends the poll at once. The failure at the deadline shows what was seen last.`,
			`state = {"n": 0}

def ready():
    state["n"] += 1
    return state["n"] if state["n"] > 2 else None

assert.eq(poll_until(ready, interval = 0.01), 3)`, pollArgs{Timeout: dsl.Seconds(30), Interval: dsl.Seconds(0.1), Backoff: 1}, st.pollUntil),
		dsl.Define("retry", "any", `Call a function until it does not fail, and return what it returned.`,
			`state = {"n": 0}

def flaky():
    state["n"] += 1
    assert.eq(state["n"], 2)
    return "ok"

assert.eq(retry(flaky, times = 3, interval = 0), "ok")`, retryArgs{Times: 3, Interval: dsl.Seconds(0.1)}, st.retry),
	)
}
