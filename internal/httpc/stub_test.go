package httpc

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"omniexpect/internal/clock"
	"omniexpect/internal/fault"
)

func stub(t *testing.T, opts ServeOptions, routes ...Route) *Server {
	t.Helper()
	s, err := Serve(routes, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestStubAnswers(t *testing.T) {
	vars := func(_ context.Context, r *Received) (Answer, error) {
		return Answer{Text: fmt.Sprint(r.Route, " ", r.Vars)}, nil
	}
	s := stub(t, ServeOptions{},
		Route{Pattern: "/text", Answer: Answer{Text: "hällo"}},
		Route{Pattern: "/html", Answer: Answer{Text: "<!doctype html><p>"}},
		Route{Pattern: "/json", Answer: Answer{Status: 201, JSON: []byte(`{"a":1}`), Headers: []Pair{{"X-A", "1"}, {"X-A", "2"}}}},
		Route{Pattern: "/none"},
		Route{Pattern: "POST /text", Answer: Answer{Text: "posted"}},
		Route{Pattern: "/items/{id}", Handle: vars},
		Route{Pattern: "/items/new", Handle: vars},
		Route{Pattern: "/items/{id}.json", Handle: vars},
		Route{Pattern: "/files/{rest...}", Handle: vars},
		Route{Pattern: "DELETE /only", Answer: Answer{Text: "gone"}},
		Route{Pattern: "GET /got", Answer: Answer{Text: "x"}},
		Route{Pattern: "/chunks", Answer: Answer{Chunks: []Chunk{{Data: []byte("a")}, {Data: []byte("b"), Delay: time.Millisecond}}}},
		Route{Pattern: "/bad", Handle: func(context.Context, *Received) (Answer, error) { return Answer{}, errors.New("it broke") }},
		Route{Pattern: "/stream-panic", Handle: func(context.Context, *Received) (Answer, error) {
			return Answer{Stream: func(_ context.Context, send func([]byte) error) error { send([]byte("x")); panic("ah") }}, nil
		}},
		Route{Pattern: "/panic", Handle: func(context.Context, *Received) (Answer, error) { panic("oh") }},
		Route{Pattern: "/twice", Handle: func(context.Context, *Received) (Answer, error) {
			return Answer{Text: "a", JSON: []byte("1")}, nil
		}},
	)
	c := newClient(t, Options{Base: s.URL, Timeout: patience})
	for _, tt := range []struct {
		method, url string
		status      int
		kind, body  string
	}{
		{"GET", "/text", 200, "text/plain; charset=utf-8", "hällo"},
		{"HEAD", "/text", 200, "text/plain; charset=utf-8", ""},
		{"HEAD", "/got", 200, "text/plain; charset=utf-8", ""},
		{"POST", "/text", 200, "text/plain; charset=utf-8", "posted"},
		{"GET", "/html", 200, "text/html; charset=utf-8", "<!doctype html><p>"},
		{"GET", "/json", 201, "application/json", `{"a":1}`},
		{"GET", "/none", 204, "", ""},
		{"GET", "/items/7%2F8", 200, "", "/items/{id} map[id:7/8]"},
		{"GET", "/items/new", 200, "", "/items/new map[]"},
		{"GET", "/items/x.json", 200, "", "/items/{id}.json map[id:x]"},
		{"GET", "/files/a/b%20c", 200, "", "/files/{rest...} map[rest:a/b c]"},
		{"GET", "/chunks", 200, "application/octet-stream", "ab"},
		{"GET", "/bad", 500, "", "it broke\n"},
		{"GET", "/panic", 500, "", "the handler of \"/panic\" panicked: oh\n"},
		{"GET", "/twice", 500, "", "more than one body: want one of text, bytes, json, chunks, events\n"},
	} {
		resp := do(t, c, Request{Method: tt.method, URL: tt.url})
		if resp.Status != tt.status || resp.Text() != tt.body || tt.kind != "" && resp.Header.Get("Content-Type") != tt.kind {
			t.Errorf("%s %s: %d %q %q", tt.method, tt.url, resp.Status, resp.Header.Get("Content-Type"), resp.Text())
		}
	}
	resp := do(t, c, Request{URL: "/nowhere"})
	if resp.Status != 404 || !strings.Contains(resp.Text(), "  POST /text\n") || !strings.Contains(resp.Text(), "  /files/{rest...}\n") {
		t.Errorf("404: %d %s", resp.Status, resp.Text())
	}
	resp = do(t, c, Request{URL: "/only"})
	if resp.Status != 405 || resp.Header.Get("Allow") != "DELETE" {
		t.Errorf("405: %d %v", resp.Status, resp.Header)
	}
	_, err := c.Do(t.Context(), Request{URL: "/stream-panic"})
	wantFault(t, err, fault.Env, "the answer broke off after 1 byte")
	if err := s.Errors()[3]; !strings.Contains(err.Error(), "GET /stream-panic: the stream panicked: ah") {
		t.Errorf("a panic in a stream: %v", err)
	}
	if errs := s.Errors(); len(errs) != 4 || !strings.Contains(errs[0].Error(), "GET /bad: it broke") {
		t.Errorf("errors of handlers: %v", errs)
	}
}

func TestStubRecords(t *testing.T) {
	s := stub(t, ServeOptions{MaxBody: 10}, Route{Pattern: "POST /a/{b}", Answer: Answer{Status: 202}})
	c := newClient(t, Options{Base: s.URL, Timeout: patience})
	do(t, c, Request{Method: "POST", URL: "/a/c%20d?z=1&y=%26", JSON: []byte(`{"k":[1]}`), Headers: []Pair{{"X-Me", "1"}}})
	r, err := s.Next(context.Background(), patience, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Method != "POST" || r.Path != "/a/c d" || !slices.Equal(r.Query, []Pair{{"z", "1"}, {"y", "&"}}) || r.Vars["b"] != "c d" ||
		r.Header.Get("x-me") != "1" || r.Text() != `{"k":[1]}` || r.Route != "POST /a/{b}" || r.Time.IsZero() {
		t.Errorf("%+v", r)
	}
	if v, err := r.JSON(); err != nil || jsonText(v) != `{"k":[1]}` {
		t.Errorf("%v %v", v, err)
	}
	if resp := do(t, c, Request{Method: "POST", URL: "/a/b", Body: []byte("more than ten")}); resp.Status != 413 {
		t.Errorf("too large: status %d", resp.Status)
	}
	_, err = s.Next(context.Background(), 0, "with X", func(r Received) bool { return r.Header.Get("X") != "" })
	wantFault(t, err, fault.Timeout, "no request with X yet (1 other request)")
	if all, dropped := s.Requests(); len(all) != 2 || dropped != 0 {
		t.Errorf("%d requests, %d dropped", len(all), dropped)
	}
}

func TestStubFaults(t *testing.T) {
	never := make(chan struct{}, 1)
	var routes []Route
	for _, f := range []Fault{FaultReset, FaultHalf, FaultLength} {
		routes = append(routes, Route{Pattern: "/" + string(f), Answer: Answer{Text: "hello world!", Fault: f}})
	}
	routes = append(routes, Route{Pattern: "/never", Answer: Answer{Fault: FaultNever}},
		Route{Pattern: "/late", Handle: func(context.Context, *Received) (Answer, error) {
			never <- struct{}{}
			return Answer{Text: "x", Delay: time.Hour}, nil
		}},
		Route{Pattern: "/events", Answer: Answer{Events: []Push{{Data: "1"}, {Data: "2"}}, Fault: FaultHalf}})
	for _, secure := range []bool{false, true} {
		s := stub(t, ServeOptions{TLS: secure, TempDir: t.TempDir()}, routes...)
		c := newClient(t, Options{Base: s.URL, CAFile: s.CAFile, Timeout: patience})
		for path, want := range map[string]Reason{"/reset": Reset, "/half": Truncated, "/length": Truncated, "/events": Truncated} {
			_, err := c.Do(context.Background(), Request{URL: path})
			cause, _ := errors.AsType[*Cause](err)
			if cause == nil || cause.Reason != want {
				t.Errorf("%s (TLS %t): %v, want reason %s", path, secure, err, want)
			}
		}
		_, err := c.Do(context.Background(), Request{URL: "/reset"})
		wantFault(t, err, fault.Env, "connection reset")
		_, err = c.Do(context.Background(), Request{URL: "/half"})
		wantFault(t, err, fault.Env, "broke off after 6 bytes of 12 bytes")
		_, err = c.Do(context.Background(), Request{URL: "/never", Timeout: 30 * time.Millisecond})
		wantFault(t, err, fault.Timeout)
		ctx, cancel := context.WithCancel(context.Background())
		go func() { <-never; cancel() }()
		_, err = c.Do(ctx, Request{URL: "/late"})
		wantFault(t, err, fault.Interrupt)
		if errs := s.Errors(); errs != nil {
			t.Errorf("faults that were asked for are errors: %v", errs)
		}
	}
}

func TestStubThatCannotBe(t *testing.T) {
	for _, tt := range []struct {
		route Route
		part  string
	}{
		{Route{Pattern: "x"}, "begins with /"},
		{Route{Pattern: "P@ST /x"}, "not a method"},
		{Route{Pattern: "/x?a=1"}, "query"},
		{Route{Pattern: "/{a}{b}"}, "one {name}"},
		{Route{Pattern: "/{a}/{a}"}, "twice"},
		{Route{Pattern: "/{a"}, "one {name}"},
		{Route{Pattern: "/a}"}, "without a {"},
		{Route{Pattern: "/{a...}/b"}, "must be last"},
		{Route{Pattern: "/{}"}, "not a name"},
		{Route{Pattern: "/ok"}, "another route"},
		{Route{Pattern: "/x", Answer: Answer{Status: 99}}, "status 99"},
		{Route{Pattern: "/x", Answer: Answer{Fault: "odd"}}, `fault "odd"`},
		{Route{Pattern: "/x", Answer: Answer{Headers: []Pair{{"A", "b\nc"}}}}, "header"},
	} {
		_, err := Serve([]Route{{Pattern: "/ok"}, tt.route}, ServeOptions{})
		wantFault(t, err, fault.Usage, tt.part)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = Serve(nil, ServeOptions{Port: l.Addr().(*net.TCPAddr).Port})
	wantFault(t, err, fault.Env, "another program listens there")
}

func TestStubOnALongSocket(t *testing.T) {
	_, err := Serve(nil, ServeOptions{Socket: "/" + strings.Repeat("s", 199)})
	wantFault(t, err, fault.Usage, "sss: the path has 200 bytes")
}

func TestStubOnASocketAndTLSFile(t *testing.T) {
	path := socketPath(t)
	s := stub(t, ServeOptions{Socket: path}, Route{Pattern: "/x", Answer: Answer{Text: "y"}})
	if got := do(t, newClient(t, Options{}), Request{URL: s.URL + "/x"}).Text(); got != "y" {
		t.Errorf("%q", got)
	}
	secure := stub(t, ServeOptions{TLS: true, TempDir: t.TempDir()}, Route{Pattern: "/x", Answer: Answer{Text: "y"}})
	if got := do(t, newClient(t, Options{CAFile: secure.CAFile}), Request{URL: secure.URL + "/x"}).Text(); got != "y" {
		t.Errorf("%q", got)
	}
	if err := secure.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(secure.CAFile); !os.IsNotExist(err) {
		t.Errorf("the CA file is left behind: %v", err)
	}
}

func TestStubCloseWaitsForHandlers(t *testing.T) {
	var ended atomic.Bool
	entered := make(chan struct{})
	var s *Server
	var inside error
	s = stub(t, ServeOptions{}, Route{Pattern: "/", Handle: func(ctx context.Context, r *Received) (Answer, error) {
		inside = s.Close(ctx)
		close(entered)
		<-ctx.Done()
		ended.Store(true)
		return Answer{}, ctx.Err()
	}})
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := newClient(t, Options{}).Do(context.Background(), Request{URL: s.URL}); err == nil {
			t.Error("a closing server answered")
		}
	})
	<-entered
	if err := s.Close(context.Background()); err != nil {
		t.Error(err)
	}
	if !ended.Load() {
		t.Error("Close did not wait")
	}
	wantFault(t, inside, fault.Usage, "its own server")
	wg.Wait()
	_, err := s.Next(context.Background(), Forever, "like none", func(Received) bool { return false })
	wantFault(t, err, fault.EOF, "closed")
}

// Many calls are under way, in every state that a call can be in, when the run is cancelled.
func TestCancelEndsManyCalls(t *testing.T) {
	const calls = 50 // two descriptors each, twice while the first call's connection is idle: they fit into 256
	arrived := make(chan struct{}, 2*calls)
	hold := func(ctx context.Context, r *Received) (Answer, error) {
		arrived <- struct{}{}
		if r.Vars["n"][0]%2 == 0 {
			<-ctx.Done()
		}
		return Answer{Stream: func(ctx context.Context, send func([]byte) error) error {
			for {
				if err := send([]byte("more\n")); err != nil {
					return err
				}
				if err := pause(ctx, clock.System{}, time.Millisecond); err != nil {
					return err
				}
			}
		}}, nil
	}
	s := stub(t, ServeOptions{}, Route{Pattern: "/quick", Answer: Answer{Text: "ok"}}, Route{Pattern: "/hold/{n}", Handle: hold})
	c := newClient(t, Options{Base: s.URL, Timeout: Forever})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var wg sync.WaitGroup
	for i := range calls {
		wg.Go(func() {
			if _, err := c.Do(ctx, Request{URL: "/quick"}); err != nil && fault.KindOf(err) != fault.Interrupt {
				t.Error(err)
			}
			_, err := c.Do(ctx, Request{URL: fmt.Sprintf("/hold/%d", i)})
			if fault.KindOf(err) != fault.Interrupt {
				t.Errorf("a cancelled call: %v", err)
				arrived <- struct{}{} // nobody waits for it in vain
			}
		})
	}
	for range calls / 2 { // the others are anywhere
		<-arrived
	}
	cancel()
	wg.Wait()
	if errs := s.Errors(); errs != nil {
		t.Errorf("errors of handlers: %v", errs)
	}
}
