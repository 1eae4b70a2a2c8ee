package httpc

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"

	"omniexpect/internal/fault"
)

func TestRedirects(t *testing.T) {
	other := serve(t, echo)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/302":
			http.Redirect(w, r, "/end?x=1", http.StatusFound)
		case "/307":
			http.Redirect(w, r, "/end", http.StatusTemporaryRedirect)
		case "/away":
			http.Redirect(w, r, other.URL+"/end", http.StatusTemporaryRedirect)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/bad":
			w.Header().Set("Location", "gopher://x/")
			w.WriteHeader(http.StatusFound)
		default:
			echo(w, r)
		}
	})
	c := newClient(t, Options{})
	secret := Request{Method: "POST", Body: []byte("data"), Auth: &Auth{Bearer: "tok"}, Cookies: []Pair{{"sid", "1"}},
		Headers: []Pair{{"X-Mine", "shh"}, {"X-Api-Key", "k"}, {"X-Plain", "p"}}, SecretHeaders: []string{"x-mine"}}
	with := func(path string) Request { r := secret; r.URL = s.URL + path; return r }

	t.Run("302 turns POST into GET", func(t *testing.T) {
		resp := do(t, c, with("/302"))
		if resp.URL != s.URL+"/end?x=1" || resp.Method != "GET" || strings.Contains(resp.Text(), "data") {
			t.Errorf("%s %s %s", resp.Method, resp.URL, resp.Text())
		}
		if len(resp.History) != 1 || resp.History[0].Status != 302 || resp.History[0].URL != s.URL+"/302" {
			t.Errorf("history %+v", resp.History)
		}
	})
	t.Run("same origin keeps everything", func(t *testing.T) {
		text := do(t, c, with("/307")).Text()
		for _, want := range []string{"POST /end", "\ndata", "Bearer tok", "sid=1", "shh", "X-Api-Key"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s\nlacks %q", text, want)
			}
		}
	})
	t.Run("another port is another origin", func(t *testing.T) {
		text := do(t, c, with("/away")).Text()
		for _, not := range []string{"tok", "sid", "shh", "X-Api-Key"} {
			if strings.Contains(text, not) {
				t.Errorf("%s\nhas %q", text, not)
			}
		}
		if !strings.Contains(text, "X-Plain: p") || !strings.Contains(text, "\ndata") {
			t.Errorf("%s\nlacks what is not secret", text)
		}
	})
	t.Run("a secret body stays", func(t *testing.T) {
		r := with("/away")
		r.SecretBody = true
		_, err := c.Do(context.Background(), r)
		wantFault(t, err, fault.HTTP, "another origin")
	})
	t.Run("not followed", func(t *testing.T) {
		r := with("/302")
		r.NoRedirect = true
		if resp := do(t, c, r); resp.Status != 302 || resp.Header.Get("location") != "/end?x=1" || resp.Reason != "Found" {
			t.Errorf("%+v", resp)
		}
	})
	t.Run("loop", func(t *testing.T) {
		_, err := c.Do(context.Background(), with("/loop"))
		wantFault(t, err, fault.HTTP, "more than 10 redirects")
	})
	t.Run("bad location", func(t *testing.T) {
		_, err := c.Do(context.Background(), with("/bad"))
		wantFault(t, err, fault.HTTP, `redirect to gopher://x/: unknown scheme "gopher"`)
	})
}

func TestCookies(t *testing.T) {
	cookie := func(w http.ResponseWriter, r *http.Request, name string) {
		http.SetCookie(w, &http.Cookie{Name: name, Value: "1", Path: "/"})
	}
	var first, second *httptest.Server
	second = serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/set" {
			cookie(w, r, "theirs")
		}
		if r.URL.Path == "/back" {
			http.Redirect(w, r, first.URL+"/show", http.StatusFound)
		}
		io.WriteString(w, r.Header.Get("Cookie"))
	})
	first = serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/login":
			cookie(w, r, "ours")
			http.Redirect(w, r, "/show", http.StatusSeeOther)
		case "/away":
			http.Redirect(w, r, second.URL+"/show", http.StatusFound)
		case "/round":
			http.Redirect(w, r, second.URL+"/back", http.StatusFound)
		}
		io.WriteString(w, r.Header.Get("Cookie"))
	})
	c := newClient(t, Options{})
	get := func(url string) string { t.Helper(); return do(t, c, Request{URL: url}).Text() }
	if got := get(first.URL + "/login"); got != "ours=1" {
		t.Errorf("after a login: %q", got)
	}
	if got := get(first.URL + "/away"); got != "" {
		t.Errorf("redirected to another port: %q", got)
	}
	get(second.URL + "/set")
	if got := get(first.URL + "/away"); got != "theirs=1" {
		t.Errorf("redirected to a port with a cookie of its own: %q", got)
	}
	if got := get(first.URL + "/round"); got != "ours=1; theirs=1" {
		t.Errorf("redirected away and back: %q", got)
	}
	jar, err := c.Cookies(first.URL)
	if err != nil || len(jar) != 2 {
		t.Errorf("the jar has %v %v", jar, err)
	}
}

func TestEncodings(t *testing.T) {
	text := strings.Repeat("hello, wörld ", 1000)
	pack := map[string]func(io.Writer) io.WriteCloser{
		"gzip": func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"br":   func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) },
		"zlib": func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
		"raw":  func(w io.Writer) io.WriteCloser { f, _ := flate.NewWriter(w, 5); return f },
	}
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		data := []byte(text)
		names := strings.Split(r.URL.Path[1:], ",")
		for _, name := range names {
			var b bytes.Buffer
			enc := pack[name](&b)
			enc.Write(data)
			enc.Close()
			data = b.Bytes()
		}
		label := strings.NewReplacer("zlib", "deflate", "raw", "deflate").Replace(r.URL.Path[1:])
		w.Header().Set("Content-Encoding", label)
		w.Header().Set("Accepted", r.Header.Get("Accept-Encoding"))
		w.Write(data)
	})
	c := newClient(t, Options{})
	for _, name := range []string{"gzip", "br", "zlib", "raw", "br,gzip", "raw,gzip"} {
		resp := do(t, c, Request{URL: s.URL + "/" + name})
		if resp.Text() != text {
			t.Errorf("%s: %d bytes, want %d", name, len(resp.Body), len(text))
		}
		if got := resp.Header.Get("Accepted"); got != acceptEncoding {
			t.Errorf("accepted %q", got)
		}
		if resp = do(t, c, Request{Method: "HEAD", URL: s.URL + "/" + name}); len(resp.Body) != 0 {
			t.Errorf("HEAD has a body")
		}
		_, err := c.Do(context.Background(), Request{URL: s.URL + "/" + name, MaxBody: int64(len(text)) - 1})
		if err == nil {
			t.Errorf("%s: the limit is not that of the decoded body", name)
		}
	}
}

// TestUnaskedZstd: an encoding that is not asked for is a clear error, and one that the script asked for is the script's.
func TestUnaskedZstd(t *testing.T) {
	const body = "\x28\xb5\x2f\xfd\x24\x05\x29\x00\x00hello"
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "zstd")
		if r.URL.Path == "/twice" {
			w.Header().Set("Content-Encoding", "zstd, gzip")
			z := gzip.NewWriter(w)
			defer z.Close()
			io.WriteString(z, body)
			return
		}
		io.WriteString(w, body)
	})
	c := newClient(t, Options{})
	for _, r := range []Request{{URL: s.URL}, {URL: s.URL + "/twice"}, {URL: s.URL, SaveTo: filepath.Join(t.TempDir(), "f")}} {
		_, err := c.Do(context.Background(), r)
		wantFault(t, err, fault.HTTP, "the body is in the zstd encoding, which was not asked for", "want one of gzip, br, deflate")
	}
	if got := do(t, c, Request{URL: s.URL, Headers: []Pair{{"Accept-Encoding", "zstd"}}}); string(got.Body) != body {
		t.Errorf("asked for: %q", got.Body)
	}
	do(t, c, Request{URL: s.URL, Method: "HEAD"})
}

func TestTLS(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(echo))
	defer s.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(file, block, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, opts := range []Options{{Insecure: true}, {CAFile: file}} {
		if resp := do(t, newClient(t, opts), Request{URL: s.URL}); resp.Status != 200 {
			t.Errorf("%+v: status %d", opts, resp.Status)
		}
	}
}

func TestHTTP2(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/abort":
			panic(http.ErrAbortHandler)
		case "/half":
			io.WriteString(w, "abc")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		case "/never":
			<-r.Context().Done()
		}
		io.WriteString(w, r.Proto)
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	c := newClient(t, Options{Base: s.URL, Insecure: true})
	if resp := do(t, c, Request{}); resp.Text() != "HTTP/2.0" || resp.Proto != "HTTP/2.0" || resp.Reason != "OK" {
		t.Errorf("%q %q %q", resp.Text(), resp.Proto, resp.Reason)
	}
	for _, path := range []string{"/abort", "/half"} {
		_, err := c.Do(context.Background(), Request{URL: path})
		wantFault(t, err, fault.Env)
		if !isTransient(err) {
			t.Errorf("%v is not transient", err)
		}
	}
	err, timeout := overtime(t, "no answer within", func(timeout time.Duration) error {
		_, err := c.Do(context.Background(), Request{URL: "/never", Timeout: timeout})
		return err
	})
	wantFault(t, err, fault.Timeout, "within "+fault.Human(timeout))
}

func TestProxy(t *testing.T) {
	proxy := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "by proxy to "+r.URL.String())
	})
	t.Setenv("HTTP_PROXY", proxy.URL)
	r := Request{URL: "http://somewhere.invalid/x"}
	if got := do(t, newClient(t, Options{}), r).Text(); got != "by proxy to http://somewhere.invalid/x" {
		t.Errorf("from the environment: %q", got)
	}
	if _, err := newClient(t, Options{NoProxy: true}).Do(context.Background(), r); err == nil {
		t.Error("NoProxy used one")
	}
	_, err := newClient(t, Options{Proxy: "http://u:hunter2@" + closedPort(t)}).Do(context.Background(), r)
	wantFault(t, err, fault.Env, "proxy: connection refused")
}

func TestUnixSocket(t *testing.T) {
	path := socketPath(t)
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/go" {
			http.Redirect(w, r, "http://localhost/there", http.StatusFound)
			return
		}
		echo(w, r)
	}))
	s.Listener.Close()
	s.Listener = l
	s.Start()
	defer s.Close()
	for _, tt := range []struct {
		opts      Options
		url, want string
	}{
		{Options{}, "unix://" + path, "GET /\nhost localhost\n"},
		{Options{}, "unix://" + path + ":/v1/x?a=1", "GET /v1/x?a=1\nhost localhost\n"},
		{Options{}, "unix://" + path + ":/go", "GET /there\nhost localhost\n"},
		{Options{Base: "unix://" + path + ":/v1"}, "/x", "GET /v1/x\nhost localhost\n"},
		{Options{Socket: path}, "http://docker/x", "GET /x\nhost docker\n"},
	} {
		resp := do(t, newClient(t, tt.opts), Request{URL: tt.url})
		if !strings.HasPrefix(resp.Text(), tt.want) {
			t.Errorf("%s: %q", tt.url, resp.Text())
		}
		if strings.Contains(resp.URL, "invalid") {
			t.Errorf("the URL shows a made-up host: %s", resp.URL)
		}
	}
}

func TestDownload(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/404":
			http.Error(w, "gone", http.StatusNotFound)
		case "/half":
			w.Header().Set("Content-Length", "10")
			w.Write([]byte("abc"))
		default:
			w.Header().Set("Content-Length", "200000")
			w.Write(bytes.Repeat([]byte("x"), 200_000))
		}
	})
	c := newClient(t, Options{MaxBody: 1000})
	var done, total int64
	resp := do(t, c, Request{URL: s.URL, SaveTo: path, Progress: func(d, n int64) error { done, total = d, n; return nil }})
	data, _ := os.ReadFile(path)
	if len(data) != 200_000 || resp.Saved != 200_000 || done != 200_000 || total != 200_000 || len(resp.Body) != 0 {
		t.Errorf("file %d, saved %d, progress %d of %d, body %d", len(data), resp.Saved, done, total, len(resp.Body))
	}
	if resp := do(t, c, Request{URL: s.URL + "/404", SaveTo: path}); resp.Text() != "gone\n" {
		t.Errorf("an error page was saved: %q", resp.Text())
	}
	_, err := c.Do(context.Background(), Request{URL: s.URL + "/half", SaveTo: path})
	wantFault(t, err, fault.Env, "broke off after 3 bytes of 10 bytes")
	_, err = c.Do(context.Background(), Request{URL: s.URL, SaveTo: path, MaxBody: 100})
	wantFault(t, err, fault.HTTP, "larger than the limit of 100 bytes")
	if after, _ := os.ReadFile(path); !bytes.Equal(data, after) {
		t.Error("a failed download changed the file")
	}
	if resp := do(t, c, Request{URL: s.URL, SaveTo: os.DevNull}); resp.Saved != 200_000 {
		t.Errorf("to a device: %d bytes", resp.Saved)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("files left behind: %v", entries)
	}
}
