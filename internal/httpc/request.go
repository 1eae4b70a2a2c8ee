package httpc

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"omniexpect/internal/fault"
)

// Request is one call. At most one of JSON, Form with Files, Body and BodyFile is its body.
type Request struct {
	Method  string // GET if empty
	URL     string // absolute, or appended to the client's base
	Params  []Pair // appended to the URL's own query
	Headers []Pair // repeated names are sent repeatedly
	Cookies []Pair // sent besides the jar's, to the first origin only
	Auth    *Auth  // instead of the client's; an empty one means none
	Netrc   *Netrc // asked for the host if Auth says nothing

	JSON     []byte // encoded
	Form     []Pair // fields, url-encoded, or parts of a multipart body if there are Files
	Files    []File
	Body     []byte
	BodyFile string // path

	SecretHeaders []string // besides the client's
	SecretBody    bool     // a redirect to another origin that would repeat the body is an error

	Timeout        time.Duration // 0 is the client's
	ConnectTimeout time.Duration // of making a connection, TLS included; 0 is DefaultConnectTimeout
	MaxBody        int64         // 0 is the client's
	NoRedirect     bool
	Fresh          bool // on connections of its own, which no other call has used or will

	SaveTo   string                        // file that gets the body of an answer below 400, replaced only when all of it is there
	Progress func(done, total int64) error // called while a body is saved, at the end too; total is -1 if not known; its error is the call's
}

// exchange is a request made ready: checked, completed by the client's defaults.
type exchange struct {
	client    *Client
	transport *http.Transport
	req       Request
	method    string
	target    *target
	header    http.Header
	host      string // from a Host header
	chunked   bool   // the body is sent without its length
	body      *body
	digest    *Auth    // answers challenges of the first origin
	secret    []string // names of secret headers, canonical

	fileLimit int64 // MaxBody as it was given: the client's is about memory, not about files
}

// prepare checks everything that can be known before a connection is made.
func (c *Client) prepare(r Request) (*exchange, error) {
	x := &exchange{client: c, transport: c.transport, req: r, method: strings.ToUpper(r.Method)}
	if r.Method == "" {
		x.method = "GET"
	}
	bad := func(err error) (*exchange, error) { return nil, usage(x.method, r.URL, err) }
	if !httpguts.ValidHeaderFieldName(x.method) {
		return nil, fault.New(fault.Usage, "method %q: not an HTTP method: want a word like GET or POST", r.Method)
	}
	if x.method == "CONNECT" {
		return nil, fault.New(fault.Usage, "method %q: it asks a proxy for a tunnel and gets no answer of a server: want proxy=, and a method like GET", r.Method)
	}
	if err := checkSave(r.SaveTo); err != nil {
		return nil, err
	}
	var err error
	if x.target, err = c.resolve(r.URL); err != nil {
		return bad(err)
	}
	x.target.withParams(r.Params)
	if x.header, err = c.header(r); err != nil {
		return bad(err)
	}
	if x.body, err = newBody(r); err != nil {
		if fault.KindOf(err) == fault.Env {
			return nil, err
		}
		return bad(err)
	}
	if x.body.contentType != "" && x.header.Get("Content-Type") == "" {
		x.header.Set("Content-Type", x.body.contentType)
	}
	if err := x.authorize(); err != nil {
		return bad(err)
	}
	if err := x.hopHeaders(); err != nil {
		return bad(err)
	}
	for _, names := range [][]string{c.opts.SecretHeaders, r.SecretHeaders} {
		for _, name := range names {
			x.secret = append(x.secret, http.CanonicalHeaderKey(name))
		}
	}
	x.req.Timeout = orDefault(r.Timeout, c.opts.Timeout)
	x.req.ConnectTimeout = orDefault(r.ConnectTimeout, DefaultConnectTimeout)
	if x.fileLimit = r.MaxBody; r.MaxBody == 0 {
		x.req.MaxBody = c.opts.MaxBody
	}
	return x, nil
}

// header joins the client's headers and the request's, which win.
func (c *Client) header(r Request) (http.Header, error) {
	h, err := makeHeader(r.Headers)
	if err != nil {
		return nil, err
	}
	_, chosen := h["Accept-Encoding"]
	for name, values := range c.common {
		if _, set := h[name]; !set {
			h[name] = values // shared: a header is replaced, never appended to
		}
	}
	if !chosen && !c.ownEncoding && h["Range"] != nil {
		delete(h, "Accept-Encoding") // a part of an encoded body is not part of the body
	}
	for _, p := range r.Cookies {
		ck := Cookie(p)
		if err := ck.check(); err != nil {
			return nil, err
		}
		joinCookie(h, ck)
	}
	return h, nil
}

// joinCookie keeps one Cookie header, as servers expect.
func joinCookie(h http.Header, c Cookie) {
	cookie := c.Name + "=" + c.Value
	if old := h.Get("Cookie"); old != "" {
		cookie = old + "; " + cookie
	}
	h.Set("Cookie", cookie)
}

// makeHeader does not show values in its errors, for they may be secret.
func makeHeader(pairs []Pair) (http.Header, error) {
	h := make(http.Header, len(pairs)+4)
	for _, p := range pairs {
		if !httpguts.ValidHeaderFieldName(p.Name) {
			return nil, fmt.Errorf("header name %q: want letters, digits and dashes", p.Name)
		}
		if !httpguts.ValidHeaderFieldValue(p.Value) {
			return nil, fmt.Errorf("header %s: its value holds a line break or another control character", p.Name)
		}
		h.Add(p.Name, p.Value)
	}
	return h, nil
}

// authorize takes, in this order, the request's header, its Auth, the URL's user info, its Netrc, and the client's Auth
// and Netrc.
func (x *exchange) authorize() error {
	user := x.target.url.User
	x.target.url.User = nil
	if x.header.Get("Authorization") != "" && x.req.Auth == nil {
		return nil
	}
	auth := x.req.Auth
	if auth == nil && user != nil {
		password, _ := user.Password()
		auth = &Auth{User: user.Username(), Password: password}
	}
	if auth == nil && x.req.Netrc != nil {
		auth = x.req.Netrc.Find(x.target.url.Hostname())
	}
	if auth == nil {
		auth = x.client.opts.Auth
	}
	if auth == nil && x.client.opts.Netrc != nil {
		auth = x.client.opts.Netrc.Find(x.target.url.Hostname())
	}
	if auth == nil || *auth == (Auth{}) {
		return nil
	}
	if err := auth.check(); err != nil {
		return err
	}
	switch {
	case auth.Digest:
		x.digest = auth
	case auth.Bearer != "":
		x.header.Set("Authorization", "Bearer "+auth.Bearer)
	default:
		x.header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(auth.User+":"+auth.Password)))
	}
	return nil
}

// check finds what cannot be sent. It shows nothing of it, for it is secret.
func (a *Auth) check() error {
	switch {
	case !httpguts.ValidHeaderFieldValue(a.Bearer):
		return errors.New("auth: the bearer token holds a line break or another control character")
	case hasControl(a.User) || hasControl(a.Password):
		return errors.New("auth: the user or the password holds a line break or another control character")
	case a.Bearer == "" && !a.Digest && strings.Contains(a.User, ":"):
		return errors.New("auth: the user's name holds a colon, which ends it (RFC 7617)")
	}
	return nil
}

// hopHeaders turns the headers that net/http would ignore into the fields that it reads instead.
func (x *exchange) hopHeaders() error {
	if host := x.header.Get("Host"); host != "" {
		x.host = host
		x.header.Del("Host")
	}
	if encoding := x.header.Get("Transfer-Encoding"); encoding != "" {
		if !strings.EqualFold(encoding, "chunked") {
			return fmt.Errorf("header Transfer-Encoding: %q cannot be sent: want \"chunked\"", encoding)
		}
		x.chunked = true
		x.header.Del("Transfer-Encoding")
	}
	if length := x.header.Get("Content-Length"); length != "" {
		if length != strconv.FormatInt(x.body.size, 10) {
			return fmt.Errorf("header Content-Length: %s, but the body has %d bytes: leave it out", length, x.body.size)
		}
		x.header.Del("Content-Length")
	}
	return nil
}

// dropSecrets makes the headers fit for another origin.
func (x *exchange) dropSecrets() {
	for name := range x.header {
		if secretName(name) {
			x.header.Del(name)
		}
	}
	for _, name := range x.secret {
		x.header.Del(name)
	}
	x.host, x.digest = "", nil
}

// secretName reports whether a header is one that authenticates, going by its canonical name.
func secretName(name string) bool {
	name = strings.ToLower(name)
	for _, part := range [...]string{"authorization", "cookie", "token", "secret", "password", "api-key", "apikey", "api_key"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}
