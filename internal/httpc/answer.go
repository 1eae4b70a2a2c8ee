package httpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"omniexpect/internal/clock"
)

// Answer is what a stub server sends. At most one of Text, Bytes, JSON, Chunks, Events, Stream and Socket is its body.
type Answer struct {
	Status  int // 0 is 200, or 204 if there is no body
	Headers []Pair

	Text   string
	Bytes  []byte
	JSON   []byte // encoded
	Chunks []Chunk
	Events []Push
	// Stream sends as long as it likes; send flushes. The context ends with the server, and when the client has gone.
	Stream func(ctx context.Context, send func([]byte) error) error
	Socket *SocketScript

	Delay time.Duration // before anything is sent
	Fault Fault
}

// Fault is what goes wrong with an answer on purpose.
type Fault string

// The faults.
const (
	FaultReset  Fault = "reset"  // the connection is reset instead of an answer
	FaultHalf   Fault = "half"   // half of the body, then the connection ends
	FaultLength Fault = "length" // the announced length is larger than the body
	FaultNever  Fault = "never"  // no answer until the client or the server gives up
)

// Chunk is a piece of a body, sent by itself after a delay.
type Chunk struct {
	Data  []byte
	Delay time.Duration
}

// Push is a server-sent event to be sent, or a comment if that is all it has.
type Push struct {
	Type, Data, ID string
	Retry          time.Duration
	Comment        string
	Delay          time.Duration // before it is sent
}

// Encode returns the event as it goes over the line.
func (p Push) Encode() []byte {
	var b bytes.Buffer
	field := func(name, value string) {
		for _, line := range strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(value), "\n") {
			b.WriteString(name + ": " + line + "\n")
		}
	}
	if p.Comment != "" {
		field("", p.Comment)
	}
	if p.Type != "" {
		field("event", p.Type)
	}
	if p.ID != "" {
		field("id", p.ID)
	}
	if p.Retry > 0 {
		field("retry", strconv.FormatInt(p.Retry.Milliseconds(), 10))
	}
	if p.Data != "" || p.Type != "" || p.Comment == "" && p.ID == "" && p.Retry == 0 {
		field("data", p.Data)
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// Check finds what cannot be sent, for a handler's answer is a script's.
func (a *Answer) Check() error {
	if a.Status != 0 && (a.Status < 200 || a.Status > 599) {
		return fmt.Errorf("status %d: want 200 to 599", a.Status)
	}
	for _, h := range a.Headers {
		if !httpguts.ValidHeaderFieldName(h.Name) || !httpguts.ValidHeaderFieldValue(h.Value) {
			return fmt.Errorf("header %q: cannot be sent", h.Name)
		}
	}
	bodies := 0
	for _, is := range []bool{a.Text != "", a.Bytes != nil, a.JSON != nil, a.Chunks != nil, a.Events != nil, a.Stream != nil, a.Socket != nil} {
		if is {
			bodies++
		}
	}
	if bodies > 1 {
		return errors.New("more than one body: want one of text, bytes, json, chunks, events")
	}
	if a.Socket != nil {
		if err := a.Socket.check(); err != nil {
			return err
		}
	}
	switch a.Fault {
	case "", FaultReset, FaultHalf, FaultLength, FaultNever:
		return nil
	}
	return fmt.Errorf("fault %q: want %q, %q, %q or %q", a.Fault, FaultReset, FaultHalf, FaultLength, FaultNever)
}

// body returns a whole body and its type.
func (a *Answer) body() (data []byte, kind string) {
	switch {
	case a.JSON != nil:
		return a.JSON, "application/json"
	case a.Bytes != nil:
		return a.Bytes, http.DetectContentType(a.Bytes)
	case a.Text != "":
		if kind := http.DetectContentType([]byte(a.Text)); strings.HasPrefix(kind, "text/html") {
			return []byte(a.Text), kind
		}
		return []byte(a.Text), "text/plain; charset=utf-8"
	}
	return nil, ""
}

// pieces returns what is sent bit by bit, and its type.
func (a *Answer) pieces() ([]Chunk, string) {
	if a.Events == nil {
		return a.Chunks, "application/octet-stream"
	}
	chunks := make([]Chunk, len(a.Events))
	for i, e := range a.Events {
		chunks[i] = Chunk{e.Encode(), e.Delay}
	}
	return chunks, "text/event-stream"
}

// send writes an answer that has been checked. It returns the status that the client sees, 0 if none.
func (a *Answer) send(ctx context.Context, by clock.Clock, w http.ResponseWriter, r *http.Request) (int, error) {
	if err := pause(ctx, by, a.Delay); err != nil {
		return 0, err
	}
	switch {
	case a.Fault == FaultNever:
		<-ctx.Done()
		return 0, http.ErrAbortHandler
	case a.Fault == FaultReset:
		return 0, reset(w)
	case a.Socket != nil:
		return a.Socket.serve(ctx, w, r)
	}
	for _, h := range a.Headers {
		w.Header().Add(h.Name, h.Value)
	}
	status := a.Status
	if a.Chunks != nil || a.Events != nil || a.Stream != nil {
		if status == 0 {
			status = http.StatusOK
		}
		return status, a.sendPieces(ctx, by, w, r, status)
	}
	data, kind := a.body()
	if status == 0 {
		if status = http.StatusOK; data == nil && a.Fault == "" {
			status = http.StatusNoContent
		}
	}
	if kind != "" && w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", kind)
	}
	return status, a.sendWhole(w, data, status)
}

func (a *Answer) sendWhole(w http.ResponseWriter, data []byte, status int) error {
	length := len(data)
	if a.Fault == FaultLength {
		length += 16
	}
	if status != http.StatusNoContent && status != http.StatusNotModified && w.Header().Get("Content-Length") == "" {
		w.Header().Set("Content-Length", strconv.Itoa(length))
	}
	w.WriteHeader(status)
	if a.Fault == FaultHalf {
		data = data[:len(data)/2]
	}
	_, err := w.Write(data)
	if errors.Is(err, http.ErrBodyNotAllowed) || errors.Is(err, http.ErrContentLength) {
		err = nil // HEAD, 204; a length of the script's own
	}
	if a.Fault == "" {
		return gone(err)
	}
	http.NewResponseController(w).Flush()
	return http.ErrAbortHandler // net/http ends the connection without finishing the answer
}

func (a *Answer) sendPieces(ctx context.Context, by clock.Clock, w http.ResponseWriter, r *http.Request, status int) error {
	chunks, kind := a.pieces()
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", kind)
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	flush := http.NewResponseController(w).Flush
	if err := flush(); err != nil || r.Method == http.MethodHead {
		return gone(err)
	}
	send := func(data []byte) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if _, err := w.Write(data); err != nil {
			return gone(err)
		}
		return gone(flush())
	}
	if a.Stream != nil {
		return a.stream(ctx, send)
	}
	if a.Fault == FaultHalf {
		chunks = chunks[:len(chunks)/2]
	}
	for _, c := range chunks {
		if err := pause(ctx, by, c.Delay); err != nil {
			return err
		}
		if err := send(c.Data); err != nil {
			return err
		}
	}
	if a.Fault != "" {
		return http.ErrAbortHandler // net/http ends the connection without finishing the answer
	}
	return nil
}

// stream turns a panic in Stream into an error.
func (a *Answer) stream(ctx context.Context, send func([]byte) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the stream panicked: %v", p)
		}
	}()
	return a.Stream(ctx, send)
}

func pause(ctx context.Context, c clock.Clock, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	if clock.Sleep(ctx, c, d) != nil {
		return context.Cause(ctx)
	}
	return nil
}

// errGone is what sending ends with when the client does not want to hear more, which is no fault of a handler.
var errGone = errors.New("the client has gone")

// IsGone reports whether an error is that the client does not want to hear more.
func IsGone(err error) bool { return errors.Is(err, errGone) }

func gone(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %v", errGone, err)
}
