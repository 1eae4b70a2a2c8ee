package builtins_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.starlark.net/starlark"

	"omniexpect/internal/fault"
)

// TestHTTPBadInput holds every failure against its kind, its words and its line.
func TestHTTPBadInput(t *testing.T) {
	refused, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refused.Close()
	dead := refused.Addr().String()
	for _, c := range []struct {
		text string
		kind fault.Kind
		part string
	}{
		{`http_get("example.org/x")`, fault.Usage, "no scheme"},
		{`http_get("ftp://example.org/x")`, fault.Usage, `scheme "ftp"`},
		{`http_get("http://name.invalid/")`, fault.Env, "unknown host"},
		{`http_get("http://` + dead + `/")`, fault.Env, "connection refused"},
		{`http_get("unix:///no/such.sock:/x")`, fault.Env, "no such socket"},
		{`http_get(http_serve({"/": "x"}, tls=True).url)`, fault.Env, "no TLS connection"},
		{`http_get(http_serve({"/": "x"}).url.replace("http:", "https:"))`, fault.Env, "plain HTTP"},
		{`http_get(http_serve({"/": "no json"}).url).json()`, fault.HTTP, "the body is not JSON: line 1, column 2"},
		{`http_get(http_serve({"/": {"json": {}}}).url).jsonpath("data")`, fault.Usage, `jsonpath "data"`},
		{`http_post("http://127.0.0.1:1/", files={"f": "/no/such/file"})`, fault.Env, "/no/such/file"},
		{`http_post("http://127.0.0.1:1/", body_file="/no/such/file")`, fault.Env, "/no/such/file"},
		{`http_get("http://127.0.0.1:1/", save_to="/no/such/dir/file")`, fault.Env, "/no/such/dir"},
		{`http_get(http_serve({"/": {"fault": "never"}}).url, timeout=0.1)`, fault.Timeout, "no answer within 100ms"},
		{`http_get(http_serve({"/": {"chunks": ["a", ("b", 60)]}}).url, timeout=0.3)`, fault.Timeout, "the answer did not end (1 byte read) within 300ms"},
		{`http_get(http_serve({"/": {"fault": "reset"}}).url)`, fault.Env, "reset"},
		{`http_get(http_serve({"/": {"text": "0123456789", "fault": "half"}}).url)`, fault.Env, "broke off after 5 bytes of 10 bytes"},
		{`http_get(http_serve({"/": {"text": "0123456789"}}).url, max_body=5)`, fault.HTTP, "larger than the limit"},
		{`http_get(http_serve({"/": "x"}).url, status=404)`, fault.HTTP, "expected 404, got 200"},
		{`http_get("http://127.0.0.1:1/", cert=7)`, fault.Usage, "cert: got int"},
		{`http_get("http://127.0.0.1:1/", ca_file="/no/such.pem")`, fault.Env, "/no/such.pem"},
		{`http_get("http://127.0.0.1:1/", proxy="nowhere")`, fault.Usage, "not a proxy URL"},
		{`http_get("http://127.0.0.1:1/", headers={"a b": "c"})`, fault.Usage, "header name"},
		{`http_get("http://127.0.0.1:1/", params=[1])`, fault.Usage, "want a (name, value) pair"},
		{`http_post("http://127.0.0.1:1/", json=len)`, fault.Usage, "json"},
		{`http_serve({"x": "y"})`, fault.Usage, "x"},
		{`http_serve({"/": {"statsu": 200}})`, fault.Usage, `unknown key "statsu"`},
		{`http_serve({"/": 7})`, fault.Usage, "got int"},
		{`sse(http_serve({"/": "x"}).url)`, fault.HTTP, "no event stream"},
		{`sse("http://` + dead + `/")`, fault.Env, "connection refused"},
		{`sse(http_serve({"/": {"events": ["a", {"data": "b", "delay": 60}]}}).url).next_event("x", timeout=0.2)`, fault.Timeout, `no event "x" within 200ms`},
		{`sse(http_serve({"/": {"events": ["a"]}}).url).next_event("x", timeout=20)`, fault.EOF, "the server ended the stream after 1 event"},
		{`http_lines(http_serve({"/": "a\nb\n"}).url).next_line("c", timeout=20)`, fault.EOF, "the body ended after 2 lines"},
		{`websocket(http_serve({"/": "x"}).url)`, fault.HTTP, "no WebSocket"},
		{`websocket(http_serve({"/": {"websocket": {"echo": True}}}).url).receive(timeout=0.1)`, fault.Timeout, "no message within 100ms"},
		{`check(7)`, fault.Usage, "check: got int"},
		{`check(http_get(http_serve({"/": "x"}).url), status=201, header={"x-a": "1"}, contains=["x", "y"])`, fault.HTTP, "3 of 4 checks fail"},
		{`http_poll("http://` + dead + `/", timeout=0.2, interval=0.05)`, fault.Timeout, "last error: GET http://"},
		{`http_poll(http_serve({"/": {"status": 503, "text": "busy"}}).url, timeout=0.2, interval=0.05)`, fault.Timeout, "last value: status 503 Service Unavailable: busy"},
		{`yaml.decode("a: [")`, fault.Usage, "yaml.decode"},
		{`csv.decode("a,\"b")`, fault.Usage, "csv.decode"},
		{`jsonl.decode("{}\nx")`, fault.Usage, "line 2"},
		{`base64.decode("!!")`, fault.Usage, "base64.decode"},
		{`re.search("(", "x")`, fault.Usage, "missing closing )"},
		{`fs.read("/no/such/file")`, fault.Env, "no such file"},
		{`fs.remove_tree("/etc")`, fault.Usage, "so it stays"},
		{`digest.hmac("k", "d", hash="crc")`, fault.Usage, `hash="crc"`},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			wantFault(t, "x = 1\n"+c.text+"\n", c.kind, c.part, 2)
		})
	}
}

// TestInterruptEndsHTTP interrupts a script while each kind of wait is under way, which every wait has to end at.
func TestInterruptEndsHTTP(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, text := range []string{
		`http_get(s.url + "/never", timeout=None)`,
		`http_get(s.url + "/drip", timeout=None)`,
		`http_get(s.url + "/drip", timeout=None, save_to=fs.temp_dir() + "/f")`,
		`http_poll(s.url + "/busy", timeout=None, interval=60)`,
		`sse(s.url + "/events").next_event("none", timeout=None)`,
		`sse(s.url + "/events").expect("none", timeout=None)`,
		`sse(s.url + "/never", timeout=None)`,
		`http_lines(s.url + "/drip").next_line("none", timeout=None)`,
		`websocket(s.url + "/ws").receive("none", timeout=None)`,
		`websocket(s.url + "/never", timeout=None)`,
		`s.next_request("/none", timeout=None)`,
		`http_get(s.url + "/handler", timeout=None)`,
		`http_get(s.url + "/spin", timeout=None)`,
	} {
		t.Run(text, func(t *testing.T) {
			began := make(chan struct{})
			begin := starlark.NewBuiltin("begin", func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
				close(began)
				return starlark.None, nil
			})
			s := newScript(starlark.StringDict{"begin": begin})
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			ended := make(chan error, 1)
			go func() {
				ended <- s.do(ctx, `
def spin(r):
    while True:
        pass
s = http_serve({"/never": {"fault": "never"}, "/drip": {"chunks": ["a\n", ("b\n", 600)]}, "/busy": {"status": 503},
    "/events": {"events": ["a", {"data": "b", "delay": 600}]}, "/ws": {"websocket": {"echo": True}},
    "/handler": lambda r: sleep(None), "/spin": spin})
begin()
`+text+"\n")
			}()
			<-began
			cancel(fault.New(fault.Interrupt, "interrupted by the test"))
			select {
			case err := <-ended:
				if fault.KindOf(err) != fault.Interrupt && (err == nil || !strings.Contains(err.Error(), "interrupted by the test")) {
					t.Errorf("got %v, want the interrupt", err)
				}
			case <-time.After(20 * time.Second):
				t.Fatal("the interrupt did not end it")
			}
		})
	}
	settle(t, before)
}

// TestInterruptDuringManyRequests interrupts 200 requests to the script's own stub server, whose handlers take turns
// under the run's lock.
func TestInterruptDuringManyRequests(t *testing.T) {
	before := runtime.NumGoroutine()
	var served atomic.Int32
	half := make(chan struct{})
	tick := starlark.NewBuiltin("tick", func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
		if served.Add(1) == 100 {
			close(half)
		}
		return starlark.None, nil
	})
	s := newScript(starlark.StringDict{"tick": tick})
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-half
		cancel(fault.New(fault.Interrupt, "interrupted by the test"))
	}()
	err := s.do(ctx, `
seen = {}
def count(r):
    seen[r.query["n"]] = True
    tick()
    sleep(0.001 if len(seen) < 100 else None)
    return {"json": len(seen)}
s = http_serve({"/count": count})
parallel([lambda n=n: http_get(s.url + "/count?n=%d" % n, timeout=None) for n in range(200)])
`)
	if err == nil || !strings.Contains(err.Error(), "interrupted by the test") {
		t.Errorf("got %v, want the interrupt", err)
	}
	settle(t, before)
}

// TestInterruptEndsAHandlerThatComputes has a client outside the run keep a handler busy, which then has the run's lock.
func TestInterruptEndsAHandlerThatComputes(t *testing.T) {
	before := runtime.NumGoroutine()
	url, busy := make(chan string, 1), make(chan struct{})
	tell := func(name string, f func(starlark.Tuple)) *starlark.Builtin {
		return starlark.NewBuiltin(name, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			f(args)
			return starlark.None, nil
		})
	}
	s := newScript(starlark.StringDict{
		"serving": tell("serving", func(args starlark.Tuple) { text, _ := starlark.AsString(args[0]); url <- text }),
		"busy":    tell("busy", func(starlark.Tuple) { close(busy) }),
	})
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	asked, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(asked)
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		if resp, err := client.Get(<-url); err == nil {
			resp.Body.Close()
		}
	}()
	go func() {
		ended <- s.do(ctx, `
def spin(r):
    busy()
    while True:
        pass
s = http_serve({"/": spin})
serving(s.url)
sleep(None)
`)
	}()
	<-busy
	cancel(fault.New(fault.Interrupt, "interrupted by the test"))
	select {
	case err := <-ended:
		if err == nil || !strings.Contains(err.Error(), "interrupted by the test") {
			t.Errorf("got %v, want the interrupt", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the interrupt did not end it")
	}
	<-asked
	settle(t, before)
}

// TestManyRequestsToOwnStub is the same without the interrupt: every request is answered and recorded.
func TestManyRequestsToOwnStub(t *testing.T) {
	before := runtime.NumGoroutine()
	if err := newScript(nil).do(t.Context(), `
state = {"n": 0}
def count(r):
    n = state["n"]
    if n % 10 == 0:
        sleep(0.001)
        n = state["n"]
    state["n"] = n + 1
    return {"json": r.json()}
s = http_serve({"POST /count": count})
answers = parallel([lambda n=n: http_post(s.url + "/count", json=n, status=200).json() for n in range(200)])
assert.eq(answers, list(range(200)))
assert.eq(state["n"], 200)
assert.eq(sorted([r.json() for r in s.requests]), list(range(200)))
`); err != nil {
		t.Error(err)
	}
	settle(t, before)
}

// TestSecretsInHTTPFailures makes calls fail whose URL, headers, bodies and answers hold a secret.
func TestSecretsInHTTPFailures(t *testing.T) {
	const word = "hunter2 & more/ü"
	for _, text := range []string{
		`http_get("http://127.0.0.1:1/" + p + "?q=1", params={"k": p})`,
		`http_get("http://user:" + url.quote("hunter2 & more/ü") + "@127.0.0.1:1/")`,
		`http_post(s.url + "/echo", json={"k": p}, status=204)`,
		`http_post(s.url + "/echo", body="=" + p, auth=("me", p), headers={"x-key": p}, status=204)`,
		`http_get(s.url + "/auth", auth=p, status=204)`,
		`http_post(s.url + "/echo", body=p).json()`,
		`check(http_post(s.url + "/echo", form={"k": p}), contains="none", header={"x-key": p})`,
		`http_poll(s.url + "/echo", method="POST", body=p, until=lambda r: False, timeout=0.1)`,
		`sse(s.url + "/echo", method="POST", body=p)`,
		`fail(http_post(s.url + "/echo", body=p).text, s.requests[-1].text, s.requests[-1], p)`,
		`http_get(s.url + "/broken/" + p, status=200)`,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			s := newScript(nil)
			err := s.do(t.Context(), fmt.Sprintf("p = secret(%q)\n", word)+`
def broken(r):
    fail("cannot serve", r.path)
s = http_serve({"POST /echo": lambda r: r.text, "/auth": lambda r: r.headers["authorization"], "/broken/{what...}": broken})
`+text+"\n")
			var f *fault.Error
			if !errors.As(err, &f) {
				t.Fatalf("got %v, want a failure", err)
			}
			all := strings.Join(append(f.Hints, f.Msg, f.Detail, strings.Join(s.notes, "\n"), s.printed.String()), "\n")
			masked := s.State.Mask.Mask(all)
			if strings.Contains(masked, "hunter2") || strings.Contains(masked, "more%2F") || strings.Contains(masked, "aHVudGVyMi") {
				t.Errorf("the secret is seen:\n%s", masked)
			}
			if masked == all && !strings.Contains(text, "user:") && !strings.Contains(all, "***") {
				t.Errorf("the secret was nowhere, so this shows nothing:\n%s", all)
			}
		})
	}
}

// TestUnixSocketAndFiles reaches a stub on a unix socket, sends files to it and saves what it answers.
func TestUnixSocketAndFiles(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "s") // not below $TMPDIR: a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	sock := filepath.Join(dir, "s.sock")
	if err := newScript(starlark.StringDict{"sock": starlark.String(sock)}).do(t.Context(), `
s = http_serve({"/up": lambda r: {"json": {"type": r.headers["content-type"].split(";")[0], "text": r.text}}, "/big": "x" * 100000}, socket=sock)
d = fs.temp_dir()
fs.write(d + "/a.txt", "from a file")
r = http_post(s.url + "/up", form={"k": "v"}, files={"f": d + "/a.txt", "g": {"content": b"\x00", "name": "g.bin", "type": "x/y"}})
assert.eq(r.json()["type"], "multipart/form-data")
for part in ["from a file", 'filename="g.bin"', "x/y", 'name="k"']:
    assert.contains(r.json()["text"], part)
steps = []
r = http_get("unix://" + sock + ":/big", save_to=d + "/big", progress=lambda done, total: steps.append((done, total)))
assert.eq((r.saved, r.text, len(fs.read(d + "/big"))), (100000, "", 100000))
assert.eq(steps[-1], (100000, 100000))
assert.eq(http(base="http://any", socket=sock).get("/big").status, 200)
`); err != nil {
		t.Error(err)
	}
}

// TestTLSOptions has a stub with a certificate of its own.
func TestTLSOptions(t *testing.T) {
	if err := newScript(nil).do(t.Context(), `
s = http_serve({"/": "safe", "/ws": {"websocket": {"echo": True}}, "/events": {"events": ["a"]}}, tls=True)
assert.eq(http_get(s.url, ca_file=s.ca_file).text, "safe")
assert.eq(http_get(s.url, verify=False).text, "safe")
assert.eq(http(base=s.url, ca_file=s.ca_file).get("/").text, "safe")
assert.eq(sse(s.url + "/events", ca_file=s.ca_file).next_event().data, "a")
assert.fails(http_get, s.url, kind="env", error="certificate")
w = websocket(s.url + "/ws", ca_file=s.ca_file)
w.send("x")
assert.eq(w.receive(), "x")
`); err != nil {
		t.Error(err)
	}
}
