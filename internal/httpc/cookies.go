package httpc

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"sync"

	"golang.org/x/net/publicsuffix"
)

// jar keeps cookies. Cookies know no ports (RFC 6265), so a server on another port of the same host gets them too when a
// script calls it. When a redirect leads there, it gets only those that it set itself.
type jar struct {
	mu     sync.Mutex
	all    *cookiejar.Jar // nil while there are none, as in most calls
	byPort map[string]*cookiejar.Jar
}

func emptyJar() *cookiejar.Jar {
	j, _ := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List}) // never fails
	return j
}

// own returns the jar of what servers on one port set. http and https on their default ports share one, so that a site
// that moves its users to https keeps their session.
func (j *jar) own(u *url.URL) *cookiejar.Jar {
	port := portOf(u)
	if port == "443" {
		port = "80"
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.byPort == nil {
		j.byPort = map[string]*cookiejar.Jar{}
	}
	if j.byPort[port] == nil {
		j.byPort[port] = emptyJar()
	}
	return j.byPort[port]
}

// SetCookies is part of http.CookieJar.
func (j *jar) SetCookies(u *url.URL, cookies []*http.Cookie) {
	if len(cookies) == 0 {
		return
	}
	j.mu.Lock()
	if j.all == nil {
		j.all = emptyJar()
	}
	all := j.all
	j.mu.Unlock()
	all.SetCookies(u, cookies)
	j.own(u).SetCookies(u, cookies)
}

// Cookies is part of http.CookieJar.
func (j *jar) Cookies(u *url.URL) []*http.Cookie {
	j.mu.Lock()
	all := j.all
	j.mu.Unlock()
	if all == nil {
		return nil
	}
	return all.Cookies(u)
}

// Cookies returns what the client would send to a URL.
func (c *Client) Cookies(rawURL string) ([]*http.Cookie, error) {
	t, err := c.resolve(rawURL)
	if err != nil {
		return nil, usage("cookies", rawURL, err)
	}
	return c.jar.Cookies(t.url), nil
}

// SetCookies puts cookies into the client's jar as if the URL's server had set them.
func (c *Client) SetCookies(rawURL string, cookies []*http.Cookie) error {
	t, err := c.resolve(rawURL)
	if err != nil {
		return usage("cookies", rawURL, err)
	}
	c.jar.SetCookies(t.url, cookies)
	return nil
}
