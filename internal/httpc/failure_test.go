package httpc

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"omniexpect/internal/fault"
)

// rawServer answers every connection with bytes of its own and then closes it.
func rawServer(t *testing.T, answer string, reset bool) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conn.Read(make([]byte, 4096))
			io.WriteString(conn, answer)
			if reset {
				conn.(*net.TCPConn).SetLinger(0)
			}
			conn.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return "http://" + l.Addr().String()
}

// closedPort returns the address of a port where nothing listens.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func TestNoAnswer(t *testing.T) {
	closed := closedPort(t)
	secure := httptest.NewUnstartedServer(http.HandlerFunc(echo))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	plain := serve(t, echo)
	tests := []struct {
		name      string
		url       string
		kind      fault.Kind
		transient bool
		parts     []string
	}{
		{"refused", "http://u:hunter2@" + closed + "/x", fault.Env, true, []string{"GET http://" + closed + "/x: connection refused"}},
		{"unknown host", "http://no-such-host.invalid/", fault.Env, false, []string{`unknown host "no-such-host.invalid"`}},
		{"no socket", "unix://" + socketPath(t) + ":/v1", fault.Env, true, []string{"/s:/v1: no such socket"}},
		{"long socket", "unix:///" + strings.Repeat("s", 199) + ":/v1", fault.Usage, false, []string{"sss:/v1: the path has 200 bytes, and a socket's at most 10"}},
		{"certificate", secure.URL, fault.Env, false, []string{"no TLS connection: certificate signed by unknown authority"}},
		{"plain server", strings.Replace(plain.URL, "http", "https", 1), fault.Env, false, []string{"speaks plain HTTP"}},
		{"closed at once", rawServer(t, "", false), fault.Env, true, []string{"closed the connection without an answer"}},
		{"reset", rawServer(t, "", true), fault.Env, true, []string{"connection reset"}},
		{"no HTTP", rawServer(t, "SSH-2.0-x\r\n", false), fault.HTTP, false, []string{"no HTTP answer"}},
		{"half", rawServer(t, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", false), fault.Env, true, []string{"broke off after 3 bytes of 10 bytes"}},
		{"half chunked", rawServer(t, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc", false), fault.Env, true, []string{"broke off after 3 bytes"}},
		{"bad chunk", rawServer(t, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc", false), fault.HTTP, false, []string{"not valid HTTP"}},
		{"half headers", rawServer(t, "HTTP/1.1 200 OK\r\n", false), fault.Env, true, []string{"broke off"}},
		{"bad gzip", rawServer(t, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc", false), fault.HTTP, false, []string{"not in the gzip encoding"}},
	}
	c := newClient(t, Options{Timeout: patience})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := c.Do(context.Background(), Request{URL: tt.url})
			if err == nil {
				t.Fatal("no error")
			}
			wantFault(t, err, tt.kind, tt.parts...)
			if f, _ := errors.AsType[*fault.Error](err); (len(f.Hints) > 0) != (tt.name == "certificate") {
				t.Errorf("hints %q", f.Hints)
			}
			if isTransient(err) != tt.transient {
				t.Errorf("isTransient is %t for %v", !tt.transient, err)
			}
		})
	}
}

// stuck serves what never ends: no answer, or a body that trickles on, depending on the path.
func stuck(t *testing.T) *httptest.Server {
	release := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/endless" {
			tick := time.NewTicker(5 * time.Millisecond)
			defer tick.Stop()
			for {
				io.WriteString(w, "more\n")
				w.(http.Flusher).Flush()
				select {
				case <-tick.C:
				case <-r.Context().Done():
					return
				case <-release:
					return
				}
			}
		}
		select {
		case <-r.Context().Done():
		case <-release:
		}
	})
	t.Cleanup(func() { close(release) })
	return s
}

func TestTimeouts(t *testing.T) {
	s := stuck(t)
	full := fullListener(t)
	c := newClient(t, Options{})
	whole := func(req *Request) *time.Duration { return &req.Timeout }
	tests := []struct {
		name    string
		req     Request
		timeout func(*Request) *time.Duration
		missing string
	}{
		{"no answer", Request{URL: s.URL + "/never"}, whole, "/never: no answer within"},
		{"endless body", Request{URL: s.URL + "/endless"}, whole, "the answer did not end ("},
		{"endless download", Request{URL: s.URL + "/endless", SaveTo: filepath.Join(t.TempDir(), "f")}, whole, "the answer did not end ("},
		{"connect", Request{URL: full}, func(req *Request) *time.Duration { return &req.ConnectTimeout }, "no connection within"},
		{"whole while connecting", Request{URL: full}, whole, "no connection within"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err, timeout := overtime(t, tt.missing, func(timeout time.Duration) error {
				*tt.timeout(&tt.req) = timeout
				_, err := c.Do(context.Background(), tt.req)
				return err
			})
			wantFault(t, err, fault.Timeout, "within "+fault.Human(timeout))
			if !isTransient(err) {
				t.Error("a timeout is not transient")
			}
		})
	}
	t.Run("deadline of the context", func(t *testing.T) {
		overtime(t, "no answer within", func(timeout time.Duration) error {
			ctx, cancel := context.WithTimeout(context.Background(), timeout)
			defer cancel()
			_, err := c.Do(ctx, Request{URL: s.URL + "/never"})
			return err
		})
	})
}

// fullListener is a TLS address that accepts connections and never shakes hands.
func fullListener(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return "https://" + l.Addr().String()
}

func TestCancelEndsACallAtOnce(t *testing.T) {
	s := stuck(t)
	c := newClient(t, Options{Timeout: Forever})
	own := fault.New(fault.Fail, "a sibling failed")
	for _, tt := range []struct {
		path  string
		cause error
		kind  fault.Kind
	}{{"/never", nil, fault.Interrupt}, {"/endless", nil, fault.Interrupt}, {"/never", own, fault.Fail}} {
		ctx, cancel := context.WithCancelCause(context.Background())
		timer := time.AfterFunc(20*time.Millisecond, func() { cancel(tt.cause) })
		_, err := c.Do(ctx, Request{URL: s.URL + tt.path})
		timer.Stop()
		wantFault(t, err, tt.kind)
		if isTransient(err) {
			t.Errorf("%v is transient", err)
		}
	}
}

func TestBodyLimit(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/announced" {
			w.Header().Set("Content-Length", "2048")
		}
		for range 2 {
			w.Write(make([]byte, 1024))
			w.(http.Flusher).Flush()
		}
	})
	c := newClient(t, Options{MaxBody: 2047})
	for _, path := range []string{"/announced", "/"} {
		_, err := c.Do(context.Background(), Request{URL: s.URL + path})
		if err == nil {
			t.Fatalf("%s: no error", path)
		}
		wantFault(t, err, fault.HTTP, "larger than the limit of 2 KiB")
	}
	if resp := do(t, c, Request{URL: s.URL, MaxBody: 2048}); len(resp.Body) != 2048 {
		t.Errorf("a body of exactly the limit has %d bytes", len(resp.Body))
	}
}

func TestPredicates(t *testing.T) {
	for code, want := range map[int]bool{500: false, 501: false, 502: true, 503: true, 504: true, 505: false, 200: false} {
		if isRetryStatus(code) != want {
			t.Errorf("isRetryStatus(%d) is %t", code, !want)
		}
	}
	resp := &Response{Method: "GET", URL: "http://h/", Status: 503, Body: []byte("busy")}
	err := resp.RaiseForStatus()
	wantFault(t, err, fault.HTTP, "GET http://h/: status 503 Service Unavailable")
	if code, ok := statusOf(err); !ok || code != 503 {
		t.Errorf("statusOf says %d %t", code, ok)
	}
	if f, _ := errors.AsType[*fault.Error](err); f.Detail != "busy" {
		t.Errorf("detail is %q", f.Detail)
	}
	if !IsNotYet(err) || IsNotYet((&Response{Status: 500}).RaiseForStatus()) || IsNotYet(nil) {
		t.Error("IsNotYet is not about 502 to 504")
	}
	if isTransient(err) || isTransient(nil) || isTransient(fault.New(fault.Timeout, "a terminal's")) {
		t.Error("what is no failed connection is transient")
	}
}
