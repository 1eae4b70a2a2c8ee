package builtins

import (
	"fmt"
	"net/http"
	"time"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/httpc"
)

// answerKeys are what a dict that answers a request may have.
const answerKeys = "status, headers, text, body, json, bytes, chunks, events, stream, websocket, delay, fault"

// answer turns what a route says into an answer.
func (st *State) answer(c *dsl.Call, v starlark.Value) (httpc.Answer, error) {
	var a httpc.Answer
	var err error
	switch v := v.(type) {
	case starlark.NoneType:
		a.Status = http.StatusNoContent
	case starlark.String, secretValue:
		a.Text = st.Mask.Resolve(plain(v))
		a.Status = http.StatusOK
	case starlark.Bytes:
		a.Bytes = []byte(v)
		a.Status = http.StatusOK
	case *starlark.List:
		a.JSON, err = st.answerJSON(c, v)
	case *starlark.Dict:
		for _, kv := range v.Items() {
			if err := st.answerPart(c, &a, plain(kv[0]), kv[1]); err != nil {
				return a, err
			}
		}
		if hasBody := len(v.Items()) > 0; a.Status == 0 && hasBody && a.Text == "" && (has(v, "text") || has(v, "body")) {
			a.Status = http.StatusOK
		}
	default:
		return a, fmt.Errorf("got %s, want a text, a dict (%s), a list or None", v.Type(), answerKeys)
	}
	return a, err
}

func has(d *starlark.Dict, key string) bool {
	_, ok, _ := d.Get(starlark.String(key))
	return ok
}

func (st *State) answerJSON(c *dsl.Call, v starlark.Value) ([]byte, error) {
	data, _, err := st.sentJSON(c, v)
	return data, err
}

func (st *State) answerPart(c *dsl.Call, a *httpc.Answer, key string, v starlark.Value) (err error) {
	switch key {
	case "status":
		n, err := starlark.AsInt32(v)
		if err != nil {
			return fmt.Errorf("status: got %s, want a number", v)
		}
		a.Status = n
	case "headers":
		a.Headers, err = st.pairs("headers", v)
	case "text", "body":
		if b, ok := v.(starlark.Bytes); ok {
			a.Bytes = []byte(b)
		} else {
			a.Text = st.Mask.Resolve(plain(v))
		}
	case "bytes":
		b, ok := v.(starlark.Bytes)
		if !ok {
			return fmt.Errorf("bytes: got %s, want bytes", v.Type())
		}
		a.Bytes = []byte(b)
	case "json":
		a.JSON, err = st.answerJSON(c, v)
	case "chunks":
		a.Chunks = []httpc.Chunk{}
		err = each(key, v, func(v starlark.Value) error {
			chunk, err := st.chunk(v)
			a.Chunks = append(a.Chunks, chunk)
			return err
		})
	case "events":
		a.Events = []httpc.Push{}
		err = each(key, v, func(v starlark.Value) error {
			p, err := st.push(c, v)
			a.Events = append(a.Events, p)
			return err
		})
	case "stream":
		fn, ok := v.(starlark.Callable)
		if !ok {
			return fmt.Errorf("stream: got %s, want a function of send", v.Type())
		}
		a.Stream = st.streamer(c, fn)
	case "websocket":
		a.Socket, err = socketScript(v)
	case "delay":
		a.Delay, err = durationOf(v)
	case "fault":
		a.Fault = httpc.Fault(plain(v))
	default:
		return fmt.Errorf("unknown key %q in an answer: want some of %s", key, answerKeys)
	}
	return err
}

func durationOf(v starlark.Value) (time.Duration, error) {
	var d dsl.Duration
	err := d.Unpack(v)
	return d.D, err
}

func each(what string, v starlark.Value, f func(starlark.Value) error) error {
	it := starlark.Iterate(v)
	if it == nil {
		return fmt.Errorf("%s: got %s, want a list", what, v.Type())
	}
	defer it.Done()
	for it.Next(&v) {
		if err := f(v); err != nil {
			return err
		}
	}
	return nil
}

// chunk is a text, or a (text, delay) pair.
func (st *State) chunk(v starlark.Value) (httpc.Chunk, error) {
	var c httpc.Chunk
	if t, ok := v.(starlark.Tuple); ok && len(t) == 2 {
		d, err := durationOf(t[1])
		if err != nil {
			return c, fmt.Errorf("chunks: delay: %w", err)
		}
		c.Delay, v = d, t[0]
	}
	if b, ok := v.(starlark.Bytes); ok {
		c.Data = []byte(b)
	} else {
		c.Data = []byte(st.Mask.Resolve(plain(v)))
	}
	return c, nil
}

// push is an event: a text that is its data, or a dict. Data that is not text is sent as JSON.
func (st *State) push(c *dsl.Call, v starlark.Value) (httpc.Push, error) {
	var p httpc.Push
	d, ok := v.(*starlark.Dict)
	if !ok {
		p.Data = st.Mask.Resolve(plain(v))
		return p, nil
	}
	for _, kv := range d.Items() {
		var err error
		switch key := plain(kv[0]); key {
		case "event", "type":
			p.Type = plain(kv[1])
		case "data":
			if _, text := kv[1].(starlark.String); text {
				p.Data = st.Mask.Resolve(plain(kv[1]))
			} else {
				var b []byte
				b, err = st.answerJSON(c, kv[1])
				p.Data = string(b)
			}
		case "id":
			p.ID = plain(kv[1])
		case "comment":
			p.Comment = plain(kv[1])
		case "retry":
			p.Retry, err = durationOf(kv[1])
		case "delay":
			p.Delay, err = durationOf(kv[1])
		default:
			err = fmt.Errorf("unknown key %q in an event: want event, data, id, retry, comment or delay", key)
		}
		if err != nil {
			return p, err
		}
	}
	return p, nil
}

func socketScript(v starlark.Value) (*httpc.SocketScript, error) {
	s := &httpc.SocketScript{}
	d, ok := v.(*starlark.Dict)
	if !ok {
		return nil, fmt.Errorf("websocket: got %s, want a dict of greet, echo, code, reason", v.Type())
	}
	for _, kv := range d.Items() {
		switch key := plain(kv[0]); key {
		case "greet":
			if err := each(key, kv[1], func(v starlark.Value) error { s.Greet = append(s.Greet, plain(v)); return nil }); err != nil {
				return nil, err
			}
		case "echo":
			s.Echo = bool(kv[1].Truth())
		case "code":
			n, err := starlark.AsInt32(kv[1])
			if err != nil {
				return nil, fmt.Errorf("websocket: code: got %s, want a number", kv[1])
			}
			s.CloseCode = n
		case "reason":
			s.CloseReason = plain(kv[1])
		default:
			return nil, fmt.Errorf("websocket: unknown key %q, want greet, echo, code or reason", key)
		}
	}
	return s, nil
}
