package httpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"omniexpect/internal/fault"
)

func TestParserByTheStandard(t *testing.T) {
	const stream = "\xef\xbb\xbf: hello\ndata: a\ndata:b\r\n\r\nevent: add\rid: 7\r\ndata\r\rid\ndata:  two\nretry: 250\nretry: x\nodd: 1\n\n" +
		"event: none\n\nid: 9\n\ndata: gr\xc3\xbc\xc3\x9f\xff\n\nid: a\x00b\ndata: last\n\ndata: cut"
	want := `message "a\nb" id= retry=0s; add "" id=7 retry=0s; message " two" id= retry=250ms; message "grüß�" id=9 retry=0s; message "last" id=9 retry=0s; `
	for _, step := range []int{1, 2, 3, 7, len(stream)} {
		var got bytes.Buffer
		comments := 0
		p := parser{comment: func(string) { comments++ }, emit: func(e Event) {
			fmt.Fprintf(&got, "%s %q id=%s retry=%s; ", e.Type, e.Data, e.ID, e.Retry)
			if e.Offset < 1 || !strings.ContainsAny(stream[e.Offset-1:e.Offset], "\r\n") {
				t.Errorf("offset %d is not the end of an event", e.Offset)
			}
		}}
		for rest := []byte(stream); len(rest) > 0; rest = rest[min(step, len(rest)):] {
			p.feed(rest[:min(step, len(rest))])
		}
		if got.String() != want || comments != 1 {
			t.Errorf("in pieces of %d: %d comments, events\n%s\nwant\n%s", step, comments, got.String(), want)
		}
	}
}

func TestPushIsWhatTheParserReads(t *testing.T) {
	in := Push{Type: "add", Data: "a\r\nb\rc\n", ID: "1", Retry: 2 * time.Second, Comment: "hi"}
	var out []Event
	p := parser{comment: func(string) {}, emit: func(e Event) { out = append(out, e) }}
	p.feed(in.Encode())
	if len(out) != 1 || out[0].Type != "add" || out[0].Data != "a\nb\nc\n" || out[0].ID != "1" || out[0].Retry != in.Retry {
		t.Errorf("%+v", out)
	}
	if got := string(Push{Comment: "beat"}.Encode()); got != ": beat\n\n" {
		t.Errorf("a comment is %q", got)
	}
}

func openStream(t *testing.T, c *Client, url string, opts StreamOptions) *Stream {
	t.Helper()
	s, err := c.OpenStream(context.Background(), Request{URL: url}, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func TestStreamEventsComeOneByOne(t *testing.T) {
	step := make(chan struct{})
	s := stub(t, ServeOptions{}, Route{Pattern: "/sse", Handle: func(context.Context, *Received) (Answer, error) {
		return Answer{Headers: []Pair{{"Content-Type", "text/event-stream"}}, Stream: func(ctx context.Context, send func([]byte) error) error {
			for i := range 3 {
				select {
				case <-step:
				case <-ctx.Done():
					return nil
				}
				data := Push{Data: fmt.Sprintf(`{"i":%d}`, i), Type: []string{"a", "b", "a"}[i]}.Encode()
				if err := send(append([]byte(": beat\n\n"), data...)); err != nil {
					return err
				}
			}
			return nil
		}}, nil
	}})
	var tee bytes.Buffer
	stream := openStream(t, newClient(t, Options{Timeout: patience}), s.URL+"/sse", StreamOptions{Tee: &tee})
	ctx := context.Background()
	_, err := stream.Next(ctx, 0, "")
	wantFault(t, err, fault.Timeout, "GET "+s.URL+"/sse: no event yet")
	step <- struct{}{}
	e, err := stream.Next(ctx, patience, "") // the first, before the stream ends
	if err != nil || e.Data != `{"i":0}` || e.Type != "a" || e.Index != 0 || e.Time.IsZero() {
		t.Fatalf("%+v %v", e, err)
	}
	step <- struct{}{}
	_, err = stream.Next(ctx, 50*time.Millisecond, "nope")
	wantFault(t, err, fault.Timeout, `no event "nope" within 50ms`, "heartbeat")
	if !isTransient(err) {
		t.Error("a timeout of a stream is not transient")
	}
	e, err = stream.Next(ctx, patience, "b") // a failed wait consumed nothing
	if err != nil || e.Data != `{"i":1}` {
		t.Fatalf("%+v %v", e, err)
	}
	step <- struct{}{}
	<-stream.Done()
	if e, err = stream.Next(ctx, 0, "a"); err != nil || e.Data != `{"i":2}` {
		t.Fatalf("unread at the end: %+v %v", e, err)
	}
	_, err = stream.Next(ctx, Forever, "")
	wantFault(t, err, fault.EOF, "the server ended the stream after 3 events")
	if f, _ := errors.AsType[*fault.Error](err); !strings.Contains(f.Detail, `data: {"i":2}`) {
		t.Errorf("detail %q", f.Detail)
	}
	raw, dropped := stream.Raw()
	if !bytes.Equal(raw, tee.Bytes()) || dropped != 0 || int64(len(raw)) != e.Offset {
		t.Errorf("raw %q, tee %q, offset %d", raw, tee.Bytes(), e.Offset)
	}
	if st := stream.State(); st.Comments != 3 || st.LastComment != "beat" {
		t.Errorf("%+v", st)
	}
}

func TestStreamReconnects(t *testing.T) {
	var calls atomic.Int32
	s := stub(t, ServeOptions{}, Route{Pattern: "/sse", Handle: func(_ context.Context, r *Received) (Answer, error) {
		switch calls.Add(1) {
		case 1:
			return Answer{Events: []Push{{Data: "one", ID: "1", Retry: time.Millisecond}, {Data: "cut"}}, Fault: FaultHalf}, nil
		case 2:
			return Answer{Status: 503}, nil
		case 3:
			return Answer{Fault: FaultReset}, nil
		case 4:
			return Answer{Events: []Push{{Data: "after " + r.Header.Get("Last-Event-ID"), ID: "2"}}}, nil
		}
		return Answer{Status: 204}, nil
	}})
	stream := openStream(t, newClient(t, Options{Timeout: patience}), s.URL+"/sse", StreamOptions{Reconnect: true})
	for _, want := range []string{"one", "after 1"} {
		if e, err := stream.Next(context.Background(), patience, ""); err != nil || e.Data != want {
			t.Fatalf("%+v %v, want %q", e, err, want)
		}
	}
	_, err := stream.Next(context.Background(), patience, "")
	wantFault(t, err, fault.EOF, "status 204", "2 events")
	if st := stream.State(); st.Reconnects != 1 || st.LastID != "2" {
		t.Errorf("%+v", st)
	}
}

// An event that its connection cut off does not run into the next connection's first.
func TestStreamForgetsWhatWasCut(t *testing.T) {
	var calls atomic.Int32
	s := stub(t, ServeOptions{}, Route{Pattern: "/sse", Handle: func(context.Context, *Received) (Answer, error) {
		text := "event: cut\ndata: 1"
		if calls.Add(1) > 1 {
			text = "data: 2\n\n"
		}
		return Answer{Headers: []Pair{{"Content-Type", "text/event-stream"}}, Text: text}, nil
	}})
	stream := openStream(t, newClient(t, Options{Timeout: patience}), s.URL+"/sse", StreamOptions{Reconnect: true, Retry: time.Millisecond})
	if e, err := stream.Next(context.Background(), patience, ""); err != nil || e.Data != "2" || e.Type != "message" {
		t.Errorf("%+v %v", e, err)
	}
}

// The timeout of a request is that of its headers.
func TestStreamsOutliveTheTimeout(t *testing.T) {
	timeout := 100 * time.Millisecond
	for !outlives(t, timeout) {
		if timeout *= 2; timeout > patience {
			t.Fatal("no timeout is long enough for the headers")
		}
	}
}

// outlives reads streams that last longer than a timeout. It says no where the headers took longer already.
func outlives(t *testing.T, timeout time.Duration) bool {
	chunks := []Chunk{{Data: []byte("data: 1\n\n")}, {Data: []byte("data: 2\n\n"), Delay: timeout * 3 / 2}}
	s := stub(t, ServeOptions{}, Route{Pattern: "/", Answer: Answer{Chunks: chunks, Headers: []Pair{{"Content-Type", "text/event-stream"}}}})
	r := Request{URL: s.URL, Timeout: timeout}
	c := newClient(t, Options{})
	var lines *Lines
	stream, err := c.OpenStream(context.Background(), r, StreamOptions{})
	if err == nil {
		defer stream.Close()
		lines, err = c.OpenLines(context.Background(), r, nil)
	}
	if isTransient(err) {
		return false
	} else if err != nil {
		t.Fatal(err)
	}
	defer lines.Close()
	if e, err := stream.nextFunc(context.Background(), patience, "2", func(e Event) bool { return e.Data == "2" }); err != nil {
		t.Errorf("%+v %v", e, err)
	}
	if l, err := lines.Next(context.Background(), patience, "2"); err != nil {
		t.Errorf("%+v %v", l, err)
	}
	return true
}

func TestStreamThatIsNone(t *testing.T) {
	s := stub(t, ServeOptions{},
		Route{Pattern: "/404", Answer: Answer{Status: 404, Text: "nothing"}},
		Route{Pattern: "/json", Answer: Answer{JSON: []byte(`{"a":1}`)}},
		Route{Pattern: "/never", Answer: Answer{Fault: FaultNever}},
		Route{Pattern: "/large", Answer: Answer{Events: []Push{{Data: strings.Repeat("x", 5000)}}}},
	)
	c := newClient(t, Options{Base: s.URL, MaxBody: 1000, Timeout: patience})
	_, err := c.OpenStream(context.Background(), Request{URL: "/404"}, StreamOptions{})
	wantFault(t, err, fault.HTTP, "no event stream: status 404")
	if f, _ := errors.AsType[*fault.Error](err); f.Detail != "nothing" {
		t.Errorf("detail %q", f.Detail)
	}
	_, err = c.OpenStream(context.Background(), Request{URL: "/json"}, StreamOptions{})
	wantFault(t, err, fault.HTTP, `expected content type text/event-stream, got "application/json"`)
	err, timeout := overtime(t, "no answer within", func(timeout time.Duration) error {
		_, err := c.OpenStream(context.Background(), Request{URL: "/never", Timeout: timeout}, StreamOptions{})
		return err
	})
	wantFault(t, err, fault.Timeout, "within "+fault.Human(timeout))
	_, err = openStream(t, c, "/large", StreamOptions{}).Next(context.Background(), patience, "")
	wantFault(t, err, fault.HTTP, "larger than the limit of 1000 bytes")
}

func TestStreamIsCancelled(t *testing.T) {
	s := stub(t, ServeOptions{}, Route{Pattern: "/sse", Answer: Answer{Events: []Push{{Data: "x"}, {Data: "y", Delay: time.Hour}}}})
	c := newClient(t, Options{Timeout: patience})
	life, end := context.WithCancel(context.Background())
	stream, err := c.OpenStream(life, Request{URL: s.URL + "/sse"}, StreamOptions{Reconnect: true})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if _, err := stream.Next(life, patience, ""); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	timer := time.AfterFunc(20*time.Millisecond, cancel)
	defer timer.Stop()
	_, err = stream.Next(ctx, Forever, "")
	wantFault(t, err, fault.Interrupt)
	timer = time.AfterFunc(20*time.Millisecond, end)
	defer timer.Stop()
	_, err = stream.Next(context.Background(), Forever, "")
	wantFault(t, err, fault.Interrupt)
	stream.Close()

	closed := openStream(t, c, s.URL+"/sse", StreamOptions{})
	closed.Close()
	select {
	case <-closed.Done():
	default:
		t.Error("Close did not wait for the stream's goroutine")
	}
	for err = nil; err == nil; {
		_, err = closed.Next(context.Background(), patience, "")
	}
	wantFault(t, err, fault.EOF, "the stream is closed")
}

func TestLines(t *testing.T) {
	step := make(chan struct{})
	s := stub(t, ServeOptions{}, Route{Pattern: "/log", Handle: func(context.Context, *Received) (Answer, error) {
		return Answer{Status: 206, Stream: func(ctx context.Context, send func([]byte) error) error {
			send([]byte("one\r\ntw"))
			<-step
			return send([]byte("o\n\nlast"))
		}}, nil
	}})
	c := newClient(t, Options{Timeout: patience})
	lines, err := c.OpenLines(context.Background(), Request{URL: s.URL + "/log"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer lines.Close()
	if lines.Response.Status != 206 {
		t.Errorf("status %d", lines.Response.Status)
	}
	ctx := context.Background()
	if l, err := lines.Next(ctx, patience, ""); err != nil || l != "one" {
		t.Fatalf("%+v %v", l, err)
	}
	_, err = lines.Next(ctx, 20*time.Millisecond, "")
	wantFault(t, err, fault.Timeout, "no line within 20ms")
	close(step)
	for _, want := range []string{"two", "", "last"} {
		if l, err := lines.Next(ctx, patience, ""); err != nil || l != want {
			t.Fatalf("%+v %v, want %q", l, err, want)
		}
	}
	_, err = lines.Next(ctx, patience, "x")
	wantFault(t, err, fault.EOF, "the body ended after 4 lines")
}

func TestRecordIsBounded(t *testing.T) {
	any := func(int) bool { return true }
	r := record[int]{bound: 1000}
	for range 105 {
		r.add(10, func(index int) int { return index * 10 })
	}
	items, dropped := r.all()
	if len(items) != 100 || dropped != 5 || items[0] != 50 || r.count() != 105 {
		t.Errorf("%d items, %d dropped, first %d", len(items), dropped, items[0])
	}
	if _, _, err := r.next(context.Background(), Forever, any); err != missed(5) {
		t.Errorf("a wait that misses items ends with %v", err)
	}
	if v, _, err := r.next(context.Background(), 0, any); err != nil || v != 50 {
		t.Errorf("next is %d %v", v, err)
	}
	r.add(15, func(index int) int { return index * 10 }) // drops one that has been read and one that has not
	if _, _, err := r.next(context.Background(), 0, func(v int) bool { return v > 1000 }); err != missed(1) {
		t.Errorf("a wait that misses one ends with %v", err)
	}
	for {
		if _, _, err := r.next(context.Background(), 0, any); err == errWaited {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for range 500 { // who reads in time misses nothing
		r.add(10, func(index int) int { return index * 10 })
		if _, _, err := r.next(context.Background(), 0, any); err != nil {
			t.Fatal(err)
		}
	}
	r.add(2000, func(int) int { return -1 })
	if items, _ := r.all(); len(items) != 1 || items[0] != -1 {
		t.Errorf("%d items after a huge one", len(items))
	}
	var tp tape
	for range 5 {
		tp.write(bytes.Repeat([]byte("x"), keepRaw/2+1))
	}
	if data, before := tp.tail(keepRaw); len(data) != keepRaw || before != 5*(keepRaw/2+1)-keepRaw || cap(tp.data) > 4*keepRaw {
		t.Errorf("%d bytes, %d before, %d reserved", len(data), before, cap(tp.data))
	}
}
