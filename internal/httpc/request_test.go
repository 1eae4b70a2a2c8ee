package httpc

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"omniexpect/internal/fault"
)

// echo answers with what it got, one thing a line.
func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	io.WriteString(w, r.Method+" "+r.RequestURI+"\n")
	io.WriteString(w, "host "+r.Host+"\n")
	r.Header.Write(w)
	io.WriteString(w, "\n"+string(body))
}

func TestRequestIsSentAsGiven(t *testing.T) {
	s := serve(t, echo)
	tests := []struct {
		name string
		opts Options
		req  Request
		want []string
	}{
		{"params keep their order and follow the URL's", Options{}, Request{URL: s.URL + "/p?z=1&y=%2F", Params: []Pair{{"b", "1 2"}, {"a", "ä&"}, {"b", "3"}}},
			[]string{"GET /p?z=1&y=%2F&b=1+2&a=%C3%A4%26&b=3\n"}},
		{"method in any case", Options{}, Request{Method: "patch", URL: s.URL}, []string{"PATCH / "[:7]}},
		{"json", Options{}, Request{Method: "POST", URL: s.URL, JSON: []byte(`{"a":1}`)}, []string{"Content-Type: application/json\r\n", "Content-Length: 7\r\n", "\n{\"a\":1}"}},
		{"form", Options{}, Request{Method: "POST", URL: s.URL, Form: []Pair{{"b", "x y"}, {"a", "1"}}}, []string{"application/x-www-form-urlencoded", "\nb=x+y&a=1"}},
		{"content type of one's own", Options{}, Request{Method: "POST", URL: s.URL, JSON: []byte(`1`), Headers: []Pair{{"content-type", "application/x"}}}, []string{"Content-Type: application/x\r\n"}},
		{"repeated headers", Options{}, Request{URL: s.URL, Headers: []Pair{{"X-A", "1"}, {"x-a", "2"}}}, []string{"X-A: 1\r\nX-A: 2\r\n"}},
		{"headers of the client", Options{Headers: []Pair{{"X-A", "1"}, {"X-B", "2"}}}, Request{URL: s.URL, Headers: []Pair{{"x-a", "9"}}}, []string{"X-A: 9\r\n", "X-B: 2\r\n"}},
		{"host header", Options{}, Request{URL: s.URL, Headers: []Pair{{"Host", "example.test"}}}, []string{"host example.test\n"}},
		{"basic", Options{}, Request{URL: s.URL, Auth: &Auth{User: "u", Password: "p"}}, []string{"Authorization: Basic dTpw\r\n"}},
		{"bearer of the client", Options{Auth: &Auth{Bearer: "tok"}}, Request{URL: s.URL}, []string{"Authorization: Bearer tok\r\n"}},
		{"user info", Options{}, Request{URL: strings.Replace(s.URL, "//", "//u:p@", 1)}, []string{"Authorization: Basic dTpw\r\n"}},
		{"cookies", Options{}, Request{URL: s.URL, Cookies: []Pair{{"a", "1"}, {"b", "2"}}}, []string{"Cookie: a=1; b=2\r\n"}},
		{"base keeps its path", Options{Base: s.URL + "/api/?k=1"}, Request{URL: "/x//y%2Fz?q=2"}, []string{"GET /api/x//y%2Fz?k=1&q=2\n"}},
		{"base alone", Options{Base: s.URL + "/api"}, Request{}, []string{"GET /api\n"}},
		{"query below a base", Options{Base: s.URL + "/api"}, Request{URL: "?q=a:b"}, []string{"GET /api?q=a:b\n"}},
		{"chunked", Options{}, Request{Method: "POST", URL: s.URL, Body: []byte("abc"), Headers: []Pair{{"Transfer-Encoding", "chunked"}}}, []string{"\nabc"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := do(t, newClient(t, tt.opts), tt.req).Text()
			for _, want := range tt.want {
				if !strings.Contains(text, want) {
					t.Errorf("server got\n%s\nwhich lacks %q", text, want)
				}
			}
			if tt.name == "chunked" && strings.Contains(text, "Content-Length") {
				t.Error("a chunked body was sent with its length")
			}
		})
	}
}

func TestMultipart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "päge.txt")
	if err := os.WriteFile(path, []byte(strings.Repeat("x", 100_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength <= 100_000 {
			t.Errorf("length %d is not that of the whole body", r.ContentLength)
		}
		if err := r.ParseMultipartForm(1 << 20); err != nil {
			t.Error(err)
			return
		}
		if got := r.FormValue("title"); got != "ü" {
			t.Errorf("field is %q", got)
		}
		for field, want := range map[string][3]string{
			"doc":  {"päge.txt", "text/plain; charset=utf-8", strings.Repeat("x", 100_000)},
			"data": {`a".bin`, "application/x-thing", "\x00\x01"},
		} {
			h := r.MultipartForm.File[field][0]
			f, _ := h.Open()
			content, _ := io.ReadAll(f)
			f.Close()
			if got := [3]string{h.Filename, h.Header.Get("Content-Type"), string(content)}; got != want {
				t.Errorf("%s: got %.60q, want %.60q", field, got, want)
			}
		}
	})
	do(t, newClient(t, Options{}), Request{Method: "POST", URL: s.URL, Form: []Pair{{"title", "ü"}}, Files: []File{
		{Field: "doc", Path: path},
		{Field: "data", Content: []byte("\x00\x01"), Name: `a".bin`, ContentType: "application/x-thing"},
	}})
}

func TestRequestsThatCannotBeMade(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none")
	tests := []struct {
		req   Request
		kind  fault.Kind
		parts []string
	}{
		{Request{URL: ""}, fault.Usage, []string{"no scheme"}},
		{Request{URL: "/x"}, fault.Usage, []string{"no scheme and no host", "base"}},
		{Request{URL: "example.test/x"}, fault.Usage, []string{"GET example.test/x: no scheme", "http://"}},
		{Request{URL: "localhost:80/x"}, fault.Usage, []string{"want http://localhost:80/x"}},
		{Request{URL: "ftp://h/"}, fault.Usage, []string{`"ftp"`}},
		{Request{URL: "ws://h/"}, fault.Usage, []string{"WebSocket"}},
		{Request{URL: "http:///x"}, fault.Usage, []string{"no host"}},
		{Request{URL: "http://h:99999/"}, fault.Usage, []string{"99999"}},
		{Request{URL: "http://a b/"}, fault.Usage, []string{"host"}},
		{Request{URL: "http://h/%zz"}, fault.Usage, []string{"%zz"}},
		{Request{URL: "http://u:hunter2@h/%zz"}, fault.Usage, []string{"***@h"}},
		{Request{URL: "http://u:hun/ter2@h/"}, fault.Usage, []string{"***@h"}},
		{Request{URL: "http://u:hunter2@h:99999/"}, fault.Usage, []string{"***@h"}},
		{Request{URL: "unix://"}, fault.Usage, []string{"no path of a socket"}},
		{Request{URL: "http://h/", Method: "GE T"}, fault.Usage, []string{`"GE T"`}},
		{Request{URL: "http://h/", Headers: []Pair{{"A B", "1"}}}, fault.Usage, []string{`"A B"`}},
		{Request{URL: "http://h/", Headers: []Pair{{"A", "hunter2\r\nB: 1"}}}, fault.Usage, []string{"header A", "line break"}},
		{Request{URL: "http://h/", Headers: []Pair{{"Content-Length", "3"}}}, fault.Usage, []string{"Content-Length"}},
		{Request{URL: "http://h/", JSON: []byte("1"), Body: []byte("2")}, fault.Usage, []string{"json and body"}},
		{Request{URL: "http://h/", Cookies: []Pair{{"a;b", "1"}}}, fault.Usage, []string{`"a;b"`}},
		{Request{URL: "http://h/", BodyFile: missing}, fault.Env, []string{"body file " + missing, "no such file"}},
		{Request{URL: "http://h/", Files: []File{{Field: "f", Path: missing}}}, fault.Env, []string{"no such file"}},
		{Request{URL: "http://h/", BodyFile: filepath.Dir(missing)}, fault.Env, []string{"no regular file"}},
		{Request{URL: "http://h/", SaveTo: missing + "/x"}, fault.Env, []string{"no directory"}},
		{Request{URL: "http://h/", SaveTo: filepath.Dir(missing)}, fault.Env, []string{"is a directory"}},
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	tests = append(tests, struct {
		req   Request
		kind  fault.Kind
		parts []string
	}{Request{URL: "http://h/", SaveTo: pipe}, fault.Env, []string{"is a pipe"}})
	c := newClient(t, Options{})
	for _, tt := range tests {
		_, err := c.Do(context.Background(), tt.req)
		if err == nil {
			t.Errorf("%+v: no error", tt.req)
			continue
		}
		wantFault(t, err, tt.kind, tt.parts...)
	}
}

func TestOptionsThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	noPEM := filepath.Join(dir, "no.pem")
	if err := os.WriteFile(noPEM, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		opts Options
		kind fault.Kind
		part string
	}{
		{Options{Base: "h:1"}, fault.Usage, "base URL h:1"},
		{Options{Headers: []Pair{{"", ""}}}, fault.Usage, "header name"},
		{Options{CAFile: filepath.Join(dir, "none")}, fault.Env, "no such file"},
		{Options{CAFile: noPEM}, fault.Env, "no PEM certificate"},
		{Options{CertFile: noPEM}, fault.Env, "client certificate"},
		{Options{KeyFile: noPEM}, fault.Usage, "without a certificate"},
		{Options{Proxy: "u:hunter2@p"}, fault.Usage, "proxy ***@p"},
	} {
		_, err := New(tt.opts)
		if err == nil {
			t.Errorf("%+v: no error", tt.opts)
			continue
		}
		wantFault(t, err, tt.kind, tt.part)
	}
}
