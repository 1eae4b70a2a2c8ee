package builtins

import (
	"context"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"omniexpect/internal/clock"
	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/httpc"
)

// socketValue is an open WebSocket connection.
type socketValue struct {
	handle
	*httpc.Socket
	st  *State
	url string
}

func (s *socketValue) String() string { return "<websocket " + s.url + ">" }

// Attr returns a field or a method.
func (s *socketValue) Attr(name string) (starlark.Value, error) { return s.typ.Attr(s, name) }

func (s *socketValue) messages() (starlark.Value, error) {
	list, dropped := s.Messages()
	out := make([]starlark.Value, len(list))
	for i, m := range list {
		out[i] = messageOf(m)
	}
	return starlark.NewList(out), allKept("messages", dropped)
}

func (s *socketValue) lost() starlark.Value {
	_, dropped := s.Messages()
	return starlark.MakeInt(dropped)
}

// goodbye is how long the end of a run waits for the other side's close frame.
const goodbye = 100 * time.Millisecond

// messageOf is a text for a text message and bytes for a binary one.
func messageOf(m httpc.Message) starlark.Value {
	if m.Text {
		return starlark.String(m.Data)
	}
	return starlark.Bytes(m.Data)
}

type socketArgs struct {
	URL          string         `star:"url" type:"url" doc:"ws://, wss://, http://, https:// or unix://"`
	Headers      starlark.Value `star:"headers?" type:"dict" doc:"headers of the handshake"`
	Subprotocols *starlark.List `star:"subprotocols?,kw" doc:"the subprotocols to offer"`
	Auth         starlark.Value `star:"auth?,kw" type:"any" doc:"(user, password), or a bearer token"`
	Timeout      dsl.Duration   `star:"timeout?,kw" doc:"deadline of the handshake"`
	openArgs
}

func (st *State) websocket(c *dsl.Call, a socketArgs) (starlark.Value, error) {
	client, req, err := st.streamRequest(c, streamArgs{URL: a.URL, Headers: a.Headers, Method: "GET", Auth: a.Auth,
		Timeout: a.Timeout, openArgs: a.openArgs})
	if err != nil {
		return nil, err
	}
	var protocols []string
	if a.Subprotocols != nil {
		for i := range a.Subprotocols.Len() {
			protocols = append(protocols, plain(a.Subprotocols.Index(i)))
		}
	}
	life, end := context.WithCancelCause(context.WithoutCancel(c.Ctx))
	var s *httpc.Socket
	done := st.watch(c, "websocket "+a.URL, st.Clock.Now(), time.Time{})
	err = c.Wait(func(ctx context.Context) (err error) {
		stop := context.AfterFunc(ctx, func() { end(context.Cause(ctx)) })
		defer stop()
		s, err = client.OpenSocket(life, req, protocols...)
		return err
	})
	done()
	if s == nil {
		end(nil)
		return nil, err
	}
	st.AtEnd(func(ctx context.Context) {
		ctx, cancel := clock.WithTimeout(ctx, st.Clock, goodbye)
		defer cancel()
		s.Close(ctx, 1001, "")
		end(nil)
	})
	st.tellRefused(s.Response)
	if err != nil {
		return nil, err
	}
	return &socketValue{st.handle("WebSocket"), s, st, a.URL}, nil
}

type socketSendArgs struct {
	Message Text         `star:"message" doc:"a text, or bytes for a binary message"`
	Timeout dsl.Duration `star:"timeout?" doc:"deadline"`
}

func (st *State) socketSend(c *dsl.Call, s *socketValue, a socketSendArgs) (starlark.Value, error) {
	text := st.Mask.Resolve(textOf(a.Message.v))
	_, binary := a.Message.v.(starlark.Bytes)
	return starlark.None, c.Wait(func(ctx context.Context) error {
		if binary {
			return s.SendBytes(ctx, st.limit(c, a.Timeout, 30*time.Second), []byte(text))
		}
		return s.Send(ctx, st.limit(c, a.Timeout, 30*time.Second), text)
	})
}

type receiveArgs struct {
	Contains string `star:"contains?" doc:"only a message with this text; others before it are skipped"`
	deadlineArgs
}

func (st *State) socketReceive(c *dsl.Call, s *socketValue, a receiveArgs) (starlark.Value, error) {
	wanted := ""
	if a.Contains != "" {
		wanted = "with " + shown(starlark.String(a.Contains))
	}
	var m httpc.Message
	err := c.Wait(func(ctx context.Context) (err error) {
		m, err = s.Next(ctx, st.waitLimit(c, a.Timeout), wanted, func(m httpc.Message) bool {
			return strings.Contains(string(m.Data), a.Contains)
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return messageOf(m), nil
}

type pingArgs struct {
	Timeout dsl.Duration `star:"timeout?" doc:"deadline"`
}

func (st *State) socketPing(c *dsl.Call, s *socketValue, a pingArgs) (starlark.Value, error) {
	var d time.Duration
	err := c.Wait(func(ctx context.Context) (err error) {
		d, err = s.Ping(ctx, st.limit(c, a.Timeout, 30*time.Second))
		return err
	})
	return starlark.Float(d.Seconds()), err
}

type socketCloseArgs struct {
	Code   int    `star:"code?" doc:"the close code"`
	Reason string `star:"reason?" doc:"why"`
}

func (st *State) socketClose(c *dsl.Call, s *socketValue, a socketCloseArgs) (starlark.Value, error) {
	if a.Code == 0 { // which the engine takes for none given
		return nil, fault.New(fault.Usage, "close: code=0: want 1000 to 1003, 1007 to 1014, or 3000 to 4999")
	}
	return starlark.None, c.Wait(func(ctx context.Context) error { return s.Close(ctx, a.Code, a.Reason) })
}

// echoStub is how the examples begin.
const echoStub = `s = http_serve({"/ws": {"websocket": {"greet": ["hello"], "echo": True}}})
ws = websocket(s.url + "/ws")
`

func (st *State) socketType() *dsl.Type {
	t := &dsl.Type{Name: "WebSocket", Doc: "An open WebSocket connection, from websocket(). It is read all the time and closed when the script ends.", Fields: []dsl.Field{
		dsl.Attr("url", "str", "the URL it is connected to", func(s *socketValue) starlark.Value { return starlark.String(s.url) }),
		dsl.Attr("subprotocol", "str", "the subprotocol that the server chose", func(s *socketValue) starlark.Value { return starlark.String(s.Subprotocol) }),
		dsl.AttrErr("messages", "list", "all messages so far, read or not; "+keptDoc, (*socketValue).messages),
		dsl.Attr("lost", "int", lostDoc("messages"), (*socketValue).lost),
		dsl.Attr("open", "bool", "whether more can arrive", func(s *socketValue) starlark.Value { return starlark.Bool(s.Open()) }),
		dsl.Attr("code", "int", "the other side's close code, 0 if there was none", func(s *socketValue) starlark.Value { return starlark.MakeInt(s.State().Code) }),
		dsl.Attr("reason", "str", "the other side's reason", func(s *socketValue) starlark.Value { return starlark.String(s.State().Reason) }),
		dsl.Attr("pings", "int", "how many pings were received", func(s *socketValue) starlark.Value { return starlark.MakeInt(s.State().Pings) }),
	}}
	t.Methods = dsl.In("http",
		dsl.Method("WebSocket", "send", "None", `Send a text message, or a binary one for bytes.`, echoStub+`ws.send("one")
assert.eq(ws.receive("one"), "one")`, socketSendArgs{Timeout: dsl.Seconds(30)}, st.socketSend),
		dsl.Method("WebSocket", "receive", "str", `Wait for the next message that receive has not returned yet: a text, or bytes for a binary one.`,
			echoStub+`assert.eq(ws.receive(), "hello")`, receiveArgs{deadlineArgs: streamDeadline()}, st.socketReceive),
		dsl.Method("WebSocket", "ping", "float", `Send a ping and return how many seconds the pong took.`, echoStub+`ws.ping(timeout = 5)`,
			pingArgs{Timeout: dsl.Seconds(30)}, st.socketPing),
		dsl.Method("WebSocket", "close", "None", `Send a close code and end the connection.`, echoStub+`ws.close(1000, "bye")
assert.eq(ws.open, False)`, socketCloseArgs{Code: 1000}, st.socketClose),
	)
	return t
}

func (st *State) socketFuncs() []*dsl.Func {
	st.declare(st.socketType())
	return dsl.In("http",
		dsl.Define("websocket", "WebSocket", `Open a WebSocket connection.`, echoStub+`ws.send(b"\x00\x01")
assert.eq(ws.receive(), "hello")
assert.eq(ws.receive(), b"\x00\x01")`, socketArgs{Timeout: dsl.Seconds(30)}, st.websocket),
	)
}
