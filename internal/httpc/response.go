package httpc

import (
	"net/http"
	"strings"
	"time"

	"omniexpect/internal/fault"
)

// Response is an answer, read to its end.
type Response struct {
	Method  string // of the request that got this answer; a redirect may have changed it
	URL     string // after redirects, without user info
	Status  int
	Reason  string      // the words after the status
	Proto   string      // HTTP/1.1, HTTP/2.0
	Header  http.Header // Get and Values ignore case; Values has what is repeated
	Cookies []Cookie    // that it set, byte for byte
	Refused []RefusedCookie
	Body    []byte // decoded; empty if it was saved to a file
	Saved   int64  // bytes of the file, if it was
	History []*Response
	Elapsed time.Duration // to the last byte of the body, redirects included

	conceal Conceal
	cut     bool // the body goes on, but only its beginning was read
}

func newResponse(x *exchange, raw *http.Response) *Response {
	_, reason, _ := strings.Cut(raw.Status, " ")
	r := &Response{
		Method:  x.method,
		URL:     x.target.String(),
		Status:  raw.StatusCode,
		Reason:  reason,
		Proto:   raw.Proto,
		Header:  raw.Header,
		conceal: x.client.opts.Conceal,
	}
	r.Cookies, r.Refused = x.keepCookies(raw)
	return r
}

// keepCookies puts what an answer sets into the jar, and returns it with what the jar refuses.
func (x *exchange) keepCookies(raw *http.Response) (cookies []Cookie, refused []RefusedCookie) {
	if len(raw.Header["Set-Cookie"]) == 0 {
		return nil, nil
	}
	now := x.client.opts.Clock.Now()
	set, refused := setCookies(raw.Header, now)
	for _, c := range set {
		cookies = append(cookies, c.Cookie)
	}
	return cookies, append(refused, x.client.jar.set(x.target.url, set, now)...)
}

// OK reports whether the status is not an error: below 400.
func (r *Response) OK() bool { return r.Status < 400 }

// RaiseForStatus is an error that shows the body if the status is 400 or more.
func (r *Response) RaiseForStatus() error {
	if r.Status < 400 {
		return nil
	}
	e := r.failed("status %s", statusText(r.Status)).WithDetail(r.Excerpt(""))
	e.Err = &StatusError{r.Status}
	return e
}

// shownText is the body's text for messages.
func (r *Response) shownText() string {
	if r.cut {
		return r.conceal.part(r.Text())
	}
	return r.conceal.whole(r.Text())
}

// failed is an error about what the answer holds.
func (r *Response) failed(format string, args ...any) *fault.Error {
	return fault.New(fault.HTTP, "%s %s: "+format, append([]any{r.Method, r.URL}, args...)...)
}
