package httpc

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"syscall"
)

// socketSuffix marks the host of a URL that stands for a unix socket: the hex form of the path, then this. The
// transport keeps connections by host, so each socket gets connections of its own; .invalid is never a real name.
const socketSuffix = ".socket.invalid"

// target is a URL that a request can go to.
type target struct {
	url    *url.URL
	socket string // path of the unix socket, if it is one

	socketScheme bool // it is shown as ws or wss
}

// parseTarget wants an absolute URL. Its errors are the reason only.
func parseTarget(raw string) (*target, error) {
	if rest, ok := strings.CutPrefix(raw, "unix:"); ok {
		return parseSocket(rest)
	}
	u, err := url.Parse(wellFormed(raw))
	if err != nil {
		if host := beforeAny(raw, "/?#"); strings.Contains(host, ":") && !strings.Contains(host, "@") && !strings.Contains(raw, "://") {
			return nil, fmt.Errorf("no scheme: want http://%s", raw)
		}
		return nil, parseReason(raw, err)
	}
	switch u.Scheme {
	case "http", "https":
	case "ws", "wss":
		return nil, fmt.Errorf("%s is a WebSocket URL: want http:// or https://", u.Scheme)
	case "":
		return nil, fmt.Errorf("no scheme: want http://, https:// or unix:///")
	default:
		if u.Host == "" {
			return nil, fmt.Errorf("no scheme: want http://%s", shown(raw))
		}
		return nil, fmt.Errorf("unknown scheme %q: want http, https or unix", u.Scheme)
	}
	if u.Hostname() == "" {
		return nil, errors.New("no host")
	}
	if err := checkHost(u); err != nil {
		return nil, err
	}
	return &target{url: u}, nil
}

func checkHost(u *url.URL) error {
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return fmt.Errorf("port %s is out of range: want 1 to 65535", port)
		}
	}
	if strings.ContainsAny(u.Hostname(), " \t\"<>\\^`{|}") {
		return fmt.Errorf("host %q holds a character that no host name has", u.Hostname())
	}
	return nil
}

// parseSocket reads what follows "unix:" as path[:/url], with or without the two slashes of a URL.
func parseSocket(rest string) (*target, error) {
	path, ref, found := strings.Cut(strings.TrimPrefix(rest, "//"), ":/")
	if !strings.HasPrefix(path, "/") || strings.Trim(path, "/") == "" {
		return nil, errors.New("no path of a socket: want unix:///path/of.sock or unix:///path/of.sock:/url")
	}
	if !found {
		ref = ""
	}
	u, err := url.Parse("http://" + hex.EncodeToString([]byte(path)) + socketSuffix + wellFormed("/"+ref))
	if err != nil {
		return nil, parseReason(rest, err)
	}
	return &target{url: u, socket: path}, nil
}

// socketOf returns the path of the unix socket that a host, with or without a port, stands for.
func socketOf(host string) string {
	if !strings.Contains(host, socketSuffix) {
		return ""
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	path, err := hex.DecodeString(strings.TrimSuffix(host, socketSuffix))
	if err != nil {
		return ""
	}
	return string(path)
}

// longPath is the length of a path that no unix socket can have. The system itself calls it an invalid argument.
type longPath int

// checkPath returns a longPath, or nil for a path that a unix socket can have.
func checkPath(path string) error {
	if len(path) >= len(syscall.RawSockaddrUnix{}.Path) {
		return longPath(len(path))
	}
	return nil
}

func (n longPath) Error() string {
	return fmt.Sprintf("the path has %d bytes, and a socket's at most %d: want a shorter one", int(n), len(syscall.RawSockaddrUnix{}.Path)-1)
}

// String shows the URL as a script would write it, without user info.
func (t *target) String() string {
	switch {
	case t.socket == "" && t.socketScheme:
		return "ws" + strings.TrimPrefix(shownURL(t.url), "http")
	case t.socket == "":
		return shownURL(t.url)
	}
	return "unix://" + t.socket + ":" + t.url.RequestURI()
}

// resolve appends ref to the base, or takes it as it is if it is absolute. A base's path is kept: "/x" below
// "http://h/api" is "http://h/api/x".
func (c *Client) resolve(ref string) (*target, error) {
	if c.base == nil || strings.Contains(beforeAny(ref, "/?#"), ":") {
		t, err := parseTarget(ref)
		if err != nil && strings.HasPrefix(ref, "//") {
			return nil, errors.New("no scheme: want http:" + shown(ref))
		}
		if err != nil && c.base == nil && strings.HasPrefix(ref, "/") {
			return nil, errors.New("no scheme and no host: want http://host" + shown(ref) + ", or a client with a base URL")
		}
		return t, err
	}
	t := &target{socket: c.base.socket}
	u := *c.base.url
	t.url = &u
	if ref == "" {
		return t, nil
	}
	r, err := url.Parse(wellFormed(ref))
	if err != nil {
		return nil, parseReason(ref, err)
	}
	if r.Host != "" {
		return nil, errors.New("no scheme: want http:" + shown(ref))
	}
	if r.Path != "" {
		// not JoinPath, which would clean a path that a test wants as it is
		u.RawPath = strings.TrimSuffix(u.EscapedPath(), "/") + "/" + strings.TrimPrefix(r.EscapedPath(), "/")
		u.Path, _ = url.PathUnescape(u.RawPath)
	}
	u.RawQuery = joinQuery(u.RawQuery, r.RawQuery)
	u.Fragment, u.RawFragment = r.Fragment, r.RawFragment
	return t, nil
}

// follow returns the target of a redirect's Location.
func (t *target) follow(location string) (*target, error) {
	ref, err := url.Parse(fromServer(location))
	if err != nil {
		return nil, parseReason(location, err)
	}
	u := t.url.ResolveReference(ref)
	if t.socket != "" && (u.Host == t.url.Host || u.Host == "localhost") {
		u.Host = t.url.Host
		return &target{url: u, socket: t.socket}, nil
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("unknown scheme %q", u.Scheme)
	}
	if u.Hostname() == "" || socketOf(u.Host) != "" {
		return nil, errors.New("no host")
	}
	return &target{url: u}, checkHost(u)
}

// origin is what secrets belong to.
func (t *target) origin() string {
	return t.url.Scheme + "://" + strings.ToLower(t.url.Hostname()) + ":" + portOf(t.url)
}

func portOf(u *url.URL) string {
	switch port := u.Port(); {
	case port != "":
		return port
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// withParams appends the pairs to the URL's own query, in order and without touching what is there.
func (t *target) withParams(params []Pair) {
	t.url.RawQuery = joinQuery(t.url.RawQuery, encodePairs(params))
}

func encodePairs(pairs []Pair) string {
	var b strings.Builder
	for i, p := range pairs {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(url.QueryEscape(p.Name))
		b.WriteByte('=')
		b.WriteString(url.QueryEscape(p.Value))
	}
	return b.String()
}

func joinQuery(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "&" + b
}

// shown masks the user info of what should be a URL but need not be one.
func shown(raw string) string {
	start := 0
	if i := strings.Index(raw, "//"); i >= 0 {
		start = i + 2
	}
	authority := beforeAny(raw[start:], "/?#")
	if _, err := url.Parse(raw); err != nil {
		authority = raw[start:] // a password with a "/" ends the authority too early
	}
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		return raw[:start] + "***" + raw[start+at:]
	}
	return raw
}

func shownURL(u *url.URL) string {
	if u.User == nil {
		return u.String()
	}
	c := *u
	c.User = nil
	return strings.Replace(c.String(), "//", "//***@", 1)
}

func beforeAny(s, chars string) string {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return s[:i]
	}
	return s
}

// parseReason drops the URL from an error of url.Parse: it may hold a password, and the caller names it anyway.
func parseReason(raw string, err error) error {
	if strings.Contains(raw, "@") {
		return errors.New("cannot be read as a URL: special characters in a user or a password are written as %XX")
	}
	if ue, ok := errors.AsType[*url.Error](err); ok {
		err = ue.Err
	}
	return errors.New(strings.TrimPrefix(err.Error(), "net/url: "))
}
