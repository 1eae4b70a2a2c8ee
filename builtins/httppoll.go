package builtins

import (
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
)

type httpPollArgs struct {
	URL      string            `star:"url" type:"url" doc:"the URL to request"`
	Until    starlark.Callable `star:"until?" doc:"a function of the response that returns something true to end the poll. Without it, a status below 400 ends it"`
	Timeout  dsl.Duration      `star:"timeout?" doc:"deadline"`
	Interval dsl.Duration      `star:"interval?" doc:"pause between two calls; 0: none"`
	Backoff  float64           `star:"backoff?,kw" doc:"factor by which the interval grows, up to 5 seconds"`
	Method   string            `star:"method?,kw" doc:"the method"`
	Client   starlark.Value    `star:"client?,kw" type:"Client" doc:"the client that makes the requests"`
	Kwargs   []starlark.Tuple  `star:"**kwargs" doc:"parameters of http_get: params, headers, json, auth and the others"`
}

// asked is a response as a poll sees it: true or not, and shown with its body.
type asked struct {
	*responseValue
	done bool
}

func (a asked) Truth() starlark.Bool { return starlark.Bool(a.done) }

func (a asked) String() string {
	return fmt.Sprintf("status %d %s: %s", a.Status, a.Reason, strings.TrimSpace(a.Excerpt("")))
}

// httpPoll is poll_until over one call. A status of 500 or above is "not yet" without a question to until, whose
// reading of the body would fail there.
func (st *State) httpPoll(c *dsl.Call, a httpPollArgs) (starlark.Value, error) {
	cl, ok := a.Client.(*clientValue)
	if !ok && a.Client != nil && a.Client != starlark.None {
		return nil, fault.New(fault.Usage, "http_poll: client: got %s, want what http() returns", a.Client.Type())
	}
	method := strings.ToUpper(a.Method)
	call := dsl.Define("http_poll", "Response", "", "", httpDefaults(), func(c *dsl.Call, h httpArgs) (starlark.Value, error) {
		r, err := st.httpDoAs(c, cl, method, h)
		if err != nil {
			return nil, err
		}
		switch {
		case r.Status >= 500:
			return asked{r, false}, nil
		case a.Until == nil:
			return asked{r, r.OK()}, nil
		}
		v, err := c.Invoke(a.Until, r)
		if err != nil {
			return nil, err
		}
		return asked{r, bool(v.Truth())}, nil
	}).Builtin(nil)
	what := method + " " + a.URL
	once := starlark.NewBuiltin(what, func(t *starlark.Thread, _ *starlark.Builtin, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		return starlark.Call(t, call, starlark.Tuple{starlark.String(a.URL)}, a.Kwargs)
	})
	v, err := st.pollUntil(c, pollArgs{Fn: once, Timeout: a.Timeout, Interval: a.Interval, Backoff: a.Backoff})
	if err != nil {
		var f *fault.Error
		if errors.As(err, &f) && f.Kind == fault.Timeout {
			f.Msg = strings.Replace(f.Msg, "poll_until ", "http_poll ", 1)
		}
		return nil, err
	}
	return v.(asked).responseValue, nil
}

func (st *State) httpPollFuncs() []*dsl.Func {
	return dsl.In("polling",
		dsl.Define("http_poll", "Response", `Request a URL until the response is the wanted one, and return it. Refused and reset connections, timeouts and statuses of 500 and above mean "not yet". The failure at the deadline shows the number of requests, the last status and body or the last error, and what changed in between.`,
			`n = {"asked": 0}

def state(r):
    n["asked"] += 1
    return {"json": {"state": "done" if n["asked"] > 2 else "busy"}}

s = http_serve({"/job": state})
r = http_poll(s.url + "/job", until = lambda r: r.json()["state"] == "done", interval = 0.01)
assert.eq(n["asked"], 3)`, httpPollArgs{Timeout: dsl.Seconds(30), Interval: dsl.Seconds(0.1), Backoff: 1, Method: "GET"}, st.httpPoll),
	)
}
