package httpc

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/net/http/httpproxy"

	"omniexpect/internal/clock"
	"omniexpect/internal/fault"
)

// Defaults of Options and Request.
const (
	DefaultTimeout        = 30 * time.Second
	DefaultConnectTimeout = 10 * time.Second
	DefaultMaxBody        = 64 << 20
	// Forever as a timeout means that there is none.
	Forever time.Duration = -1
)

// Pair is a name with a value, where order and repetition matter.
type Pair struct{ Name, Value string }

// Options describe a Client; the zero value is a usable one.
type Options struct {
	Base          string        // what relative URLs are appended to
	Headers       []Pair        // sent with every request that does not set them itself
	SecretHeaders []string      // names of headers that must not follow a redirect to another origin
	Auth          *Auth         // sent unless the request has its own
	Netrc         *Netrc        // asked for the host if neither the request nor Auth says anything
	Timeout       time.Duration // of a whole call; 0 is DefaultTimeout
	MaxBody       int64         // bytes of a decoded body; 0 is DefaultMaxBody
	NoRedirect    bool          // redirects are answers like any other
	Insecure      bool          // certificates are not verified
	CAFile        string        // PEM file of authorities trusted besides the system's
	CertFile      string        // PEM file of the client's certificate
	KeyFile       string        // PEM file of its key; CertFile if empty
	Proxy         string        // URL of a proxy; the environment's variables decide if empty
	NoProxy       bool          // no proxy, whatever the environment says
	Socket        string        // path of a unix socket that every connection goes to
	Conceal       Conceal       // masks secrets in what errors show of answers
	Clock         clock.Clock   // of the run; the system's if nil
}

// Auth is what a request authenticates with: a bearer token, or a user and a password.
type Auth struct {
	Bearer         string
	User, Password string
	Digest         bool // sends no password: answers the server's challenge (RFC 7616)
}

// Client makes requests that share connections, cookies and defaults. It may be used by many goroutines at once.
type Client struct {
	opts      Options
	base      *target
	transport *http.Transport
	jar       *jar
	digests   *digests
	common    http.Header // what every request begins with

	ownEncoding bool // the options name an Accept-Encoding
}

// New returns a client, or an error if the options do not fit together or a file they name cannot be read.
func New(opts Options) (*Client, error) {
	opts.Timeout = orDefault(opts.Timeout, DefaultTimeout)
	opts.Clock = clock.Or(opts.Clock)
	if opts.MaxBody == 0 {
		opts.MaxBody = DefaultMaxBody
	}
	c := &Client{opts: opts, jar: &jar{clock: opts.Clock}, digests: &digests{}}
	if opts.Base != "" {
		base, err := parseTarget(opts.Base)
		if err != nil {
			return nil, fault.New(fault.Usage, "base URL %s: %v", shown(opts.Base), err)
		}
		c.base = base
	}
	var err error
	if c.common, err = makeHeader(opts.Headers); err != nil {
		return nil, fault.New(fault.Usage, "headers: %v", err)
	}
	_, c.ownEncoding = c.common["Accept-Encoding"]
	for name, value := range map[string]string{"User-Agent": "omniexpect", "Accept": "*/*", "Accept-Encoding": acceptEncoding} {
		if _, set := c.common[name]; !set {
			c.common[name] = []string{value}
		}
	}
	config, err := tlsConfig(opts)
	if err != nil {
		return nil, err
	}
	proxy, err := proxyFunc(opts)
	if err != nil {
		return nil, err
	}
	c.transport = &http.Transport{
		Proxy:               proxy,
		DialContext:         dialer(opts.Socket),
		TLSClientConfig:     config,
		ForceAttemptHTTP2:   true,
		DisableCompression:  true, // decode.go knows more encodings
		MaxIdleConnsPerHost: 64,
		IdleConnTimeout:     90 * time.Second,
	}
	return c, nil
}

// Close ends the connections that are idle. Calls that are under way go on.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

func orDefault[N int64 | time.Duration](d, def N) N {
	if d == 0 {
		return def
	}
	return d
}

// dialer connects to the named host, or to a unix socket where the host is one in disguise (see target.go).
func dialer(socket string) func(ctx context.Context, network, addr string) (net.Conn, error) {
	d := &net.Dialer{KeepAlive: 30 * time.Second}
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		path := socket
		if path == "" {
			path = socketOf(addr)
		}
		if path != "" {
			if err := checkPath(path); err != nil {
				return nil, err
			}
			return d.DialContext(ctx, "unix", path)
		}
		return d.DialContext(ctx, network, addr)
	}
}

// proxyFunc reads the environment now, not when the process made its first request.
func proxyFunc(opts Options) (func(*http.Request) (*url.URL, error), error) {
	if opts.NoProxy || opts.Socket != "" {
		return nil, nil
	}
	env := httpproxy.FromEnvironment()
	if opts.Proxy != "" {
		u, err := url.Parse(opts.Proxy)
		if err != nil || u.Host == "" {
			return nil, fault.New(fault.Usage, "proxy %s: not a proxy URL: want http://host:port", shown(opts.Proxy))
		}
		if !isProxyScheme(u.Scheme) {
			return nil, fault.New(fault.Usage, "proxy %s: unknown scheme %q: want http, https, socks5 or socks5h", shown(opts.Proxy), u.Scheme)
		}
		return http.ProxyURL(u), nil
	}
	choose := env.ProxyFunc()
	return func(r *http.Request) (*url.URL, error) {
		if socketOf(r.URL.Host) != "" {
			return nil, nil
		}
		proxy, err := choose(r.URL)
		if err == nil && proxy != nil && !isProxyScheme(proxy.Scheme) {
			return nil, fault.New(fault.Env, "the environment's proxy %s: unknown scheme %q: want http, https, socks5 or socks5h", shownURL(proxy), proxy.Scheme)
		}
		return proxy, err
	}, nil
}

// isProxyScheme knows those of net/http, which takes any other for http.
func isProxyScheme(scheme string) bool {
	switch scheme {
	case "http", "https", "socks5", "socks5h":
		return true
	}
	return false
}

// tlsConfig is nil where nothing differs from the default, so that the system's authorities are read only when needed.
func tlsConfig(opts Options) (*tls.Config, error) {
	if !opts.Insecure && opts.CAFile == "" && opts.CertFile == "" && opts.KeyFile == "" {
		return nil, nil
	}
	config := &tls.Config{InsecureSkipVerify: opts.Insecure}
	if err := addAuthorities(config, opts.CAFile); err != nil {
		return nil, err
	}
	return config, addCertificate(config, opts.CertFile, opts.KeyFile)
}
