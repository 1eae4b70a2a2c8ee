package httpc

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"omniexpect/internal/fault"
)

func openSocket(t *testing.T, c *Client, url string, protocols ...string) *Socket {
	t.Helper()
	s, err := c.OpenSocket(context.Background(), Request{URL: url, Headers: []Pair{{"X-Me", "1"}}}, protocols...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(context.Background(), 0, "") })
	return s
}

func TestSocket(t *testing.T) {
	ctx := context.Background()
	routes := []Route{
		{Pattern: "/echo", Answer: Answer{Socket: &SocketScript{Greet: []string{"hi"}, Echo: true}}},
		{Pattern: "/bye", Answer: Answer{Socket: &SocketScript{CloseCode: 4001, CloseReason: "no more"}}},
		{Pattern: "/http", Answer: Answer{Status: 403, Text: "not for you"}},
	}
	path := socketPath(t)
	for _, tt := range []struct {
		name string
		opts ServeOptions
	}{{"plain", ServeOptions{}}, {"TLS", ServeOptions{TLS: true, TempDir: t.TempDir()}}, {"unix", ServeOptions{Socket: path}}} {
		t.Run(tt.name, func(t *testing.T) {
			server := stub(t, tt.opts, routes...)
			base := strings.Replace(server.URL, "http", "ws", 1)
			c := newClient(t, Options{CAFile: server.CAFile, Timeout: patience, MaxBody: 1000})
			s := openSocket(t, c, base+"/echo", "v2", "v1")
			if s.Subprotocol != "v2" || s.Response.Status != 101 {
				t.Errorf("subprotocol %q, status %d", s.Subprotocol, s.Response.Status)
			}
			if r, err := server.Next(ctx, patience, "", nil); err != nil || r.Header.Get("X-Me") != "1" {
				t.Errorf("handshake %v %v", r.Header, err)
			}
			if err := s.Send(ctx, 0, "text"); err != nil {
				t.Fatal(err)
			}
			if err := s.SendBytes(ctx, 0, []byte{0, 255}); err != nil {
				t.Fatal(err)
			}
			m, err := s.Next(ctx, patience, "", func(m Message) bool { return !m.Text })
			if err != nil || !bytes.Equal(m.Data, []byte{0, 255}) || m.Index != 2 {
				t.Errorf("%+v %v", m, err)
			}
			all, _ := s.Messages()
			if len(all) != 3 || string(all[0].Data) != "hi" || string(all[1].Data) != "text" || !all[1].Text {
				t.Errorf("messages %+v", all)
			}
			if _, err := s.Ping(ctx, 0); err != nil {
				t.Error(err)
			}
			_, err = s.Next(ctx, 20*time.Millisecond, "", nil)
			wantFault(t, err, fault.Timeout, "websocket ", "/echo: no message within 20ms")
			if err := s.Close(ctx, 4000, "done"); err != nil {
				t.Error(err)
			}
			select {
			case <-s.Done():
			default:
				t.Error("Close did not wait for the reader")
			}
			_, err = s.Next(ctx, patience, "", nil)
			wantFault(t, err, fault.EOF, "is closed")
			wantFault(t, s.Send(ctx, 0, "x"), fault.EOF, "is closed")
		})
	}
}

func TestSocketEnds(t *testing.T) {
	ctx := context.Background()
	server := stub(t, ServeOptions{},
		Route{Pattern: "/bye", Answer: Answer{Socket: &SocketScript{CloseCode: 4001, CloseReason: "no more"}}},
		Route{Pattern: "/large", Answer: Answer{Socket: &SocketScript{Greet: []string{strings.Repeat("x", 2000)}, Echo: true}}},
		Route{Pattern: "/http", Answer: Answer{Status: 403, Text: "not for you"}},
		Route{Pattern: "/ok", Answer: Answer{Text: "hello"}},
		Route{Pattern: "/never", Answer: Answer{Fault: FaultNever}},
	)
	c := newClient(t, Options{Base: server.URL, Timeout: patience, MaxBody: 1000})
	s := openSocket(t, c, "/bye")
	_, err := s.Next(ctx, patience, "", nil)
	wantFault(t, err, fault.EOF, "the server closed the connection: 4001 (of the application): no more")
	if st := s.State(); st.Code != 4001 || st.Reason != "no more" {
		t.Errorf("%+v", st)
	}
	_, err = openSocket(t, c, "/large").Next(ctx, patience, "", nil)
	wantFault(t, err, fault.HTTP, "larger than the limit")
	wantFault(t, s.Close(ctx, 1, ""), fault.Usage, "close code 1")
	wantFault(t, s.Close(ctx, 1005, ""), fault.Usage, "close code 1005: want 1000 to 1003, 1007 to 1014, or 3000 to 4999")
	wantFault(t, s.Close(ctx, 1000, "\xff"), fault.Usage, "the close reason is not UTF-8")
	wantFault(t, s.Send(ctx, 0, "a\xc3("), fault.Usage, "the text is not UTF-8: want bytes")

	open := func(url string, timeout time.Duration) error {
		_, err := c.OpenSocket(ctx, Request{URL: url, Timeout: timeout})
		return err
	}
	err = open("/http", 0)
	wantFault(t, err, fault.HTTP, "expected status 101, got 403 Forbidden")
	if f, _ := errors.AsType[*fault.Error](err); f.Detail != "not for you" {
		t.Errorf("detail %q", f.Detail)
	}
	wantFault(t, open("/ok", 0), fault.HTTP, "expected status 101, got 200")
	err, timeout := overtime(t, "no answer within", func(timeout time.Duration) error { return open("/never", timeout) })
	wantFault(t, err, fault.Timeout, "websocket ws://", "within "+fault.Human(timeout))
	wantFault(t, open("ws://"+closedPort(t), 0), fault.Env, "websocket ws://", "connection refused")
	wantFault(t, open("ws://u:hunter2@h:99999/", 0), fault.Usage, "ws://***@h:99999/")
}

func TestServerClosesItsSockets(t *testing.T) {
	server := stub(t, ServeOptions{}, Route{Pattern: "/", Answer: Answer{Socket: &SocketScript{Echo: true}}})
	s := openSocket(t, newClient(t, Options{Timeout: patience}), server.URL)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := server.Close(ctx); err != nil {
		t.Error(err)
	}
	_, err := s.Next(context.Background(), patience, "", nil)
	wantFault(t, err, fault.Env, "broke off")
	if !isTransient(err) {
		t.Errorf("%v is not transient", err)
	}
}

func TestSocketIsCancelled(t *testing.T) {
	server := stub(t, ServeOptions{}, Route{Pattern: "/", Answer: Answer{Socket: &SocketScript{Echo: true}}})
	c := newClient(t, Options{Timeout: patience})
	life, end := context.WithCancel(context.Background())
	s, err := c.OpenSocket(life, Request{URL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(20*time.Millisecond, end)
	defer timer.Stop()
	_, err = s.Next(context.Background(), Forever, "", nil)
	wantFault(t, err, fault.Interrupt)
	s.Close(context.Background(), 0, "")
}
