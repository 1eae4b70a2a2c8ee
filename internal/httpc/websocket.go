package httpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"
	"golang.org/x/net/http/httpguts"

	"omniexpect/internal/clock"
	"omniexpect/internal/fault"
	"omniexpect/internal/vt"
)

// closeGrace is how long Close waits for the other side's goodbye.
const closeGrace = time.Second

// Message is one WebSocket message that was received.
type Message struct {
	Text  bool // else binary
	Data  []byte
	Index int // from 0
}

// Socket is an open WebSocket connection. It is read all the time, so that pings are answered and nothing is lost.
type Socket struct {
	Response    *Response // of the handshake
	Subprotocol string    // that the server chose

	name     string
	timeout  time.Duration
	clock    clock.Clock
	conn     *websocket.Conn
	cancel   context.CancelFunc // of reading, which ends the connection
	done     chan struct{}
	messages record[Message]

	mu     sync.Mutex
	closed SocketState
}

// SocketState describes how a connection fares and how it ended.
type SocketState struct {
	Pings  int // received
	Code   int // of the other side's close frame, 0 if none came
	Reason string
}

// OpenSocket makes the handshake with a ws, wss, http, https or unix URL, within the request's timeout. The context is
// the life of the connection. Redirects are not followed. Its owner calls Close.
func (c *Client) OpenSocket(ctx context.Context, r Request, subprotocols ...string) (*Socket, error) {
	shownAs := r.URL
	if rest, ok := strings.CutPrefix(r.URL, "ws"); ok && (strings.HasPrefix(rest, "://") || strings.HasPrefix(rest, "s://")) {
		r.URL = "http" + rest
	}
	x, err := c.prepare(r)
	if err != nil {
		if fault.KindOf(err) == fault.Usage {
			text := strings.Replace(err.Error(), shown(r.URL), shown(shownAs), 1)
			text = strings.Replace(text, "want http, https or unix", "want ws, wss, http, https or unix", 1)
			err = fault.New(fault.Usage, "websocket %s", strings.TrimPrefix(text, "GET "))
		}
		return nil, err
	}
	x.method, x.target.socketScheme = "websocket", true
	for i, name := range subprotocols {
		if !httpguts.ValidHeaderFieldName(name) || slices.Contains(subprotocols[:i], name) {
			return nil, x.failed(fault.Usage, nil, "subprotocol %q: want a word of letters, digits, dots and dashes, each once", name)
		}
	}
	if x.digest != nil {
		return nil, x.failed(fault.Usage, nil, "digest authorization is not for WebSockets: want (user, password) or a bearer token")
	}
	k := x.newLimits(ctx)
	defer k.stop()
	dialing, stop := k.connecting()
	defer stop()
	for _, cookie := range c.jar.cookies(x.target.url, false) {
		joinCookie(x.header, cookie)
	}
	s := &Socket{name: "websocket " + x.target.String(), timeout: x.req.Timeout, clock: c.opts.Clock, done: make(chan struct{})}
	s.messages.clock = s.clock
	conn, raw, err := websocket.Dial(dialing, x.target.url.String(), &websocket.DialOptions{
		HTTPClient: &http.Client{
			Transport:     checkedTransport{c.transport},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		HTTPHeader:     x.header,
		Host:           x.hostHeader(),
		Subprotocols:   subprotocols,
		OnPingReceived: s.pinged,
	})
	if err != nil {
		return nil, x.noSocket(k, raw, err)
	}
	limit := x.req.MaxBody
	if limit < 0 {
		limit = -1
	}
	conn.SetReadLimit(limit)
	s.Response, s.conn, s.Subprotocol = newResponse(x, raw), conn, conn.Subprotocol()
	reading, cancel := context.WithCancel(ctx)
	s.cancel = cancel
	go s.run(reading)
	return s, nil
}

// noSocket explains a handshake that failed.
func (x *exchange) noSocket(k *limits, raw *http.Response, err error) error {
	if over := x.stopped(k); over != nil {
		return over
	}
	if raw == nil {
		return x.unanswered(k, err)
	}
	resp := newResponse(x, raw)
	if raw.Body != nil {
		resp.Body, _ = io.ReadAll(raw.Body) // the library keeps 1,024 bytes
		resp.cut = len(resp.Body) >= 1024
	}
	if raw.StatusCode != http.StatusSwitchingProtocols {
		e := resp.failed("no WebSocket: expected status 101, got %s", statusText(raw.StatusCode)).WithDetail(resp.Excerpt(""))
		e.Err = &StatusError{raw.StatusCode}
		return e
	}
	e := resp.failed("no WebSocket: %s", strings.TrimPrefix(plainReason(err), "failed to WebSocket dial: "))
	e.Err = &Cause{Malformed, err}
	return e
}

func (s *Socket) pinged(context.Context, []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed.Pings++
	return true
}

func (s *Socket) run(ctx context.Context) {
	defer close(s.done)
	for {
		kind, data, err := s.conn.Read(ctx)
		if err != nil {
			if broken, ok := errors.AsType[*brokenFrames](err); ok {
				s.conn.Close(broken.code, broken.what) // waits for nothing: the next read fails as this one did
			}
			s.messages.finish(s.over(ctx, err))
			s.conn.CloseNow()
			return
		}
		data = bytes.Clone(data) // what the library reads into is larger than a short message by far
		s.messages.add(len(data)+64, func(index int) Message {
			return Message{kind == websocket.MessageText, data, index}
		})
	}
}

// over explains why there is nothing more to read.
func (s *Socket) over(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return interrupted(s.name, context.Cause(ctx))
	}
	if ce, ok := errors.AsType[websocket.CloseError](err); ok {
		s.mu.Lock()
		s.closed.Code, s.closed.Reason = int(ce.Code), ce.Reason
		s.mu.Unlock()
		text := fmt.Sprintf("%d (%s)", ce.Code, codeText(ce.Code))
		if ce.Reason != "" {
			text += ": " + vt.Visible(ce.Reason)
		}
		return fault.New(fault.EOF, "%s: the server closed the connection: %s", s.name, s.Response.conceal.oneLine(text, 200))
	}
	kind, reason, text := fault.Env, Reset, "the connection broke off: "+plainReason(err)
	broken, isBroken := errors.AsType[*brokenFrames](err)
	switch {
	case isBroken:
		kind, reason, text = fault.HTTP, Malformed, fmt.Sprintf("the server broke the protocol: %v: closed with %d", broken, broken.code)
	case errors.Is(err, websocket.ErrMessageTooBig):
		kind, reason, text = fault.HTTP, TooLarge, "a message is larger than the limit"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		text = "the connection broke off without a close frame"
	}
	f := fault.New(kind, "%s: %s", s.name, text)
	f.Err = &Cause{reason, err}
	return f
}

// codeText names the close codes of RFC 6455.
func codeText(code websocket.StatusCode) string {
	switch code {
	case websocket.StatusNormalClosure:
		return "normal"
	case websocket.StatusGoingAway:
		return "going away"
	case websocket.StatusProtocolError:
		return "protocol error"
	case websocket.StatusUnsupportedData:
		return "unsupported data"
	case websocket.StatusNoStatusRcvd:
		return "no code given"
	case websocket.StatusInvalidFramePayloadData:
		return "invalid data"
	case websocket.StatusPolicyViolation:
		return "policy violation"
	case websocket.StatusMessageTooBig:
		return "message too big"
	case websocket.StatusInternalError:
		return "internal error"
	}
	return "of the application"
}

// Send sends a text. A timeout of 0 is the request's, as in SendBytes and Ping; a send that fails ends the connection.
func (s *Socket) Send(ctx context.Context, timeout time.Duration, text string) error {
	if !utf8.ValidString(text) {
		return fault.New(fault.Usage, "%s: the text is not UTF-8: want bytes, which are sent as a binary message", s.name)
	}
	return s.send(ctx, timeout, websocket.MessageText, []byte(text))
}

// SendBytes sends a binary message.
func (s *Socket) SendBytes(ctx context.Context, timeout time.Duration, data []byte) error {
	return s.send(ctx, timeout, websocket.MessageBinary, data)
}

func (s *Socket) send(ctx context.Context, timeout time.Duration, kind websocket.MessageType, data []byte) error {
	return s.act(ctx, timeout, "the message was not taken", func(ctx context.Context) error {
		return s.conn.Write(ctx, kind, data)
	})
}

// Ping sends a ping and returns how long its answer took.
func (s *Socket) Ping(ctx context.Context, timeout time.Duration) (time.Duration, error) {
	start := s.clock.Now()
	err := s.act(ctx, timeout, "no pong", s.conn.Ping)
	return clock.Since(s.clock, start).Round(time.Microsecond), err
}

// act does what may take until the other side is ready.
func (s *Socket) act(ctx context.Context, timeout time.Duration, missing string, do func(context.Context) error) error {
	timeout = orDefault(timeout, s.timeout)
	bounded := ctx
	if timeout > 0 {
		var cancel context.CancelFunc
		bounded, cancel = clock.WithTimeout(ctx, s.clock, timeout)
		defer cancel()
	}
	err := do(bounded)
	if err == nil {
		return nil
	}
	if ctx.Err() == nil && bounded.Err() != nil || errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		f := fault.New(fault.Timeout, "%s: %s within %s", s.name, missing, fault.Human(timeout))
		f.Err = &Cause{TimedOut, err}
		return f
	}
	if ctx.Err() != nil {
		return interrupted(s.name, context.Cause(ctx))
	}
	// The connection is over: the reader knows why.
	select {
	case <-s.done:
	case <-bounded.Done():
	}
	if end := s.messages.reason(); end != nil {
		return end
	}
	f := fault.New(fault.Env, "%s: %s", s.name, plainReason(err))
	f.Err = &Cause{Reset, err}
	return f
}

// Next returns the next message that accept takes, or the next of all if it is nil; wanted names it in an error. A
// timeout of 0 tries once, Forever waits without end. A wait that fails leaves all messages where they are.
func (s *Socket) Next(ctx context.Context, timeout time.Duration, wanted string, accept func(Message) bool) (Message, error) {
	return s.messages.await(ctx, timeout, s.name, "message", wanted, accept)
}

// Messages returns the messages that are kept, read or not, and the number of older ones that are not.
func (s *Socket) Messages() (messages []Message, dropped int) { return s.messages.all() }

// State describes how the connection fares and how it ended.
func (s *Socket) State() SocketState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// Open reports whether more can come. It is false from when a wait can fail with the connection's end.
func (s *Socket) Open() bool { return s.messages.reason() == nil }

// Done is closed when nothing more will come.
func (s *Socket) Done() <-chan struct{} { return s.done }

// Close says goodbye with a code (0 is 1000, normal) and a reason, waits a moment for the answer and ends the
// connection. Closing again does nothing. Messages that are unread can still be read.
func (s *Socket) Close(ctx context.Context, code int, reason string) error {
	if code == 0 {
		code = int(websocket.StatusNormalClosure)
	}
	if !isCloseCode(code) {
		return fault.New(fault.Usage, "%s: close code %d: want 1000 to 1003, 1007 to 1014, or 3000 to 4999", s.name, code)
	}
	if !utf8.ValidString(reason) {
		return fault.New(fault.Usage, "%s: the close reason is not UTF-8", s.name)
	}
	if len(reason) > 123 {
		return fault.New(fault.Usage, "%s: close reason of %d bytes: want at most 123", s.name, len(reason))
	}
	s.messages.finish(fault.New(fault.EOF, "%s: the connection is closed", s.name))
	stopOnCancel := context.AfterFunc(ctx, s.cancel)
	defer stopOnCancel()
	timer := time.AfterFunc(closeGrace, s.cancel)
	defer timer.Stop()
	s.conn.Close(websocket.StatusCode(code), reason) // fails if the other side is gone, which is what is wanted
	s.cancel()
	<-s.done
	return nil
}
