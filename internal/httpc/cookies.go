package httpc

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"omniexpect/internal/clock"
)

// jar keeps cookies. Cookies know no ports (RFC 6265), so a server on another port of the same host gets them too when a
// script calls it. When a redirect leads there, it gets only those that it set itself.
type jar struct {
	clock  clock.Clock
	mu     sync.Mutex
	all    shelf
	byPort map[string]*shelf
}

// shelf is the cookies of one jar, in the order in which they were first set.
type shelf struct{ cookies []storedCookie }

type storedCookie struct {
	setCookie
	host     string // the domain that it belongs to
	hostOnly bool   // no subdomain gets it
}

// set keeps what an answer from u sets, and returns what it does not keep.
func (j *jar) set(u *url.URL, cookies []setCookie, now time.Time) (refused []RefusedCookie) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, c := range cookies {
		stored, err := place(u, c)
		if err != nil {
			refused = append(refused, RefusedCookie{c.line, err.Error()})
			continue
		}
		j.all.put(stored, now)
		j.own(u).put(stored, now)
	}
	return refused
}

// own returns the cookies that servers on one port set. http and https on their default ports share them, so that a site
// that moves its users to https keeps their session. The caller holds the lock.
func (j *jar) own(u *url.URL) *shelf {
	port := portOf(u)
	if port == "443" {
		port = "80"
	}
	if j.byPort == nil {
		j.byPort = map[string]*shelf{}
	}
	if j.byPort[port] == nil {
		j.byPort[port] = &shelf{}
	}
	return j.byPort[port]
}

// cookies returns what is sent to u: of all that fit, or of those only that its own port set.
func (j *jar) cookies(u *url.URL, ownOnly bool) []Cookie {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.all.cookies) == 0 {
		return nil
	}
	if ownOnly {
		return j.own(u).fitting(u, j.clock.Now())
	}
	return j.all.fitting(u, j.clock.Now())
}

// place decides whom a cookie belongs to, as section 5.3 of RFC 6265 has it.
func place(u *url.URL, c setCookie) (storedCookie, error) {
	s := storedCookie{setCookie: c, host: hostOf(u), hostOnly: true}
	if s.path == "" {
		s.path = defaultPath(u)
	}
	if c.domain == "" {
		return s, nil
	}
	domain := asciiHost(c.domain)
	suffix, _ := publicsuffix.PublicSuffix(domain)
	switch {
	case domain == s.host:
		s.hostOnly = suffix == domain || isAddress(domain)
	case suffix == domain:
		return s, fmt.Errorf("its domain %q is not one server's: anybody can have a name below it", c.domain)
	case !belowDomain(s.host, domain):
		return s, fmt.Errorf("its domain %q is not that of the server, %s", c.domain, s.host)
	default:
		s.host, s.hostOnly = domain, false
	}
	return s, nil
}

// put replaces the cookie of the same name, domain and path, or takes it away if the new one has expired.
func (s *shelf) put(c storedCookie, now time.Time) {
	at := slices.IndexFunc(s.cookies, func(old storedCookie) bool {
		return old.Name == c.Name && old.host == c.host && old.path == c.path
	})
	gone := c.persist && !c.expires.After(now)
	switch {
	case at >= 0 && gone:
		s.cookies = slices.Delete(s.cookies, at, at+1)
	case at >= 0:
		s.cookies[at] = c
	case !gone:
		s.cookies = append(s.cookies, c)
	}
}

// fitting returns what is sent to a URL, the longest path first (section 5.4).
func (s *shelf) fitting(u *url.URL, now time.Time) []Cookie {
	host, path := hostOf(u), cmp.Or(u.EscapedPath(), "/")
	var fit []storedCookie
	for _, c := range s.cookies {
		if (host == c.host || !c.hostOnly && belowDomain(host, c.host)) && pathFits(path, c.path) &&
			(!c.secure || isTrusted(u, host)) && (!c.persist || c.expires.After(now)) {
			fit = append(fit, c)
		}
	}
	slices.SortStableFunc(fit, func(a, b storedCookie) int { return len(b.path) - len(a.path) })
	cookies := make([]Cookie, len(fit))
	for i, c := range fit {
		cookies[i] = c.Cookie
	}
	return cookies
}

// isTrusted reports whether cookies for secure connections go to a URL: loopback counts, as in curl and browsers.
func isTrusted(u *url.URL, host string) bool {
	if u.Scheme == "https" || host == "localhost" || socketOf(u.Host) != "" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// pathFits is the path-match of section 5.1.4.
func pathFits(path, of string) bool {
	rest, ok := strings.CutPrefix(path, of)
	return ok && (rest == "" || strings.HasSuffix(of, "/") || rest[0] == '/')
}

// defaultPath is the directory of a URL, for cookies that name no path.
func defaultPath(u *url.URL) string {
	path := u.EscapedPath()
	if !strings.HasPrefix(path, "/") {
		return "/"
	}
	return cmp.Or(path[:strings.LastIndexByte(path, '/')], "/")
}

func hostOf(u *url.URL) string { return asciiHost(strings.ToLower(u.Hostname())) }

// asciiHost is a name as it is asked for: domains with other letters have a form in ASCII.
func asciiHost(host string) string {
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		return ascii
	}
	return host
}

func belowDomain(host, domain string) bool {
	return strings.HasSuffix(host, "."+domain) && !isAddress(host)
}

func isAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// Cookies returns what the client would send to a URL.
func (c *Client) Cookies(rawURL string) ([]Cookie, error) {
	t, err := c.resolve(rawURL)
	if err != nil {
		return nil, usage("cookies", rawURL, err)
	}
	return c.jar.cookies(t.url, false), nil
}

// SetCookies puts cookies into the client's jar as if the URL's server had set them for all its paths.
func (c *Client) SetCookies(rawURL string, cookies []Cookie) error {
	t, err := c.resolve(rawURL)
	if err != nil {
		return usage("cookies", rawURL, err)
	}
	given := make([]setCookie, len(cookies))
	for i, ck := range cookies {
		if err := ck.check(); err != nil {
			return usage("cookies", rawURL, err)
		}
		given[i] = setCookie{Cookie: ck, path: "/"}
	}
	c.jar.set(t.url, given, c.opts.Clock.Now())
	return nil
}
