package httpc

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"omniexpect/internal/fault"
)

// onceEach answers the first request of each connection, and ends the connection when it has read a second one.
func onceEach(t *testing.T) (url string, connections *atomic.Int64) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	connections = new(atomic.Int64)
	ended := make(chan struct{})
	serve := func(conn net.Conn) {
		defer conn.Close()
		in := bufio.NewReader(conn)
		for n := range 2 {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			io.Copy(io.Discard, r.Body)
			if n == 0 {
				key := r.Header.Get("Idempotency-Key")
				io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: "+string(rune('0'+len(key)))+"\r\n\r\n"+key)
			}
		}
	}
	go func() {
		defer close(ended)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			serve(conn) // one after the other: a new connection comes when the one before it has ended
		}
	}()
	t.Cleanup(func() { l.Close(); <-ended })
	return "http://" + l.Addr().String(), connections
}

func TestKeptConnection(t *testing.T) {
	ctx := context.Background()
	for _, tt := range []struct {
		name, method string
		headers      []Pair
		fails        bool
	}{
		{"POST", "POST", nil, true},
		{"PATCH", "PATCH", nil, true},
		{"GET", "GET", nil, false},
		{"PUT", "PUT", nil, false},
		{"DELETE", "DELETE", nil, false},
		{"POST with a key", "POST", []Pair{{"Idempotency-Key", "abc"}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url, connections := onceEach(t)
			c := newClient(t, Options{Timeout: patience})
			defer c.Close()
			do(t, c, Request{URL: url})
			r, err := c.Do(ctx, Request{Method: tt.method, URL: url, Headers: tt.headers, Body: []byte("data")})
			if !tt.fails {
				if err != nil {
					t.Fatal(err)
				}
				if want := strings.Repeat("abc", len(tt.headers)); r.Text() != want {
					t.Errorf("the server saw the key %q, want %q", r.Text(), want)
				}
				if n := connections.Load(); n != 2 {
					t.Errorf("%d connections, want 2", n)
				}
				return
			}
			wantFault(t, err, fault.Env, "without an answer (the connection was a kept one, from an earlier call)")
			if f := err.(*fault.Error); !isTransient(err) || len(f.Hints) != 1 || !strings.Contains(f.Hints[0], "fresh=True") {
				t.Errorf("%v, hints %q", err, f.Hints)
			}
		})
	}
}

func TestFreshConnection(t *testing.T) {
	url, connections := onceEach(t)
	c := newClient(t, Options{Timeout: patience})
	for range 5 {
		do(t, c, Request{Method: "POST", URL: url, Body: []byte("data"), Fresh: true})
	}
	if n := connections.Load(); n != 5 {
		t.Errorf("%d connections, want 5", n)
	}
}

// TestFreshFailureIsNoKeptOne: where no earlier call used the connection, nothing is said of one.
func TestFreshFailureIsNoKeptOne(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		if conn, err := l.Accept(); err == nil {
			http.ReadRequest(bufio.NewReader(conn))
			conn.Close()
		}
	}()
	_, err = newClient(t, Options{Timeout: patience}).Do(context.Background(), Request{Method: "POST", URL: "http://" + l.Addr().String()})
	wantFault(t, err, fault.Env, "without an answer")
	if strings.Contains(err.Error(), "kept") {
		t.Error(err)
	}
}

// TestBombIsNotSaved: a small body that unpacks to a large file needs a word of the script.
func TestBombIsNotSaved(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	block := make([]byte, 1<<20)
	for range 3 {
		z.Write(block)
	}
	z.Close()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(bomb.Bytes())
	})
	file := filepath.Join(t.TempDir(), "f")
	c := newClient(t, Options{Timeout: patience, MaxBody: 2 << 20})
	_, err := c.Do(context.Background(), Request{URL: s.URL, SaveTo: file})
	wantFault(t, err, fault.HTTP, "the body unpacks to more than 100 times its size: 2 MiB of ")
	if r := do(t, c, Request{URL: s.URL, SaveTo: file, MaxBody: 3 << 20}); r.Saved != 3<<20 {
		t.Errorf("saved %d bytes with a limit that allows it", r.Saved)
	}
}
