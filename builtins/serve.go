package builtins

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/httpc"
)

// serverValue is a stub server.
type serverValue struct {
	handle
	*httpc.Server
	st *State
}

func (s *serverValue) String() string { return "<server " + s.URL + ">" }

// Attr returns a field or a method.
func (s *serverValue) Attr(name string) (starlark.Value, error) { return s.typ.Attr(s, name) }

func (s *serverValue) requests() (starlark.Value, error) {
	list, dropped := s.Requests()
	out := make([]starlark.Value, len(list))
	for i, r := range list {
		out[i] = &requestValue{s.st.handle("Request"), r, s.st}
	}
	return starlark.NewList(out), allKept("requests", dropped)
}

func (s *serverValue) errors() (starlark.Value, error) {
	_, dropped := s.Requests()
	var texts []string
	for _, err := range s.Errors() {
		texts = append(texts, err.Error())
	}
	return stringList(texts), allKept("errors", dropped)
}

func (s *serverValue) lost() starlark.Value {
	_, dropped := s.Requests()
	return starlark.MakeInt(dropped)
}

// requestValue is a request as a handler gets it, or as it was recorded.
type requestValue struct {
	handle
	httpc.Received
	st *State
}

func (r *requestValue) String() string { return fmt.Sprintf("<request %s %s>", r.Method, r.RawURL) }

// Attr returns a field or a method.
func (r *requestValue) Attr(name string) (starlark.Value, error) { return r.typ.Attr(r, name) }

// query is the parameters, of a repeated one the first.
func (r *requestValue) query() starlark.Value {
	d := starlark.NewDict(len(r.Query))
	for _, p := range r.Query {
		if _, has, _ := d.Get(starlark.String(p.Name)); !has {
			d.SetKey(starlark.String(p.Name), starlark.String(p.Value))
		}
	}
	return d
}

func (r *requestValue) vars() starlark.Value {
	d := starlark.NewDict(len(r.Vars))
	for k, v := range r.Vars {
		d.SetKey(starlark.String(k), starlark.String(v))
	}
	return d
}

func (r *requestValue) text() starlark.Value { return starlark.String(r.Text()) }

type serveArgs struct {
	Routes  *starlark.Dict `star:"routes" type:"dict" doc:"\"/path\", \"POST /path\" or \"/items/{id}\" to an answer, or to a function of the request that returns one: a text, a dict (status, headers, text or json or events and more), or None for 204"`
	Port    int            `star:"port?" doc:"the port; 0 is any free one"`
	TLS     bool           `star:"tls?,kw" doc:"serve https with a new certificate; clients trust it by ca_file = server.ca_file"`
	Socket  string         `star:"socket?,kw" doc:"path of a unix socket, instead of a port"`
	MaxBody starlark.Value `star:"max_body?,kw" type:"int" doc:"how many bytes a request's body may have; 64 MiB by default"`
}

func (st *State) httpServe(c *dsl.Call, a serveArgs) (starlark.Value, error) {
	limit, err := maxBody(a.MaxBody)
	if err != nil {
		return nil, err
	}
	if a.Socket != "" && a.Port != 0 {
		return nil, fault.New(fault.Usage, "http_serve: socket and port are given: want one of them")
	}
	var routes []httpc.Route
	for _, kv := range a.Routes.Items() {
		pattern, ok := starlark.AsString(kv[0])
		if !ok {
			return nil, fault.New(fault.Usage, "http_serve: route %v: got %s, want a text like \"/path\" or \"POST /path\"", kv[0], kv[0].Type())
		}
		r := httpc.Route{Pattern: pattern}
		if fn, ok := kv[1].(starlark.Callable); ok {
			r.Handle = st.handler(c, pattern, fn)
		} else {
			answer, err := st.answer(c, kv[1])
			if err != nil {
				return nil, fault.New(fault.Usage, "http_serve: route %q: %w", pattern, err)
			}
			if r.Answer = answer; answer.Stream != nil {
				return nil, fault.New(fault.Usage, "http_serve: route %q: stream belongs in the answer of a function", pattern)
			}
		}
		routes = append(routes, r)
	}
	server, err := httpc.Serve(routes, httpc.ServeOptions{Port: a.Port, TLS: a.TLS, Socket: a.Socket, MaxBody: limit, Conceal: st.maskOf, Served: st.emitServed, Clock: st.Clock})
	if err != nil {
		return nil, err
	}
	st.AtEnd(func(ctx context.Context) {
		if err := server.Close(ctx); err != nil {
			st.note(err.Error())
		}
	})
	return &serverValue{st.handle("Server"), server, st}, nil
}

// handler runs a Starlark function for a route, on a strand of its own under the run's lock.
func (st *State) handler(c *dsl.Call, pattern string, fn starlark.Callable) func(context.Context, *httpc.Received) (httpc.Answer, error) {
	host, run := c.Host, c.Host.Life()
	return func(ctx context.Context, r *httpc.Received) (answer httpc.Answer, err error) {
		ctx, stop := untilInterrupt(ctx, run)
		defer stop()
		strand := host.NewStrand(ctx, "route "+pattern)
		defer strand.Done()
		err = strand.Run(func(t *starlark.Thread) error {
			v, err := starlark.Call(t, fn, starlark.Tuple{&requestValue{st.handle("Request"), *r, st}}, nil)
			if err == nil {
				answer, err = st.answer(&dsl.Call{Strand: strand, Func: c.Func}, v)
			}
			if err == nil {
				err = answer.Check()
			}
			if stream := answer.Stream; stream != nil {
				answer.Stream = func(ctx context.Context, send func([]byte) error) error {
					return st.handlerFailed(ctx, host, r, stream(ctx, send))
				}
			}
			return err
		})
		return answer, st.handlerFailed(ctx, host, r, err)
	}
}

// handlerFailed notes a handler's failure and returns it as it is recorded. One whose client has gone was ended, which is
// no failure, and exit() ends the run as it does everywhere.
func (st *State) handlerFailed(ctx context.Context, host *dsl.Host, r *httpc.Received, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case httpc.IsGone(err):
		return err
	case ends(err):
		host.Leave(err)
		return err
	}
	err = handlerError(err)
	st.note(fmt.Sprintf("stub server: %s %s: %s", r.Method, r.Path, err))
	return err
}

// handlerError is a handler's failure with the place in the script.
func handlerError(err error) error {
	var ee *starlark.EvalError
	if errors.As(err, &ee) && len(ee.CallStack) > 0 {
		for i := range ee.CallStack {
			if pos := ee.CallStack.At(i).Pos; pos.Line > 0 {
				return fault.New(fault.KindOf(err), "%s: %s", pos, reason(err))
			}
		}
	}
	return err
}

// untilInterrupt ends a handler's context when the run is interrupted while it works, for a handler that computes has
// the run's lock. What a deferred call asks of a server after the interrupt is answered.
func untilInterrupt(ctx, run context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	if run.Err() != nil {
		return ctx, func() { cancel(nil) }
	}
	stop := context.AfterFunc(run, func() {
		if cause := context.Cause(run); fault.KindOf(cause) == fault.Interrupt {
			cancel(cause)
		}
	})
	return ctx, func() { stop(); cancel(nil) }
}

// streamer sends what a Starlark function of send() gives it, after the handler has returned.
func (st *State) streamer(c *dsl.Call, fn starlark.Callable) func(context.Context, func([]byte) error) error {
	host := c.Host
	return func(ctx context.Context, send func([]byte) error) error {
		strand := host.NewStrand(ctx, "stream")
		defer strand.Done()
		var mu sync.Mutex // parallel branches of the function may send at the same time
		push := dsl.Define("send", "None", "", "", pushArgs{}, func(c *dsl.Call, a pushArgs) (starlark.Value, error) {
			data := []byte(st.Mask.Resolve(plain(a.What)))
			if d, ok := a.What.(*starlark.Dict); ok {
				p, err := st.push(c, d)
				if err != nil {
					return nil, err
				}
				data = p.Encode()
			}
			return starlark.None, c.Wait(func(context.Context) error {
				mu.Lock()
				defer mu.Unlock()
				return send(data)
			})
		}).Builtin(nil)
		return strand.Run(func(t *starlark.Thread) error {
			_, err := starlark.Call(t, fn, starlark.Tuple{push}, nil)
			return err
		})
	}
}

type pushArgs struct {
	What starlark.Value `star:"what" doc:"a text that is sent as it is, or a dict that is a server-sent event"`
}

func (st *State) closeServer(c *dsl.Call, s *serverValue, _ dsl.None) (starlark.Value, error) {
	return starlark.None, c.Wait(func(ctx context.Context) error { return s.Close(ctx) })
}

type nextRequestArgs struct {
	Path string `star:"path?" doc:"only one for this path"`
	deadlineArgs
	Method string `star:"method?,kw" doc:"only one with this method"`
}

func (st *State) nextRequest(c *dsl.Call, s *serverValue, a nextRequestArgs) (starlark.Value, error) {
	wanted := a.Method
	if wanted != "" && a.Path != "" {
		wanted += " "
	}
	wanted += a.Path
	var got httpc.Received
	err := c.Wait(func(ctx context.Context) (err error) {
		got, err = s.Next(ctx, st.waitLimit(c, a.Timeout), wanted, func(r httpc.Received) bool {
			return (a.Path == "" || r.Path == a.Path) && (a.Method == "" || r.Method == a.Method)
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return &requestValue{st.handle("Request"), got, st}, nil
}

func (st *State) requestJSON(c *dsl.Call, r *requestValue, _ dsl.None) (starlark.Value, error) {
	return decodeJSON(c, r.Text(), r.Received.JSON)
}

func (st *State) serverType() *dsl.Type {
	t := &dsl.Type{Name: "Server", Doc: "A stub server of this run, from http_serve(). It listens on the loopback interface and is closed when the script ends.", Fields: []dsl.Field{
		dsl.Attr("url", "str", "its base URL, without a slash at the end", func(s *serverValue) starlark.Value { return starlark.String(s.URL) }),
		dsl.AttrErr("requests", "list", "all requests so far; "+keptDoc, (*serverValue).requests),
		dsl.Attr("lost", "int", lostDoc("requests"), (*serverValue).lost),
		dsl.AttrErr("errors", "list", "what went wrong in handlers, as texts", (*serverValue).errors),
		dsl.Attr("ca_file", "str", "PEM file that clients trust it by, with tls=True", func(s *serverValue) starlark.Value { return starlark.String(s.CAFile) }),
	}}
	t.Methods = dsl.In("http",
		dsl.Method("Server", "next_request", "Request", `Wait for the next request that next_request has not returned yet.`,
			`s = http_serve({"/hook": None})
http_post(s.url + "/hook", json = {"id": 1})
assert.eq(s.next_request("/hook").json(), {"id": 1})`, nextRequestArgs{deadlineArgs: streamDeadline()}, st.nextRequest),
		dsl.Method("Server", "close", "None", `End all connections and wait for the handlers.`,
			`s = http_serve({"/": "hi"})
s.close()
assert.fails(http_get, s.url, kind = "env")`, dsl.None{}, st.closeServer),
	)
	return t
}

func (st *State) requestType() *dsl.Type {
	t := &dsl.Type{Name: "Request", Doc: "A request that a stub server got.", Fields: []dsl.Field{
		dsl.Attr("method", "str", "GET, POST and so on", func(r *requestValue) starlark.Value { return starlark.String(r.Method) }),
		dsl.Attr("path", "str", "the decoded path, without the query", func(r *requestValue) starlark.Value { return starlark.String(r.Path) }),
		dsl.Attr("url", "str", "path and query as sent", func(r *requestValue) starlark.Value { return starlark.String(r.RawURL) }),
		dsl.Attr("query", "dict", "the query parameters; the first value of a repeated one", (*requestValue).query),
		dsl.Attr("headers", "headers", "the headers by name, in any case", func(r *requestValue) starlark.Value { return headersValue{r.Header} }),
		dsl.Attr("cookies", "dict", "the cookies", func(r *requestValue) starlark.Value { return cookieDict(httpc.ReadCookies(r.Header)) }),
		dsl.Attr("text", "str", "the body as text", (*requestValue).text),
		dsl.Attr("body", "str", "the same", (*requestValue).text),
		dsl.Attr("bytes", "bytes", "the body's bytes", func(r *requestValue) starlark.Value { return starlark.Bytes(r.Body) }),
		dsl.Attr("vars", "dict", "the values of the route's {names}", (*requestValue).vars),
		dsl.Attr("status", "int", "the status of the answer, 0 while there is none", func(r *requestValue) starlark.Value { return starlark.MakeInt(r.Status) }),
		dsl.Attr("time", "float", "when it arrived, on the clock of now()", func(r *requestValue) starlark.Value { return r.st.clock(r.Time) }),
	}}
	t.Methods = dsl.In("http", dsl.Method("Request", "json", "any", `The body decoded from JSON.`,
		`s = http_serve({"POST /sum": lambda r: {"json": r.json()["a"] + r.json()["b"]}})
assert.eq(http_post(s.url + "/sum", json = {"a": 1, "b": 2}).json(), 3)`, dsl.None{}, st.requestJSON))
	return t
}

func (st *State) serveFuncs() []*dsl.Func {
	st.declare(st.serverType(), st.requestType())
	return dsl.In("http",
		dsl.Define("http_serve", "Server", `Serve stub answers on the loopback interface until the script ends. A route is a path, with {name} for a part that varies, and with a method before it if it is for that method only. Its answer is a text, a dict, a list (sent as JSON), None (204), or a function of the request that returns one of these. Functions run one at a time, and exit() in one ends the run. In a dict, the body is one of text, json, bytes, chunks (a list), events (server-sent: dicts of event, data, id, retry, comment), stream (a function of send) and websocket (a dict of greet, echo, code, reason). A dict may also have status, headers, delay and fault: "reset", "half", "length" or "never".`,
			`def item(r):
    return {"json": {"id": r.vars["id"], "q": r.query.get("q")}}

s = http_serve({"/health": "ok", "GET /items/{id}": item, "DELETE /items/{id}": None})
assert.eq(http_get(s.url + "/items/7?q=x").json(), {"id": "7", "q": "x"})
assert.eq(http_delete(s.url + "/items/7").status, 204)
assert.eq(len(s.requests), 2)`, serveArgs{}, st.httpServe),
	)
}
