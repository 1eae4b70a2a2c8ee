package httpc

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"syscall"

	"omniexpect/internal/clock"
	"omniexpect/internal/fault"
)

// Reason describes what kept an answer away.
type Reason string

// The reasons. Those up to TimedOut are transient: the same call may succeed a moment later.
const (
	Refused   Reason = "refused"   // nothing listens there, or the unix socket does not exist
	Reset     Reason = "reset"     // the other side ended the connection without an answer
	Truncated Reason = "truncated" // the answer broke off
	TimedOut  Reason = "timeout"
	NoHost    Reason = "host"    // the name is unknown or the network has no way there
	Untrusted Reason = "tls"     // no TLS connection
	TooLarge  Reason = "large"   // the body is larger than the limit
	Malformed Reason = "format"  // not HTTP, a broken encoding, a stream that is not one
	Dropped   Reason = "dropped" // more came than is kept unread
	Other     Reason = "other"
)

// Cause is the error below a call's *fault.Error when there is no whole answer.
type Cause struct {
	Reason Reason
	Err    error
}

// Error returns the text of the underlying error.
func (c *Cause) Error() string {
	if c.Err == nil {
		return string(c.Reason)
	}
	return c.Err.Error()
}

// Unwrap returns the underlying error.
func (c *Cause) Unwrap() error { return c.Err }

// StatusError is the error below a *fault.Error about a status that was not wanted.
type StatusError struct{ Status int }

// Error names the status.
func (e *StatusError) Error() string { return "status " + statusText(e.Status) }

// isTransient reports whether err is a call that was refused, reset, cut off or timed out, so that it may be tried again.
func isTransient(err error) bool {
	c, ok := errors.AsType[*Cause](err)
	if !ok {
		return false
	}
	switch c.Reason {
	case Refused, Reset, Truncated, TimedOut:
		return true
	}
	return false
}

// isRetryStatus reports whether a status means that the server may answer properly a moment later.
func isRetryStatus(code int) bool {
	return code >= http.StatusBadGateway && code <= http.StatusGatewayTimeout
}

// IsNotYet reports whether err is transient or about a status that is: what a poll takes for "not yet".
func IsNotYet(err error) bool {
	status, _ := statusOf(err)
	return isTransient(err) || isRetryStatus(status)
}

// statusOf returns the status that an error of Check, RaiseForStatus or an opening stream is about.
func statusOf(err error) (int, bool) {
	if e, ok := errors.AsType[*StatusError](err); ok {
		return e.Status, true
	}
	return 0, false
}

// usage is an error about a request that cannot be made.
func usage(method, url string, err error) error {
	return fault.New(fault.Usage, "%s %s: %v", method, shown(url), err)
}

// failed is an error of a kind about an exchange; the cause stays reachable below it.
func (x *exchange) failed(kind fault.Kind, cause error, format string, args ...any) *fault.Error {
	e := fault.New(kind, "%s %s: %s", x.method, x.target, fmt.Sprintf(format, args...))
	e.Err = cause
	return e
}

// Causes of a cancelled exchange, see limits.go.
var (
	errWhole   = errors.New("timeout")
	errConnect = errors.New("connect timeout")
)

// stopped returns why an exchange's context is over, or returns nil if it is not.
func (x *exchange) stopped(k *limits) error {
	cause := context.Cause(k.ctx)
	if cause == nil {
		return nil
	}
	switch {
	case errors.Is(cause, errConnect):
		return x.failed(fault.Timeout, &Cause{TimedOut, cause}, "no connection within %s", fault.Human(x.req.ConnectTimeout))
	case errors.Is(cause, errWhole):
		return x.failed(fault.Timeout, &Cause{TimedOut, cause}, "%s within %s", k.missing(), fault.Human(x.req.Timeout))
	case errors.Is(cause, context.DeadlineExceeded):
		return x.failed(fault.Timeout, &Cause{TimedOut, cause}, "%s within %s", k.missing(), fault.Human(clock.Since(k.clock, k.start)))
	}
	return interrupted(x.method+" "+x.target.String(), cause)
}

// interrupted is what a cancelled context ends a wait with.
func interrupted(what string, cause error) error {
	if f, ok := errors.AsType[*fault.Error](cause); ok {
		return f
	}
	return fault.New(fault.Interrupt, "%s: interrupted: %w", what, cause)
}

// unanswered explains an error of the transport.
func (x *exchange) unanswered(k *limits, err error) error {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f // a body that cannot be read
	}
	text := plainReason(err)
	var proxy string
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "proxyconnect" {
		proxy = "proxy: "
	}
	env := func(reason Reason, format string, args ...any) *fault.Error {
		return x.failed(fault.Env, &Cause{reason, err}, "%s%s", proxy, fmt.Sprintf(format, args...))
	}
	long, isLong := errors.AsType[longPath](err)
	dns, isDNS := errors.AsType[*net.DNSError](err)
	switch {
	case isLong:
		return x.failed(fault.Usage, &Cause{Other, err}, "%v", long)
	case x.target.socket != "" && errors.Is(err, fs.ErrNotExist):
		return env(Refused, "no such socket: nothing listens there (yet)")
	case errors.Is(err, syscall.ECONNREFUSED):
		return env(Refused, "connection refused: nothing listens there")
	case isDNS && dns.IsTimeout:
		return x.failed(fault.Timeout, &Cause{TimedOut, err}, "the name server did not answer in time for %q", dns.Name)
	case isDNS:
		return env(NoHost, "unknown host %q", dns.Name)
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return x.maybeKept(k, env(Reset, "connection reset: the server ended it without an answer"))
	case errors.Is(err, io.EOF), strings.Contains(text, "server closed"), strings.Contains(text, "stream error"):
		return x.maybeKept(k, env(Reset, "the server closed the connection without an answer"))
	case errors.Is(err, io.ErrUnexpectedEOF):
		return env(Truncated, "the answer broke off within its headers")
	case speaksHTTP(err):
		return env(Untrusted, "no TLS: the server speaks plain HTTP: want http://")
	case isTLS(err):
		return distrusted(env(Untrusted, "no TLS connection: %s", text))
	case isBrokenHead(err, text):
		return x.failed(fault.HTTP, &Cause{Malformed, err}, "no HTTP answer: %s", strings.TrimPrefix(text, brokenHead))
	case isTimeout(err):
		return x.failed(fault.Timeout, &Cause{TimedOut, err}, "no connection: %s", text)
	}
	if _, ok := errors.AsType[*net.OpError](err); ok {
		return env(NoHost, "no connection: %s", text)
	}
	return env(Other, "no answer: %s", text)
}

// brokenHead is what net/http begins with where it cannot go on, for what the server sent or for the connection.
const brokenHead = "HTTP/1.x transport connection broken: "

// isBrokenHead reports whether the beginning of an answer came and is broken: lengths that are not numbers or differ,
// encodings of the transfer that do not exist, too many headers.
func isBrokenHead(err error, text string) bool {
	_, isNet := errors.AsType[net.Error](err)
	_, isSystem := errors.AsType[syscall.Errno](err)
	return strings.Contains(text, "malformed") || strings.Contains(text, "exceeded") || strings.HasPrefix(text, brokenHead) && !isNet && !isSystem
}

// maybeKept adds to the error of a connection that ended without an answer that it was a kept one: the server may have closed it before
// it saw the request. Then net/http has sent again what may be (RFC 9110 section 9.2.2), and this is what may not.
func (x *exchange) maybeKept(k *limits, e *fault.Error) *fault.Error {
	if !k.kept.Load() {
		return e
	}
	e.Msg += " (the connection was a kept one, from an earlier call)"
	e.Hints = append(e.Hints, "the server may have closed it before it saw the request: fresh=True uses a new connection, and a request with a header Idempotency-Key is sent again")
	return e
}

// distrusted adds what to do where the server's certificate is the trouble.
func distrusted(e *fault.Error) *fault.Error {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](e); ok {
		e.Hints = append(e.Hints, "name the file of the authority that signed its certificate, or turn verification off")
	}
	return e
}

func isTimeout(err error) bool {
	ne, ok := errors.AsType[net.Error](err)
	return ok && ne.Timeout()
}

// speaksHTTP reports whether a TLS handshake met a server of plain HTTP.
func speaksHTTP(err error) bool {
	e, ok := errors.AsType[tls.RecordHeaderError](err)
	return ok && string(e.RecordHeader[:]) == "HTTP/"
}

func isTLS(err error) bool {
	_, verify := errors.AsType[*tls.CertificateVerificationError](err)
	_, record := errors.AsType[tls.RecordHeaderError](err)
	_, alert := errors.AsType[tls.AlertError](err)
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	return verify || record || alert || authority || strings.Contains(err.Error(), "tls: ")
}

// plainReason shortens an error of net/http to what a person wants to know, on one line.
func plainReason(err error) string {
	if ve, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		err = ve.Err
	} else if se, ok := errors.AsType[syscall.Errno](err); ok {
		err = se
	}
	text := err.Error()
	for _, prefix := range [...]string{"net/http: ", "http: ", "tls: ", "remote error: ", "x509: ", "local error: ", "http2: "} {
		text = strings.ReplaceAll(text, prefix, "")
	}
	return strings.Join(strings.Fields(text), " ")
}

func statusText(code int) string {
	text := fmt.Sprint(code)
	if reason := http.StatusText(code); reason != "" {
		text += " " + reason
	}
	return text
}
