package httpc

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"omniexpect/internal/fault"
)

// Lines is a body that is read line by line while it comes: a long poll, chunks, JSON lines.
type Lines struct {
	Response *Response // without a body

	name    string
	limit   int64
	tee     io.Writer
	cancel  context.CancelFunc
	done    chan struct{}
	lines   record[string]
	raw     tape
	partial []byte
}

// OpenLines makes a call and returns when its headers are there, whatever the status. The context is the life of the
// body, which has no timeout of its own. tee, if there is one, gets the raw bytes as they come. Its owner calls Close.
func (c *Client) OpenLines(ctx context.Context, r Request, tee io.Writer) (*Lines, error) {
	ctx, cancel := context.WithCancel(ctx)
	l, err := c.open(ctx, r)
	if err != nil {
		cancel()
		return nil, err
	}
	l.k.release()
	s := &Lines{Response: l.resp, name: l.resp.Method + " " + l.resp.URL, limit: l.x.req.MaxBody, tee: tee, cancel: cancel,
		done: make(chan struct{})}
	s.lines.clock = c.opts.Clock
	go s.run(ctx, l)
	return s, nil
}

func (s *Lines) run(ctx context.Context, l *live) {
	defer close(s.done)
	err := l.read(s.take)
	l.close()
	if len(s.partial) > 0 && err == nil {
		s.add(s.partial)
	}
	switch {
	case ctx.Err() != nil:
		err = interrupted(s.name, context.Cause(ctx))
	case err == nil:
		err = fault.New(fault.EOF, "%s: the body ended after %s", s.name, plural(s.lines.count(), "line"))
	}
	s.lines.finish(err)
}

func (s *Lines) take(chunk []byte) error {
	s.raw.write(chunk)
	if s.tee != nil {
		s.tee.Write(chunk)
	}
	for {
		line, rest, found := bytes.Cut(chunk, []byte("\n"))
		s.partial = append(s.partial, line...)
		if s.limit > 0 && int64(len(s.partial)) > s.limit {
			f := fault.New(fault.HTTP, "%s: a line is larger than the limit of %s", s.name, size(s.limit))
			f.Err = &Cause{TooLarge, nil}
			return f
		}
		if !found {
			return nil
		}
		s.add(s.partial)
		s.partial = s.partial[:0]
		chunk = rest
	}
}

func (s *Lines) add(line []byte) {
	text := decodeText(bytes.TrimSuffix(line, []byte("\r")), s.Response.Header.Get("Content-Type"))
	s.lines.add(len(text)+64, func(int) string { return text })
}

// Next returns the next line, without its end, that contains a text, or the next of all if it is empty. A timeout of 0 tries once,
// Forever waits without end. A wait that fails leaves all lines where they are.
func (s *Lines) Next(ctx context.Context, timeout time.Duration, contains string) (string, error) {
	line, skipped, err := s.lines.next(ctx, timeout, func(l string) bool { return strings.Contains(l, contains) })
	if err == nil {
		return line, nil
	}
	what, others := "line", ""
	if contains != "" {
		what = fmt.Sprintf("line with %q", contains)
	}
	if skipped > 0 {
		others = " (" + plural(skipped, "other line") + ")"
	}
	f := waitFailed(ctx, s.name, what, timeout, others, err)
	raw, _ := s.Raw()
	if f.Detail != "" || len(raw) == 0 {
		return line, f
	}
	shared := *f
	return line, shared.WithDetail(s.Response.conceal.tail("the end of the body", raw, s.lines.reason() == nil))
}

// Lines returns the lines that are kept, read or not, and the number of older ones that are not.
func (s *Lines) Lines() (lines []string, dropped int) { return s.lines.all() }

// Raw returns the body as it came, and the number of bytes before it that are not kept.
func (s *Lines) Raw() (text []byte, dropped int64) { return s.raw.tail(keepRaw) }

// Open reports whether more can come. It is false from when a wait can fail with the stream's end.
func (s *Lines) Open() bool { return s.lines.reason() == nil }

// Done is closed when nothing more will come.
func (s *Lines) Done() <-chan struct{} { return s.done }

// Close ends the connection and waits for the body's goroutine. Lines that are unread can still be read.
func (s *Lines) Close() {
	s.lines.finish(fault.New(fault.EOF, "%s: the stream is closed", s.name))
	s.cancel()
	<-s.done
}
