package httpc

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"omniexpect/internal/fault"
)

// TestDigestVectors are the examples of RFC 7616 and RFC 2617.
func TestDigestVectors(t *testing.T) {
	const nonce, cnonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
	for _, c := range []struct {
		challenge, user, password, cnonce, uri, want string
	}{
		{`Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=MD5, nonce="` + nonce + `"`, "Mufasa", "Circle of Life", cnonce,
			"/dir/index.html", "8ca523f5e9506fed4657c9700eebdbec"},
		{`Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, nonce="` + nonce + `"`, "Mufasa", "Circle of Life", cnonce,
			"/dir/index.html", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"},
		{`Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41"`,
			"Mufasa", "Circle Of Life", "0a4f113b", "/dir/index.html", "6629fae49393a05397450978507c4ef1"},
	} {
		d, _ := challengeOf(http.Header{"Www-Authenticate": {c.challenge}})
		d.count = 1
		got := d.answer(&Auth{User: c.user, Password: c.password}, "GET", c.uri, c.cnonce)
		if params := authParams(strings.TrimPrefix(got, "Digest ")); params["response"] != c.want || params["nc"] != "00000001" {
			t.Errorf("%s\ngot  %s\nwant %s", c.challenge, got, c.want)
		}
	}
}

// TestChallenges finds the best challenge among others.
func TestChallenges(t *testing.T) {
	for _, c := range []struct {
		values []string
		want   string
	}{
		{[]string{`Basic realm="a, Digest nonce=1"`}, ""},
		{[]string{`Negotiate, Basic realm="x", Digest realm="a \"b\", c", nonce="n1"`}, `a "b", c n1 `},
		{[]string{`Digest realm="r",nonce="n1",algorithm=MD5,qop="auth"`, `Digest realm="r", nonce = "n2", algorithm=SHA-256, qop=auth`}, "r n2 SHA-256"},
		{[]string{`Digest realm="r", nonce="n1", qop="auth-int"`}, ""},
		{[]string{`Digest realm="r", nonce="n1", algorithm=TOKEN`, `digest realm="r", nonce="n2", algorithm=md5-sess`}, "r n2 md5-sess"},
		{[]string{`Digest realm="r"`, `Digest`, `=,"`, ``}, ""},
	} {
		got := ""
		if d, _ := challengeOf(http.Header{"Www-Authenticate": c.values}); d != nil {
			got = d.realm + " " + d.nonce + " " + d.algorithm
		}
		if got != c.want {
			t.Errorf("%q: got %q, want %q", c.values, got, c.want)
		}
	}
}

// digestServer accepts ada with "pass", each nonce as often as it says, and counts its refusals.
type digestServer struct {
	mu        sync.Mutex
	challenge string // with %s for the nonce
	uses      int    // how often a nonce is good
	next      bool   // a new nonce comes with the answer
	made      int
	used      map[string]int
	refused   int
	bodies    []string
}

func (s *digestServer) nonce() string { s.made++; return fmt.Sprint("nonce", s.made) }

func (s *digestServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	params := authParams(strings.TrimPrefix(r.Header.Get("Authorization"), "Digest "))
	stale := ""
	if nonce := params["nonce"]; nonce != "" {
		count := 0
		fmt.Sscanf(params["nc"], "%x", &count)
		c, _ := challengeOf(http.Header{"Www-Authenticate": {fmt.Sprintf(s.challenge, nonce)}})
		c.count = count
		want := authParams(strings.TrimPrefix(c.answer(&Auth{User: "ada", Password: "pass"}, r.Method, r.RequestURI, params["cnonce"]), "Digest "))
		switch {
		case !reflect.DeepEqual(want, params):
		case s.used[nonce] >= s.uses || c.qop && count != s.used[nonce]+1:
			stale = ", stale=true"
		default:
			s.used[nonce]++
			s.bodies = append(s.bodies, string(body))
			if s.next {
				w.Header().Set("Authentication-Info", fmt.Sprintf("nextnonce=%q", s.nonce()))
			}
			io.WriteString(w, "welcome")
			return
		}
	}
	s.refused++
	w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
	w.Header().Add("WWW-Authenticate", fmt.Sprintf(s.challenge, s.nonce())+stale)
	w.WriteHeader(http.StatusUnauthorized)
}

// TestDigest calls servers of every kind several times: refused once, or as often as their nonces end.
func TestDigest(t *testing.T) {
	for _, c := range []struct {
		name, challenge string
		uses            int
		next            bool
		refused         int // of five calls
	}{
		{"MD5", `Digest realm="r", qop="auth,auth-int", algorithm=MD5, nonce=%q, opaque="o\"p"`, 99, false, 1},
		{"MD5-sess", `Digest realm="r", qop="auth", algorithm=MD5-sess, nonce=%q`, 99, false, 1},
		{"SHA-256", `Digest realm="r", qop="auth", algorithm=SHA-256, nonce=%q, userhash=true`, 99, false, 1},
		{"SHA-512-256-sess", `Digest realm="r", qop="auth", algorithm=SHA-512-256-sess, nonce=%q`, 99, false, 1},
		{"no qop", `Digest realm="r", nonce=%q`, 99, false, 1},
		{"stale", `Digest realm="r", qop="auth", nonce=%q`, 2, false, 3},
		{"next nonce", `Digest realm="r", qop="auth", nonce=%q`, 1, true, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &digestServer{challenge: c.challenge, uses: c.uses, next: c.next, used: map[string]int{}}
			server := httptest.NewServer(s)
			defer server.Close()
			client, err := New(Options{Auth: &Auth{User: "ada", Password: "pass", Digest: true}})
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			for i := range 5 {
				body := fmt.Sprint("body ", i)
				r, err := client.Do(t.Context(), Request{Method: "POST", URL: server.URL + "/a?b=%20c", Body: []byte(body)})
				if err != nil || string(r.Body) != "welcome" || s.bodies[i] != body || len(r.History) != 0 {
					t.Fatalf("call %d: %v %+v, bodies %q", i, err, r, s.bodies)
				}
			}
			if s.refused != c.refused {
				t.Errorf("refused %d times, want %d", s.refused, c.refused)
			}
			r, err := client.Do(t.Context(), Request{URL: server.URL, Auth: &Auth{User: "ada", Password: "wrong", Digest: true}})
			if err != nil || r.Status != http.StatusUnauthorized {
				t.Errorf("a wrong password: %v %v", r, err)
			}
			if n := s.refused - c.refused; n > 3 {
				t.Errorf("a wrong password was tried %d times", n)
			}
		})
	}
}

// TestDigestStays sends nothing to another origin, and no password to a server that asks for Basic.
func TestDigestStays(t *testing.T) {
	var seen []string
	var mu sync.Mutex
	note := func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, r.Header.Get("Authorization"))
		w.Header().Set("WWW-Authenticate", `Digest realm="r", nonce="n"`)
		if r.URL.Path == "/basic" {
			w.Header().Set("WWW-Authenticate", `Basic realm="r"`)
		}
		w.WriteHeader(http.StatusUnauthorized)
	}
	other := httptest.NewServer(http.HandlerFunc(note))
	defer other.Close()
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer first.Close()
	client, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	auth := &Auth{User: "ada", Password: "pass", Digest: true}
	for _, url := range []string{first.URL + "/away", other.URL + "/basic"} {
		if r, err := client.Do(t.Context(), Request{URL: url, Auth: auth}); err != nil || r.Status != http.StatusUnauthorized {
			t.Errorf("%s: %v %v", url, r, err)
		}
	}
	if !reflect.DeepEqual(seen, []string{"", ""}) {
		t.Errorf("sent %q", seen)
	}
}

func TestNetrc(t *testing.T) {
	path := filepath.Join(t.TempDir(), "netrc")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`# a comment
machine one.example login ada password pa#ss account x
machine Two.Example
	login "b \"c\""
	password "with blank" # the rest
macdef init
	machine three.example login no password no

default login anonymous password guest
`)
	n, err := ReadNetrc(path)
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]Auth{
		"one.example": {User: "ada", Password: "pa#ss"}, "TWO.example": {User: `b "c"`, Password: "with blank"},
		"three.example": {User: "anonymous", Password: "guest"},
	} {
		if got := n.Find(host); got == nil || *got != want {
			t.Errorf("%s: got %v, want %v", host, got, want)
		}
	}
	for text, want := range map[string]string{
		"machine h login a\npassword":         "line 2: the last word has no value",
		"login a":                             "line 1: login before a machine",
		"machine h\nhunter2":                  "line 2: want machine",
		"machine h login a password \"open\n": "line 1: a quote is not closed",
	} {
		write(text)
		if _, err := ReadNetrc(path); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") || fault.KindOf(err) != fault.Env {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
