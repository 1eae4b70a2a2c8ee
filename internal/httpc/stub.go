package httpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"omniexpect/internal/clock"
	"omniexpect/internal/fault"
)

// ServeOptions say where a stub server listens. The zero value is a free port of 127.0.0.1.
type ServeOptions struct {
	Port    int
	Socket  string // path of a unix socket, instead of a port
	TLS     bool   // with a certificate made for it
	TempDir string // where the certificate's file goes; the system's if empty
	MaxBody int64  // of a request; 0 is DefaultMaxBody
	Conceal Conceal
	Clock   clock.Clock     // of the run; the system's if nil
	Served  func(*Received) // called when a request was answered; may be nil
}

// Received is a request that a stub server got.
type Received struct {
	Index  int // from 0
	Method string
	Path   string // decoded
	Query  []Pair // in order
	RawURL string // path and query as they were sent
	Header http.Header
	Body   []byte
	Time   time.Time
	Route  string            // the pattern that took it, empty if none did
	Vars   map[string]string // values of the pattern's names
	Status int               // of the answer, 0 while there is none
	Err    error             // of the handler

	conceal Conceal
}

// Text returns the body as characters.
func (r *Received) Text() string { return decodeText(r.Body, r.Header.Get("Content-Type")) }

// JSON decodes the body as Response.JSON does.
func (r *Received) JSON() (any, error) {
	return (&Response{Method: r.Method, URL: r.RawURL, Status: http.StatusOK, Header: r.Header, Body: r.Body, conceal: r.conceal}).JSON()
}

// Server is a running stub server. It listens on the loopback interface only.
type Server struct {
	URL      string
	CAFile   string // PEM file that a client trusts it by, with TLS
	routes   []*route
	limit    int64
	conceal  Conceal
	http     *http.Server
	cancel   context.CancelCauseFunc
	clock    clock.Clock
	answered func(*Received)
	served   chan struct{} // closed when no connection is accepted any more
	records  record[Received]

	mu      sync.Mutex
	closing bool
	active  int           // handlers
	idle    chan struct{} // closed when the last handler has ended, if somebody waits
}

// errClosing is why a handler's context ends with the server.
var errClosing = errors.New("the stub server is closing")

// Serve starts a server. Its owner calls Close.
func Serve(routes []Route, opts ServeOptions) (*Server, error) {
	parsed, err := parseRoutes(routes)
	if err != nil {
		return nil, err
	}
	for _, r := range parsed {
		if err := r.Answer.Check(); err != nil {
			return nil, fault.New(fault.Usage, "route %q: %v", r.Pattern, err)
		}
	}
	s := &Server{routes: parsed, limit: opts.MaxBody, conceal: opts.Conceal, clock: clock.Or(opts.Clock), answered: opts.Served, served: make(chan struct{})}
	s.records.clock = s.clock
	if s.limit == 0 {
		s.limit = DefaultMaxBody
	}
	l, err := s.listen(opts)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(context.WithValue(context.Background(), serverKey{}, s))
	s.cancel = cancel
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.serve),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ErrorLog:          log.New(io.Discard, "", 0), // a failed handshake is the client's to tell
		ReadHeaderTimeout: time.Minute,
	}
	if opts.TLS {
		if err := s.secure(opts.TempDir); err != nil {
			l.Close()
			return nil, err
		}
	}
	go func() {
		defer close(s.served)
		if opts.TLS {
			s.http.ServeTLS(l, "", "")
		} else {
			s.http.Serve(l)
		}
	}()
	return s, nil
}

// serverKey finds the server in a handler's context.
type serverKey struct{}

func (s *Server) listen(opts ServeOptions) (net.Listener, error) {
	if opts.Socket != "" {
		if err := checkPath(opts.Socket); err != nil {
			return nil, fault.New(fault.Usage, "socket %s: %w", opts.Socket, err)
		}
		l, err := net.Listen("unix", opts.Socket)
		if err != nil {
			return nil, fileFault("socket", opts.Socket, errors.New(plainReason(err)))
		}
		s.URL = "unix://" + opts.Socket + ":"
		return l, nil
	}
	if opts.Port < 0 || opts.Port > 65535 {
		return nil, fault.New(fault.Usage, "port %d: want 0 (any) to 65535", opts.Port)
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(opts.Port)))
	if err != nil {
		if errors.Is(err, syscall.EADDRINUSE) {
			return nil, fault.New(fault.Env, "port %d: another program listens there: want 0 for a free one", opts.Port)
		}
		return nil, fault.New(fault.Env, "port %d: %s", opts.Port, plainReason(err))
	}
	s.URL = "http://" + l.Addr().String()
	if opts.TLS {
		s.URL = "https://" + l.Addr().String()
	}
	return l, nil
}

// serve answers one request and records it.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if !s.begin() {
		panic(http.ErrAbortHandler)
	}
	defer s.end()
	ctx := r.Context()
	best, vars, methods := s.find(r.Method, r.URL.EscapedPath())
	got, err := s.receive(w, r, best, vars)
	var answer Answer
	switch {
	case err != nil:
		answer = Answer{Status: http.StatusRequestEntityTooLarge, Text: err.Error() + "\n"}
	case best == nil:
		answer = s.noRoute(&got, methods)
	default:
		answer, err = best.answer(ctx, &got)
		switch {
		case err != nil && ctx.Err() != nil:
			answer = Answer{Fault: FaultNever} // nobody is there to read it
		case err != nil:
			answer = Answer{Status: http.StatusInternalServerError, Text: s.conceal.oneLine(err.Error(), 2000) + "\n"}
		}
	}
	// What the client can know is on record before the client can.
	s.records.update(got.Index, func(rec *Received) { rec.Err = handlerErr(ctx, err) })
	w = &noted{w, func(status int) { s.records.update(got.Index, func(rec *Received) { rec.Status = status }) }}
	status, sendErr := answer.send(ctx, s.clock, w, r)
	if err == nil && !errors.Is(sendErr, http.ErrAbortHandler) {
		err = sendErr
	}
	s.records.update(got.Index, func(rec *Received) { rec.Status, rec.Err = status, handlerErr(ctx, err) })
	if s.answered != nil {
		got.Status, got.Err = status, handlerErr(ctx, err)
		s.answered(&got)
	}
	if sendErr != nil && answer.Socket == nil {
		panic(http.ErrAbortHandler) // net/http ends the connection, so that the client does not take this for the whole
	}
}

// handlerErr is what is recorded of an error: that the client or the server has gone is no fault of the handler.
func handlerErr(ctx context.Context, err error) error {
	if IsGone(err) || ctx.Err() != nil && stoppedBy(ctx, err) {
		return nil
	}
	return err
}

// noted reports the status of an answer before it is sent.
type noted struct {
	http.ResponseWriter
	tell func(status int)
}

// WriteHeader is part of http.ResponseWriter.
func (w *noted) WriteHeader(status int) {
	w.tell(status)
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController find the rest.
func (w *noted) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// stoppedBy reports whether an error is only that of a context that has ended.
func stoppedBy(ctx context.Context, err error) bool {
	return errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx)) || fault.KindOf(err) == fault.Interrupt
}

// receive reads a request and records it. An error is one about its body.
func (s *Server) receive(w http.ResponseWriter, r *http.Request, best *route, vars map[string]string) (Received, error) {
	got := Received{Method: r.Method, Path: r.URL.Path, Query: splitQuery(r.URL.RawQuery), RawURL: r.RequestURI,
		Header: r.Header, Time: s.clock.Now(), Vars: vars, conceal: s.conceal}
	if best != nil {
		got.Route = best.Pattern
	}
	var err error
	if got.Body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, s.limit)); err != nil {
		err = fmt.Errorf("the request's body could not be read: %s", plainReason(err))
	}
	got.Body = bytes.Clone(got.Body) // without the room that was left for more
	s.records.add(len(got.Body)+len(got.RawURL)+1024, func(index int) Received { got.Index = index; return got })
	return got, err
}

// answer asks a route. A panic in a handler is an error like any other.
func (p *route) answer(ctx context.Context, got *Received) (a Answer, err error) {
	if p.Handle == nil {
		return p.Answer, nil
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the handler of %q panicked: %v", p.Pattern, r)
		}
	}()
	if a, err = p.Handle(ctx, got); err != nil {
		return a, err
	}
	return a, a.Check()
}

// noRoute answers with the routes that there are.
func (s *Server) noRoute(got *Received, methods []string) Answer {
	if methods != nil {
		return Answer{Status: http.StatusMethodNotAllowed, Headers: []Pair{{"Allow", strings.Join(methods, ", ")}},
			Text: fmt.Sprintf("%s %s: no route for this method\n%s", got.Method, got.Path, s.known())}
	}
	return Answer{Status: http.StatusNotFound, Text: fmt.Sprintf("%s %s: no such route\n%s", got.Method, got.Path, s.known())}
}

func (s *Server) known() string {
	if len(s.routes) == 0 {
		return "there are no routes\n"
	}
	var names []string
	for _, r := range s.routes {
		names = append(names, "  "+r.Pattern)
	}
	sort.Strings(names)
	return "known routes:\n" + strings.Join(names, "\n") + "\n"
}

// splitQuery keeps the order of a query, which url.Values does not.
func splitQuery(raw string) []Pair {
	var pairs []Pair
	for part := range strings.SplitSeq(raw, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		pairs = append(pairs, Pair{unescapedQuery(name), unescapedQuery(value)})
	}
	return pairs
}

func unescapedQuery(s string) string {
	if u, err := url.QueryUnescape(s); err == nil {
		return u
	}
	return s
}

func (s *Server) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return false
	}
	s.active++
	return true
}

func (s *Server) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active--; s.active == 0 && s.idle != nil {
		close(s.idle)
		s.idle = nil
	}
}

// Requests returns the requests that are kept, and the number of older ones that are not.
func (s *Server) Requests() (requests []Received, dropped int) { return s.records.all() }

// Next waits for the next request that accept takes, or the next of all if it is nil; wanted names it in an error. A
// timeout of 0 tries once, Forever waits without end.
func (s *Server) Next(ctx context.Context, timeout time.Duration, wanted string, accept func(Received) bool) (Received, error) {
	return s.records.await(ctx, timeout, "stub server "+s.URL, "request", wanted, accept)
}

// Errors returns the errors of handlers among the requests that are kept.
func (s *Server) Errors() []error {
	requests, _ := s.records.all()
	var errs []error
	for _, r := range requests {
		if r.Err != nil {
			errs = append(errs, fmt.Errorf("%s %s: %w", r.Method, r.Path, r.Err))
		}
	}
	return errs
}

// Close ends all connections and waits for every handler, at most as long as the context lasts. Closing again waits
// again. A handler cannot close its own server, for it would wait for itself.
func (s *Server) Close(ctx context.Context) error {
	if ctx.Value(serverKey{}) == s {
		return fault.New(fault.Usage, "stub server %s: a handler cannot close its own server", s.URL)
	}
	s.mu.Lock()
	s.closing = true
	var idle chan struct{}
	if s.active > 0 {
		if s.idle == nil {
			s.idle = make(chan struct{})
		}
		idle = s.idle
	}
	s.mu.Unlock()
	s.records.finish(fault.New(fault.EOF, "stub server %s: it is closed", s.URL))
	s.cancel(errClosing)
	s.http.Close()
	<-s.served
	if s.CAFile != "" {
		os.Remove(s.CAFile)
	}
	if idle != nil {
		select {
		case <-idle:
		case <-ctx.Done():
			return fault.New(fault.Timeout, "stub server %s: a handler did not end: %w", s.URL, context.Cause(ctx))
		}
	}
	return nil
}
