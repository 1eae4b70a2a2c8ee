package httpc

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"omniexpect/internal/fault"
)

// live is an answer whose body is still coming.
type live struct {
	x    *exchange
	k    *limits
	resp *Response
	raw  *http.Response
	body io.Reader // decoded
}

// open makes a call up to its headers, within the request's timeout. The context is the life of what comes after.
func (c *Client) open(ctx context.Context, r Request) (*live, error) {
	x, err := c.prepare(r)
	if err != nil {
		return nil, err
	}
	k := x.newLimits(ctx)
	resp, raw, err := x.send(k)
	if err != nil {
		k.stop()
		return nil, err
	}
	l := &live{x: x, k: k, resp: resp, raw: raw}
	l.body, _ = unpacked(raw)
	resp.Elapsed = k.since(k.start)
	return l, nil
}

func (l *live) close() {
	l.k.stop()
	l.raw.Body.Close()
}

// read calls take with what comes until the body ends. It returns nil at a proper end.
func (l *live) read(take func([]byte) error) error {
	buf := make([]byte, 32<<10)
	for {
		n, err := l.body.Read(buf)
		l.k.read.Add(int64(n))
		if n > 0 {
			if err := take(buf[:n]); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return l.x.brokenBody(l.k, l.raw, err)
		}
	}
}

// refused is an error about an answer that should have been a stream. The beginning of its body is shown, if it comes
// soon.
func (l *live) refused(format string, args ...any) error {
	timer := l.k.clock.AfterFunc(time.Second, func() { l.k.cancel(errWhole) })
	defer timer.Stop()
	var err error
	l.resp.Body, err = io.ReadAll(io.LimitReader(l.body, 16<<10))
	l.resp.cut = err != nil || len(l.resp.Body) == 16<<10
	e := l.resp.failed(format, args...).WithDetail(l.resp.Excerpt(""))
	if l.resp.Status != http.StatusOK {
		e.Err = &StatusError{l.resp.Status}
	} else {
		e.Err = &Cause{Malformed, errors.New("no stream")}
	}
	return e
}

// waitFailed explains why a wait for the next item of a stream came to nothing. end is the stream's own end.
func waitFailed(ctx context.Context, what, wanted string, timeout time.Duration, skipped string, err error) *fault.Error {
	var f *fault.Error
	var gap missed
	switch {
	case errors.As(err, &gap):
		f = fault.New(fault.HTTP, "%s: %s came and %s dropped unread: more than %s were waiting", what, plural(int(gap), strings.Fields(wanted)[0]),
			map[bool]string{true: "was", false: "were"}[gap == 1], size(KeepBytes))
		f.Err = &Cause{Dropped, err}
		f.Hints = []string{"read them as they arrive; the next wait continues with what is left"}
		return f
	case errors.As(err, &f):
		return f
	case ctx.Err() != nil && !errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		errors.As(interrupted(what, context.Cause(ctx)), &f)
		return f
	}
	within := " within " + fault.Human(timeout)
	switch {
	case timeout == 0:
		within = " yet"
	case timeout < 0 || ctx.Err() != nil:
		within = " in time"
	}
	f = fault.New(fault.Timeout, "%s: no %s%s%s", what, wanted, within, skipped)
	f.Err = &Cause{TimedOut, err}
	return f
}
