package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"go.starlark.net/starlark"

	"omniexpect/internal/assist"
	"omniexpect/internal/dsl"
)

// Config is what a server knows.
type Config struct {
	Vocabulary *dsl.Vocabulary
	Values     starlark.StringDict // what interp.Predeclare makes of the vocabulary
	Embedded   map[string]fs.FS    // the modules of the binary: "@lib" and the like
	Version    string
	Cache      string        // folder for copies of these modules, "" for none
	Log        io.Writer     // gets what is of no use to the other side
	Pulse      time.Duration // how often to look whether the editor runs; 0 is 3 s
}

// server is one conversation.
type server struct {
	Config
	out       io.Writer
	guide     *assist.Guide
	names     []string
	handlers  map[string]handler
	documents map[string]*document // by URI
	bytes     bool                 // positions count bytes
	client    initializeParams
	parent    chan int // gets the editor's process
	ready     bool     // initialize was answered
	down      bool     // shutdown was answered

	lock    sync.Mutex
	pending map[string]bool // requests that wait, by their id; true if they were cancelled
}

// handler answers a request, or acts on a notification.
type handler func(params json.RawMessage) (any, error)

// on makes a handler of a function of typed parameters.
func on[P any](f func(P) (any, error)) handler {
	return func(raw json.RawMessage) (any, error) {
		var p P
		if len(raw) > 0 {
			if err := json.Unmarshal(raw, &p); err != nil {
				return nil, &rpcError{invalidParams, "params: " + err.Error()}
			}
		}
		return f(p)
	}
}

func newServer(out io.Writer, c Config) *server {
	s := &server{Config: c, out: out, documents: map[string]*document{}, pending: map[string]bool{}, parent: make(chan int, 1),
		names: c.Values.Keys()}
	if s.Pulse == 0 {
		s.Pulse = pulse
	}
	s.guide = assist.New(c.Vocabulary, c.Values, s.library)
	s.handlers = map[string]handler{
		"initialize":  on(s.initialize),
		"initialized": func(json.RawMessage) (any, error) { return nil, nil },
		"shutdown": func(json.RawMessage) (any, error) {
			s.down = true
			return nil, nil
		},
		"textDocument/didOpen":            on(s.didOpen),
		"textDocument/didChange":          on(s.didChange),
		"textDocument/didSave":            on(s.didSave),
		"textDocument/didClose":           on(s.didClose),
		"workspace/didChangeWatchedFiles": func(json.RawMessage) (any, error) { return nil, s.recheck("") },
		"textDocument/hover":              on(s.hover),
		"textDocument/completion":         on(s.completion),
		"textDocument/signatureHelp":      on(s.signatureHelp),
		"textDocument/definition":         on(s.definition),
		"textDocument/documentSymbol":     on(s.documentSymbol),
		"textDocument/formatting":         on(s.formatting),
	}
	return s
}

// Serve talks to an editor until it says exit, closes the connection or is gone, and returns the exit status that the
// protocol asks for: 0 after a shutdown, 1 otherwise. in is closed at the end.
func Serve(ctx context.Context, in io.ReadCloser, out io.Writer, c Config) int {
	return newServer(out, c).talk(ctx, in)
}

// talk is the conversation from its beginning to its end.
func (s *server) talk(ctx context.Context, in io.ReadCloser) int {
	ctx, cancel := context.WithCancel(ctx)
	queue := make(chan incoming, 64)
	var workers sync.WaitGroup
	workers.Go(func() {
		defer close(queue)
		s.read(ctx, newFrames(in), queue)
	})
	workers.Go(func() {
		select {
		case <-ctx.Done():
		case pid := <-s.parent:
			if watch(ctx, pid, s.Pulse) {
				s.logf("the editor, process %d, is gone", pid)
				cancel()
			}
		}
	})
	code := s.serve(ctx, queue)
	cancel()
	in.Close()
	workers.Wait()
	return code
}

func (s *server) logf(format string, args ...any) {
	if s.Log != nil {
		fmt.Fprintf(s.Log, "omniexpect: lsp: "+format+"\n", args...)
	}
}

// incoming is a message, or what is wrong with one.
type incoming struct {
	message
	err *rpcError
}

// request reports whether an answer is wanted.
func (m *incoming) request() bool { return len(m.ID) > 0 && !bytes.Equal(m.ID, []byte("null")) }

// read passes on what comes, in order. Only that a request is cancelled is noted at once.
func (s *server) read(ctx context.Context, f *frames, queue chan<- incoming) {
	for {
		body, err := f.next()
		var bad *badFrame
		var m incoming
		switch {
		case errors.As(err, &bad):
			m.err = &rpcError{parseError, bad.msg}
		case err != nil:
			return
		default:
			m = parse(body)
		}
		if m.Method == "$/cancelRequest" {
			s.cancel(m.Params)
			continue
		}
		if m.err == nil && m.request() {
			s.lock.Lock()
			s.pending[string(m.ID)] = false
			s.lock.Unlock()
		}
		select {
		case queue <- m:
		case <-ctx.Done():
			return
		}
	}
}

func parse(body []byte) (m incoming) {
	var any map[string]json.RawMessage
	if err := json.Unmarshal(body, &any); err != nil {
		var syn *json.SyntaxError
		if errors.As(err, &syn) || len(bytes.TrimSpace(body)) == 0 {
			m.err = &rpcError{parseError, "the message is not JSON: " + err.Error()}
		} else {
			m.err = &rpcError{invalidRequest, "the message is not an object"}
		}
		return m
	}
	if id := any["id"]; len(id) > 0 && strings.IndexByte(`"-0123456789n`, id[0]) < 0 {
		m.err = &rpcError{invalidRequest, fmt.Sprintf("got the id %.40s, want a number or a text", id)}
		return m
	}
	if err := json.Unmarshal(body, &m.message); err != nil {
		m.err = &rpcError{invalidRequest, err.Error()}
	} else if m.Method == "" && any["result"] == nil && any["error"] == nil {
		m.err = &rpcError{invalidRequest, "the message has no method"}
	}
	return m
}

// cancel notes that a request is not wanted any more.
func (s *server) cancel(params json.RawMessage) {
	var p struct{ ID json.RawMessage }
	if json.Unmarshal(params, &p) != nil {
		return
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if _, waits := s.pending[string(p.ID)]; waits {
		s.pending[string(p.ID)] = true
	}
}

// taken takes a request out of those that wait, and reports whether it was cancelled.
func (s *server) taken(id json.RawMessage) bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	was := s.pending[string(id)]
	delete(s.pending, string(id))
	return was
}

// serve answers what comes. Documents are checked when nothing waits.
func (s *server) serve(ctx context.Context, queue <-chan incoming) int {
	failed := func() int {
		if s.down {
			return 0
		}
		return 1
	}
	for {
		var m incoming
		open := true
		select {
		case m, open = <-queue:
		default:
			if d := s.unchecked(); d != nil {
				if err := s.check(d); err != nil {
					return failed()
				}
				continue
			}
			select {
			case m, open = <-queue:
			case <-ctx.Done():
				return failed()
			}
		}
		if !open || ctx.Err() != nil || m.Method == "exit" {
			return failed()
		}
		if err := s.answer(m); err != nil {
			s.logf("writing: %v", err)
			return failed()
		}
	}
}

// answer handles one message; only a failure to write is an error.
func (s *server) answer(m incoming) error {
	null := json.RawMessage("null")
	if m.err != nil {
		return write(s.out, failure{"2.0", null, m.err})
	}
	if m.Method == "" {
		return nil // a response, though nothing was asked
	}
	if !m.request() {
		if !s.ready || s.down {
			return nil
		}
		if h := s.handlers[m.Method]; h != nil {
			if _, err := s.call(h, m.Params); err != nil {
				s.logf("%s: %v", m.Method, err)
			}
		}
		return nil
	}
	result, err := s.result(m)
	if err == nil {
		return write(s.out, response{"2.0", m.ID, result})
	}
	var e *rpcError
	if !errors.As(err, &e) {
		e = &rpcError{internalError, err.Error()}
	}
	return write(s.out, failure{"2.0", m.ID, e})
}

func (s *server) result(m incoming) (any, error) {
	h := s.handlers[m.Method]
	switch {
	case s.taken(m.ID):
		return nil, &rpcError{cancelled, "cancelled"}
	case s.down:
		return nil, &rpcError{invalidRequest, "the server was shut down: only exit can follow"}
	case !s.ready && m.Method != "initialize":
		return nil, &rpcError{notInitialized, "the first request has to be initialize"}
	case s.ready && m.Method == "initialize":
		return nil, &rpcError{invalidRequest, "initialize was sent already"}
	case h == nil:
		return nil, &rpcError{methodNotFound, fmt.Sprintf("there is no method %q", m.Method)}
	}
	return s.call(h, m.Params)
}

// call runs a handler; a panic of it is an error.
func (s *server) call(h handler, params json.RawMessage) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.logf("%v\n%s", p, debug.Stack())
			result, err = nil, &rpcError{internalError, fmt.Sprintf("a defect of omniexpect: %v", p)}
		}
	}()
	return h(params)
}

func (s *server) initialize(p initializeParams) (any, error) {
	s.client = p
	for _, e := range p.Capabilities.General.PositionEncodings {
		s.bytes = s.bytes || e == "utf-8"
	}
	// A process that is not there in the first place runs somewhere else, outside of a container perhaps.
	if p.ProcessID != nil && *p.ProcessID > 0 && alive(*p.ProcessID) {
		s.parent <- *p.ProcessID
	}
	s.ready = true
	return s.capabilities(), nil
}
