package httpc

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"omniexpect/internal/fault"
)

const (
	maxRedirects = 10
	// maxHopBody is how much of a redirect's own body is kept; hardly anyone reads it.
	maxHopBody = 64 << 10
)

// Do makes one call and reads its whole answer. An answer is a Response whatever its status; an error is a
// *fault.Error and means that there is no whole answer.
func (c *Client) Do(ctx context.Context, r Request) (*Response, error) {
	x, err := c.prepare(r)
	if err != nil {
		return nil, err
	}
	if r.Fresh {
		x.transport = c.transport.Clone()
		defer x.transport.CloseIdleConnections()
	}
	k := x.newLimits(ctx)
	defer k.stop()
	resp, raw, err := x.send(k)
	if err != nil {
		return nil, err
	}
	defer raw.Body.Close()
	if r.SaveTo != "" && resp.Status < 400 {
		err = x.save(k, resp, raw)
	} else {
		resp.Body, err = x.readBody(k, raw, x.req.MaxBody)
	}
	if err != nil {
		return nil, err
	}
	resp.Elapsed = k.since(k.start)
	return resp, nil
}

// send makes round trips until an answer is not a redirect. The caller closes the raw answer's body.
func (x *exchange) send(k *limits) (*Response, *http.Response, error) {
	var history []*Response
	first := x.target
	crossed := false
	for {
		began := k.clock.Now()
		raw, err := x.roundTrip(k, first, crossed)
		if err != nil {
			return nil, nil, err
		}
		k.answered.Store(true)
		resp := newResponse(x, raw)
		next, err := x.redirect(resp)
		if err != nil {
			raw.Body.Close()
			return nil, nil, err
		}
		if next == nil {
			resp.History = history
			return resp, raw, nil
		}
		resp.Body, err = x.readHop(k, raw)
		raw.Body.Close()
		if err != nil {
			return nil, nil, err
		}
		k.answered.Store(false)
		resp.Elapsed = k.since(began)
		if history = append(history, resp); len(history) > maxRedirects {
			return nil, nil, x.failed(fault.HTTP, nil, "more than %d redirects, the last to %s", maxRedirects, next)
		}
		if err := x.moveTo(next, resp.Status, &crossed); err != nil {
			return nil, nil, err
		}
	}
}

// roundTrip sends the request to its present target.
func (x *exchange) roundTrip(k *limits, first *target, crossed bool) (*http.Response, error) {
	header := x.header
	cookies := x.client.jar.cookies(x.target.url, crossed && x.target.origin() != first.origin())
	if len(cookies) > 0 {
		header = header.Clone()
	}
	for _, cookie := range cookies {
		joinCookie(header, cookie)
	}
	if _, set := header["Idempotency-Key"]; !set && (x.method == "PUT" || x.method == "DELETE") {
		// These may be sent again (RFC 9110 section 9.2.2) where a kept connection was closed, as a GET is. This is how
		// net/http is told; nothing of it is sent.
		header = header.Clone()
		header["Idempotency-Key"] = nil
	}
	ctx, stop := k.connecting()
	defer stop()
	req := (&http.Request{
		Method: x.method,
		URL:    x.target.url,
		Header: header,
		Host:   x.hostHeader(),
		Close:  strings.EqualFold(header.Get("Connection"), "close"),
		Body:   http.NoBody,
	}).WithContext(ctx)
	if x.body.size > 0 {
		req.Body = x.body.open()
		req.GetBody = func() (io.ReadCloser, error) { return x.body.open(), nil }
		if req.ContentLength = x.body.size; x.chunked {
			req.ContentLength = -1
		}
	}
	raw, err := x.answerDigest(k, req)
	if err != nil {
		if over := x.stopped(k); over != nil {
			return nil, over
		}
		return nil, x.unanswered(k, err)
	}
	return raw, nil
}

// answerDigest makes a round trip, and another one if the server refused the first and asks for a digest.
func (x *exchange) answerDigest(k *limits, req *http.Request) (*http.Response, error) {
	if x.digest == nil {
		return x.transport.RoundTrip(req)
	}
	key := x.target.origin() + " " + x.digest.User
	for tries := 0; ; tries++ {
		sent := x.client.digests.answer(key, x.digest, req.Method, req.URL.RequestURI())
		if sent != "" {
			req.Header = req.Header.Clone()
			req.Header.Set("Authorization", sent)
		}
		raw, err := x.transport.RoundTrip(req)
		if err != nil {
			return nil, err
		}
		if raw.StatusCode != http.StatusUnauthorized {
			x.client.digests.accepted(key, raw.Header)
			return raw, nil
		}
		if tries == 2 || !x.client.digests.refused(key, sent, raw.Header) {
			return raw, nil
		}
		x.keepCookies(raw)
		io.CopyN(io.Discard, raw.Body, maxHopBody) // so that the connection can be used again
		raw.Body.Close()
		if req.GetBody != nil {
			req.Body, _ = req.GetBody()
		}
	}
}

func (x *exchange) hostHeader() string {
	if x.host == "" && x.target.socket != "" {
		return "localhost"
	}
	return x.host
}

// redirect returns where a response sends its reader, or nil if it is to be taken as it is.
func (x *exchange) redirect(resp *Response) (*target, error) {
	switch resp.Status {
	case 301, 302, 303, 307, 308:
	default:
		return nil, nil
	}
	location := resp.Header.Get("Location")
	if location == "" || x.req.NoRedirect || x.client.opts.NoRedirect {
		return nil, nil
	}
	next, err := x.target.follow(location)
	if err != nil {
		return nil, x.failed(fault.HTTP, nil, "redirect to %s: %v", shown(location), err)
	}
	next.url.User = nil // a server has no business to choose a password
	return next, nil
}

// moveTo changes the request into the one that a redirect asks for.
func (x *exchange) moveTo(next *target, status int, crossed *bool) error {
	x.header = x.header.Clone() // the last request's may still be on its way
	if status == http.StatusSeeOther && x.method != "HEAD" || status < 303 && x.method == "POST" {
		if x.method != "GET" {
			x.dropBody()
		}
		x.method = "GET"
	}
	if next.origin() != x.target.origin() {
		*crossed = true
		if x.body.size > 0 && x.req.SecretBody {
			return x.failed(fault.HTTP, nil, "redirect to %s: it would send the body, which holds a secret, to another origin", next)
		}
		x.dropSecrets()
	}
	x.target = next
	return nil
}

func (x *exchange) dropBody() {
	x.body = &body{}
	for _, name := range [...]string{"Content-Type", "Content-Encoding", "Content-Language", "Content-Location"} {
		x.header.Del(name)
	}
}

// readHop reads a redirect's body up to a bound, so that its connection can be used again.
func (x *exchange) readHop(k *limits, raw *http.Response) ([]byte, error) {
	reader, _ := unpacked(raw)
	data, err := io.ReadAll(io.LimitReader(reader, maxHopBody))
	if err != nil {
		return data, x.stopped(k) // a redirect whose body broke off is a redirect all the same
	}
	return data, nil
}

// readBody reads a decoded body up to the limit.
func (x *exchange) readBody(k *limits, raw *http.Response, limit int64) ([]byte, error) {
	reader, _ := unpacked(raw)
	if limit > 0 && raw.ContentLength > limit && x.method != "HEAD" {
		return nil, x.tooLarge(limit, raw.ContentLength)
	}
	if limit > 0 {
		reader = io.LimitReader(reader, limit+1)
	}
	var buf growing
	if raw.ContentLength > 0 && raw.ContentLength <= 1<<20 {
		buf.data = make([]byte, 0, raw.ContentLength+1)
	}
	if err := buf.readFrom(reader, k); err != nil {
		return nil, x.brokenBody(k, raw, err)
	}
	if limit > 0 && int64(len(buf.data)) > limit {
		return nil, x.tooLarge(limit, -1)
	}
	return buf.data, nil
}

// growing is io.ReadAll that counts on the clock.
type growing struct{ data []byte }

func (g *growing) readFrom(r io.Reader, k *limits) error {
	for {
		if len(g.data) == cap(g.data) {
			g.data = append(g.data, 0)[:len(g.data)]
		}
		n, err := r.Read(g.data[len(g.data):cap(g.data)])
		g.data = g.data[:len(g.data)+n]
		k.read.Add(int64(n))
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (x *exchange) tooLarge(limit, declared int64) error {
	had := "more than that came"
	if declared >= 0 {
		had = size(declared) + " are announced"
	}
	return x.failed(fault.HTTP, &Cause{TooLarge, nil}, "the body is larger than the limit of %s: %s", size(limit), had)
}

// isBrokenBody knows net/http's errors about chunks and trailers, which are no connection's.
func isBrokenBody(text string) bool {
	for _, part := range [...]string{"malformed", "chunk", "trailer", "header line too long"} {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// brokenBody explains an error that came while a body was read.
func (x *exchange) brokenBody(k *limits, raw *http.Response, err error) error {
	if over := x.stopped(k); over != nil {
		return over
	}
	if cut, ok := errors.AsType[*cutEncoding](err); ok {
		return x.failed(fault.HTTP, &Cause{Malformed, err}, "the answer broke off: %v (%s unpacked)", cut, size(k.read.Load()))
	}
	if errors.Is(err, errZstd) {
		e := x.failed(fault.HTTP, &Cause{Malformed, err}, "the body is in the zstd encoding, which was not asked for and is not supported: want one of %s", acceptEncoding)
		e.Hints = []string{`headers={"Accept-Encoding": "zstd"} asks for it and gives the bytes as they come`}
		return e
	}
	if errors.Is(err, errChecksum) {
		return x.failed(fault.HTTP, &Cause{Malformed, err}, "the body was damaged on its way: the checksum of its %s encoding is wrong",
			raw.Header.Get("Content-Encoding"))
	}
	if errors.Is(err, errEncoding) {
		return x.failed(fault.HTTP, &Cause{Malformed, err}, "the body is not in the %s encoding that its header names",
			raw.Header.Get("Content-Encoding"))
	}
	got, of := k.read.Load(), ""
	if raw.ContentLength >= 0 && raw.Header.Get("Content-Encoding") == "" {
		of = " of " + size(raw.ContentLength)
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return x.failed(fault.Env, &Cause{Truncated, err}, "the answer broke off after %s%s", size(got), of)
	case isBrokenBody(err.Error()):
		return x.failed(fault.HTTP, &Cause{Malformed, err}, "the body is not valid HTTP: %s", plainReason(err))
	}
	return x.failed(fault.Env, &Cause{Reset, err}, "the connection broke off after %s%s: %s", size(got), of, plainReason(err))
}
