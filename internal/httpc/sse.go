package httpc

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"omniexpect/internal/clock"
	"omniexpect/internal/fault"
)

// defaultRetry is the wait before a reconnection when the server names none.
const defaultRetry = time.Second

// StreamOptions are how an event stream is read.
type StreamOptions struct {
	Reconnect bool          // connect again when the connection ends, with Last-Event-ID
	Retry     time.Duration // wait before that; the server's word counts more; 0 is one second
	LastID    string        // Last-Event-ID of the first connection
	Tee       io.Writer     // gets the raw bytes as they come, from the stream's goroutine; its errors are its own
}

// Stream is an open event stream. It is read all the time, whether anybody waits or not.
type Stream struct {
	Response *Response // of the first connection, without a body

	client  *Client
	request Request
	opts    StreamOptions
	name    string
	cancel  context.CancelFunc
	done    chan struct{}
	events  record[Event]
	raw     tape
	parser  parser

	mu    sync.Mutex
	state StreamState
}

// StreamState is how a stream has fared so far.
type StreamState struct {
	Comments    int    // lines that carry nothing but life: heartbeats
	LastComment string // the text of the last
	Reconnects  int    // connections after the first
	Trouble     error  // why the last attempt to reconnect failed, while none has succeeded
	LastID      string
}

// OpenStream makes a GET (or what the request says) for an event stream and returns when its headers are there, so that
// what is done next cannot be missed. The context is the stream's life. Its owner calls Close.
func (c *Client) OpenStream(ctx context.Context, r Request, opts StreamOptions) (*Stream, error) {
	r.Headers = setDefault(r.Headers, "Accept", "text/event-stream")
	r.Headers = setDefault(r.Headers, "Cache-Control", "no-store")
	s := &Stream{client: c, request: r, opts: opts, done: make(chan struct{})}
	s.events.clock = c.opts.Clock
	s.opts.Retry = orDefault(opts.Retry, defaultRetry)
	s.parser = parser{emit: s.emit, comment: s.comment, id: opts.LastID}
	ctx, s.cancel = context.WithCancel(ctx)
	l, err := s.connect(ctx)
	if err != nil {
		s.cancel()
		return nil, err
	}
	s.Response, s.name, s.parser.limit = l.resp, l.resp.Method+" "+l.resp.URL, l.x.req.MaxBody
	go s.run(ctx, l)
	return s, nil
}

func setDefault(pairs []Pair, name, value string) []Pair {
	for _, p := range pairs {
		if strings.EqualFold(p.Name, name) {
			return pairs
		}
	}
	return append(pairs[:len(pairs):len(pairs)], Pair{name, value})
}

// connect opens one connection and makes sure that it is an event stream.
func (s *Stream) connect(ctx context.Context) (*live, error) {
	r := s.request
	if s.parser.id != "" {
		r.Headers = setDefault(r.Headers, "Last-Event-ID", s.parser.id)
	}
	l, err := s.client.open(ctx, r)
	if err != nil {
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(l.resp.Header.Get("Content-Type"))
	switch {
	case l.resp.Status != http.StatusOK:
		err = l.refused("no event stream: status %s", statusText(l.resp.Status))
	case kind != "text/event-stream":
		err = l.refused("no event stream: expected content type text/event-stream, got %q", l.resp.Header.Get("Content-Type"))
	}
	if err != nil {
		l.close()
		return nil, err
	}
	l.k.release()
	return l, nil
}

// run reads connection after connection. It is the only user of the parser.
func (s *Stream) run(ctx context.Context, l *live) {
	defer close(s.done)
	for {
		err := l.read(s.take)
		l.close()
		switch {
		case ctx.Err() != nil:
			s.events.finish(interrupted(s.name, context.Cause(ctx)))
			return
		case fault.KindOf(err) == fault.HTTP: // an event too large, a broken encoding: trying again would not help
			s.events.finish(err)
			return
		case !s.opts.Reconnect && err != nil:
			s.events.finish(err)
			return
		case !s.opts.Reconnect:
			s.events.finish(s.ended("the server ended the stream"))
			return
		}
		if l = s.reconnect(ctx); l == nil {
			return
		}
	}
}

// take is called with every piece of a connection's body.
func (s *Stream) take(chunk []byte) error {
	s.raw.write(chunk)
	if s.opts.Tee != nil {
		s.opts.Tee.Write(chunk)
	}
	if !s.parser.feed(chunk) {
		f := fault.New(fault.HTTP, "%s: an event is larger than the limit of %s", s.name, size(s.parser.limit))
		f.Err = &Cause{TooLarge, nil}
		return f
	}
	return nil
}

func (s *Stream) emit(e Event) {
	s.mu.Lock()
	s.state.LastID = e.ID // before the event can be seen
	s.mu.Unlock()
	e.Time = s.client.opts.Clock.Now()
	s.events.add(len(e.Data)+128, func(index int) Event { e.Index = index; return e })
}

func (s *Stream) comment(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Comments++
	s.state.LastComment = text
}

// reconnect tries until there is a connection, or returns nil when the stream has come to its end.
func (s *Stream) reconnect(ctx context.Context) *live {
	s.parser.restart()
	for {
		delay := s.opts.Retry
		if s.parser.retry > 0 {
			delay = s.parser.retry
		}
		if clock.Sleep(ctx, s.client.opts.Clock, delay) != nil {
			s.events.finish(interrupted(s.name, context.Cause(ctx)))
			return nil
		}
		l, err := s.connect(ctx)
		s.mu.Lock()
		if s.state.Trouble = err; err == nil {
			s.state.Reconnects++
		}
		s.mu.Unlock()
		if err == nil {
			return l
		}
		status, _ := statusOf(err)
		switch {
		case status == http.StatusNoContent:
			s.events.finish(s.ended("the server said that there is no more (status 204)"))
			return nil
		case !IsNotYet(err):
			s.events.finish(err)
			return nil
		}
	}
}

func (s *Stream) ended(why string) error {
	return fault.New(fault.EOF, "%s: %s after %s", s.name, why, plural(s.events.count(), "event"))
}

// Next returns the next event of a type, or of any type if it is empty, and skips those before it. A timeout of 0 tries
// once, Forever waits without end. A wait that fails leaves all events where they are.
func (s *Stream) Next(ctx context.Context, timeout time.Duration, kind string) (Event, error) {
	return s.nextFunc(ctx, timeout, kind, func(e Event) bool { return kind == "" || e.Type == kind })
}

// nextFunc is Next for events that accept takes; wanted names them in an error.
func (s *Stream) nextFunc(ctx context.Context, timeout time.Duration, wanted string, accept func(Event) bool) (Event, error) {
	e, skipped, err := s.events.next(ctx, timeout, accept)
	if err == nil {
		return e, nil
	}
	what := "event"
	if wanted != "" {
		what = fmt.Sprintf("event %q", wanted)
	}
	return e, s.explain(waitFailed(ctx, s.name, what, timeout, s.meanwhile(skipped), err))
}

// meanwhile describes what came instead.
func (s *Stream) meanwhile(skipped int) string {
	st := s.State()
	var parts []string
	if skipped > 0 {
		parts = append(parts, plural(skipped, "other event"))
	}
	if st.Comments > 0 {
		parts = append(parts, plural(st.Comments, "heartbeat"))
	}
	if st.Trouble != nil {
		parts = append(parts, "the connection is lost: "+st.Trouble.Error())
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// explain adds the end of the raw text to a copy of the error, which may be the stream's own and shared.
func (s *Stream) explain(f *fault.Error) error {
	raw, _ := s.Raw()
	if f.Detail != "" || len(raw) == 0 {
		return f
	}
	c := *f
	return c.WithDetail(s.Response.conceal.tail("the end of the stream", raw, s.events.reason() == nil))
}

// State returns how the stream has fared so far.
func (s *Stream) State() StreamState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// Events returns the events that are kept, read or not, and the number of older ones that are not.
func (s *Stream) Events() (events []Event, dropped int) { return s.events.all() }

// Raw returns the stream's text as it came, and the number of bytes before it that are not kept.
func (s *Stream) Raw() (text []byte, dropped int64) { return s.raw.tail(keepRaw) }

// Open reports whether more can come. It is false from when a wait can fail with the stream's end.
func (s *Stream) Open() bool { return s.events.reason() == nil }

// Done is closed when nothing more will come.
func (s *Stream) Done() <-chan struct{} { return s.done }

// Close ends the connection and waits for the stream's goroutine. Events that are unread can still be read.
func (s *Stream) Close() {
	s.events.finish(fault.New(fault.EOF, "%s: the stream is closed", s.name))
	s.cancel()
	<-s.done
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
