package builtins

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.starlark.net/starlark"

	"omniexpect/internal/clock"
	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/httpc"
)

// streamValue is an open event stream, or a body that is read line by line.
type streamValue struct {
	handle
	st    *State
	url   string
	sse   *httpc.Stream
	lines *httpc.Lines
	tap   *tap
	once  closeOnce
}

func (s *streamValue) String() string { return "<stream " + s.url + ">" }

func (s *streamValue) response() *httpc.Response {
	if s.sse != nil {
		return s.sse.Response
	}
	return s.lines.Response
}

// Attr returns a field or a method.
func (s *streamValue) Attr(name string) (starlark.Value, error) { return s.typ.Attr(s, name) }

func (s *streamValue) open() bool {
	if s.sse != nil {
		return s.sse.Open()
	}
	return s.lines.Open()
}

func (s *streamValue) lost() starlark.Value {
	var n int
	if s.sse != nil {
		_, n = s.sse.Events()
	} else {
		_, n = s.lines.Lines()
	}
	return starlark.MakeInt(n)
}

func (s *streamValue) allEvents() (starlark.Value, error) {
	list, dropped := s.sse.Events()
	out := make([]starlark.Value, len(list))
	for i, e := range list {
		out[i] = &eventValue{s.st.handle("Event"), e, s.st}
	}
	return starlark.NewList(out), allKept("events", dropped)
}

func (s *streamValue) allLines() (starlark.Value, error) {
	list, dropped := s.lines.Lines()
	return stringList(list), allKept("lines", dropped)
}

// eventValue is one server-sent event.
type eventValue struct {
	handle
	httpc.Event
	st *State
}

func (e *eventValue) String() string {
	return fmt.Sprintf("<event %s %q>", e.Event.Type, e.st.short(e.Data, 200))
}

// Type is the handle's: an event's own type is its attribute type.
func (e *eventValue) Type() string { return e.handle.Type() }

// Attr returns a field or a method.
func (e *eventValue) Attr(name string) (starlark.Value, error) { return e.typ.Attr(e, name) }

func (st *State) eventJSON(c *dsl.Call, e *eventValue, _ dsl.None) (starlark.Value, error) {
	return decodeJSON(c, e.Data, func() (any, error) {
		return (&httpc.Response{Method: "event", URL: fmt.Sprintf("%q", e.Event.Type), Status: 200, Body: []byte(e.Data)}).JSON()
	})
}

// openArgs say by which client, and to which server, a stream or a socket is opened.
type openArgs struct {
	Client starlark.Value `star:"client?,kw" type:"Client" doc:"the client whose base, headers and cookies to use"`
	trustArgs
}

type streamArgs struct {
	URL     string         `star:"url" type:"url" doc:"absolute URL"`
	Params  starlark.Value `star:"params?" type:"dict" doc:"query parameters"`
	Headers starlark.Value `star:"headers?" type:"dict" doc:"request headers"`
	Method  string         `star:"method?,kw" doc:"the method"`
	JSON    starlark.Value `star:"json?,kw" type:"any" doc:"a value to send as JSON"`
	Body    Text           `star:"body?,kw" doc:"the body, sent unchanged"`
	Auth    starlark.Value `star:"auth?,kw" type:"any" doc:"(user, password), or a bearer token"`
	Timeout dsl.Duration   `star:"timeout?,kw" doc:"deadline for the headers; the stream itself has none"`
	openArgs
	Reconnect bool         `star:"reconnect?,kw" doc:"events: connect again when the connection ends, with Last-Event-ID"`
	Retry     dsl.Duration `star:"retry?,kw" doc:"events: the pause before it connects again, unless the server names one"`
	LastID    string       `star:"last_id?,kw" doc:"events: the Last-Event-ID of the first connection"`
}

func streamDefaults() streamArgs {
	return streamArgs{Method: "GET", Timeout: dsl.Seconds(30), Retry: dsl.Seconds(1)}
}

// streamRequest reads what streams and sockets have in common with calls.
func (st *State) streamRequest(c *dsl.Call, a streamArgs) (*httpc.Client, httpc.Request, error) {
	h := httpDefaults()
	h.URL, h.Params, h.Headers, h.JSON, h.Body, h.Auth, h.Timeout = a.URL, a.Params, a.Headers, a.JSON, a.Body, a.Auth, a.Timeout
	h.trustArgs = a.trustArgs
	cl, ok := a.Client.(*clientValue)
	if !ok && a.Client != nil && a.Client != starlark.None {
		return nil, httpc.Request{}, fault.New(fault.Usage, "%s: client: got %s, want what http() returns", c.Func.Name, a.Client.Type())
	}
	if ok {
		h = cl.complete(h)
	}
	req, err := st.request(c, a.Method, h)
	if err != nil {
		return nil, req, err
	}
	client, err := st.clientFor(cl, h)
	return client, req, err
}

// openStream opens an event stream, or a body to be read line by line. It lives until it is closed, at the latest at the
// end of the run, whatever branch of the script opened it.
func (st *State) openStream(c *dsl.Call, a streamArgs, events bool) (starlark.Value, error) {
	client, req, err := st.streamRequest(c, a)
	if err != nil {
		return nil, err
	}
	if !events && (a.Reconnect || a.LastID != "" || a.Retry != streamDefaults().Retry) {
		return nil, fault.New(fault.Usage, "http_lines: reconnect, retry and last_id are for events: want sse()")
	}
	if a.Retry.D == 0 {
		a.Retry.D = 1 // a moment: 0 is the engine's word for none given
	}
	s := &streamValue{handle: st.handle("LineStream"), st: st, url: a.URL, tap: st.newTap(a.URL)}
	life, end := context.WithCancelCause(context.WithoutCancel(c.Ctx))
	done := st.watch(c, c.Func.Name+" "+a.URL, st.Clock.Now(), time.Time{})
	err = c.Wait(func(ctx context.Context) (err error) {
		stop := context.AfterFunc(ctx, func() { end(context.Cause(ctx)) })
		defer stop()
		if events {
			s.handle = st.handle("EventStream")
			s.sse, err = client.OpenStream(life, req, httpc.StreamOptions{Reconnect: a.Reconnect, Retry: a.Retry.D, LastID: a.LastID, Tee: s.tap.in})
		} else {
			s.lines, err = client.OpenLines(life, req, s.tap.in)
		}
		return err
	})
	done()
	if s.sse == nil && s.lines == nil {
		end(nil)
		s.tap.drop()
		return nil, err
	}
	if s.sse != nil {
		s.tap.follow(s.sse.Done())
	} else {
		s.tap.follow(s.lines.Done())
	}
	st.AtEnd(func(context.Context) { s.close(); end(nil) })
	st.tellRefused(s.response())
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (s *streamValue) close() {
	s.once.do(func() {
		if s.sse != nil {
			s.sse.Close()
		} else {
			s.lines.Close()
		}
		s.tap.close()
	})
}

func (st *State) closeStream(c *dsl.Call, s *streamValue, _ dsl.None) (starlark.Value, error) {
	return starlark.None, c.Wait(func(context.Context) error { s.close(); return nil })
}

type nextEventArgs struct {
	Type string `star:"type?" doc:"only an event of this type; others before it are skipped"`
	deadlineArgs
	Where starlark.Callable `star:"where?,kw" doc:"a function of the event; only an event for which it returns something true"`
}

// nextEvent asks where of each event under the run's lock, between the waits.
func (st *State) nextEvent(c *dsl.Call, s *streamValue, a nextEventArgs) (starlark.Value, error) {
	timeout := st.waitLimit(c, a.Timeout)
	began := st.Clock.Now()
	for {
		left := timeout
		if timeout > 0 {
			left = max(timeout-clock.Since(st.Clock, began), time.Nanosecond)
		}
		var e httpc.Event
		err := c.Wait(func(ctx context.Context) (err error) {
			e, err = s.sse.Next(ctx, left, a.Type)
			return err
		})
		if err != nil {
			return nil, namedTimeout(err, timeout)
		}
		v := &eventValue{st.handle("Event"), e, st}
		if a.Where == nil {
			return v, nil
		}
		ok, err := c.Invoke(a.Where, v)
		if err != nil {
			return nil, err
		}
		if ok.Truth() {
			return v, nil
		}
	}
}

// namedTimeout keeps an error of a wait in parts from naming the length of the last part.
func namedTimeout(err error, whole time.Duration) error {
	var f *fault.Error
	if errors.As(err, &f) && f.Kind == fault.Timeout && whole > 0 {
		if i := indexAfter(f.Msg, " within "); i > 0 {
			rest := f.Msg[i:]
			end := len(rest)
			if j := indexAfter(rest, " "); j > 0 {
				end = j - 1
			}
			f.Msg = f.Msg[:i] + fault.Human(whole) + rest[end:]
		}
	}
	return err
}

type nextLineArgs struct {
	Contains string `star:"contains?" doc:"only a line with this text; others before it are skipped"`
	deadlineArgs
}

func (st *State) nextLine(c *dsl.Call, s *streamValue, a nextLineArgs) (starlark.Value, error) {
	var line string
	err := c.Wait(func(ctx context.Context) (err error) {
		line, err = s.lines.Next(ctx, st.waitLimit(c, a.Timeout), a.Contains)
		return err
	})
	if err != nil {
		return nil, err
	}
	return starlark.String(line), nil
}

func (st *State) streamExpect(c *dsl.Call, s *streamValue, a tapArgs) (starlark.Value, error) {
	return s.tap.expect(st, c, a)
}
