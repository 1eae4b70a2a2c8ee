package lsp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"omniexpect/builtins"
	"omniexpect/internal/interp"
	"omniexpect/internal/mask"
	"omniexpect/lib"
)

// client is the other side of a server.
type client struct {
	t      *testing.T
	in     *io.PipeWriter
	frames *frames
	code   chan int
	log    *bytes.Buffer // to be read when the server has ended
}

func config(t *testing.T) Config {
	v := (&builtins.State{Marker: "none", Mask: mask.New()}).Vocabulary()
	return Config{Vocabulary: v, Values: interp.Predeclare(v), Embedded: map[string]fs.FS{"@lib": lib.Files}, Cache: t.TempDir()}
}

// serve starts a server; change changes it before.
func serve(t *testing.T, change func(*server)) *client {
	t.Helper()
	in, inW := io.Pipe()
	outR, out := io.Pipe()
	c := &client{t: t, in: inW, frames: newFrames(outR), code: make(chan int, 1), log: &bytes.Buffer{}}
	cfg := config(t)
	cfg.Log = c.log
	s := newServer(out, cfg)
	if change != nil {
		change(s)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		code := s.talk(t.Context(), in)
		out.Close()
		c.code <- code
	}()
	t.Cleanup(func() {
		inW.Close()
		io.Copy(io.Discard, outR)
		<-done
	})
	return c
}

func (c *client) send(method string, id any, params any) {
	c.t.Helper()
	msg := map[string]any{"jsonrpc": "2.0", "method": method, "params": params}
	if id != nil {
		msg["id"] = id
	}
	if err := write(c.in, msg); err != nil {
		c.t.Fatal(err)
	}
}

// answer is a response, or a notification.
type answer struct {
	ID     any
	Method string
	Result json.RawMessage
	Params json.RawMessage
	Error  *rpcError
}

func (c *client) receive() answer {
	c.t.Helper()
	body, err := c.frames.next()
	if err != nil {
		c.t.Fatal(err)
	}
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		c.t.Fatal(err)
	}
	return a
}

func (c *client) open(uri, body string) {
	c.send("textDocument/didOpen", nil, map[string]any{"textDocument": map[string]any{"uri": uri, "version": 1, "text": body}})
}

// TestPanicIsAnAnswer has a handler, and a check, that panic: the server goes on.
func TestPanicIsAnAnswer(t *testing.T) {
	c := serve(t, func(s *server) {
		s.handlers["test/panic"] = func(json.RawMessage) (any, error) { panic("on purpose") }
		s.Vocabulary = nil // for checks
	})
	c.send("initialize", 1, nil)
	c.receive()
	c.send("test/panic", 2, nil)
	if a := c.receive(); a.ID != 2.0 || a.Error == nil || a.Error.Code != internalError || !strings.Contains(a.Error.Message, "on purpose") {
		t.Errorf("%+v", a)
	}
	c.send("test/panic", nil, nil)
	c.open("file:///a.star", "spawn()")
	if a := c.receive(); !strings.Contains(string(a.Params), "not checked: a defect of omniexpect") {
		t.Errorf("%s", a.Params)
	}
	c.send("textDocument/hover", "three", map[string]any{"textDocument": map[string]any{"uri": "file:///a.star"}, "position": position{0, 2}})
	if a := c.receive(); a.ID != "three" || a.Error != nil || !strings.Contains(string(a.Result), "Run a program") {
		t.Errorf("%+v", a)
	}
	c.send("exit", nil, nil)
	if code := <-c.code; code != 1 || !strings.Contains(c.log.String(), "on purpose") {
		t.Errorf("status %d, log %s", code, c.log)
	}
}

// TestCancel cancels a request that waits behind another one.
func TestCancel(t *testing.T) {
	begun, goOn := make(chan bool), make(chan bool)
	c := serve(t, func(s *server) {
		s.handlers["test/slow"] = func(json.RawMessage) (any, error) {
			begun <- true
			<-goOn
			return "done", nil
		}
	})
	c.send("initialize", 1, nil)
	c.receive()
	c.send("test/slow", 2, nil)
	<-begun
	c.send("textDocument/hover", 3, nil)
	c.send("shutdown", 4, nil)
	c.send("$/cancelRequest", nil, map[string]any{"id": 3})
	c.send("$/cancelRequest", nil, map[string]any{"id": 99})
	c.send("$/cancelRequest", nil, []int{1})
	c.send("initialized", nil, nil) // what was sent before was read when this is
	close(goOn)
	var got []string
	for range 3 {
		a := c.receive()
		code := 0
		if a.Error != nil {
			code = a.Error.Code
		}
		got = append(got, fmt.Sprint(a.ID, " ", code))
	}
	if want := []string{"2 0", "3 -32800", "4 0"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestCheckOnceForManyEdits sends edits faster than they can be checked: what was typed last is checked.
func TestCheckOnceForManyEdits(t *testing.T) {
	begun, goOn := make(chan bool), make(chan bool)
	c := serve(t, func(s *server) {
		s.handlers["test/slow"] = func(json.RawMessage) (any, error) {
			begun <- true
			<-goOn
			return nil, nil
		}
	})
	c.send("initialize", 1, nil)
	c.receive()
	c.open("file:///none/b.star", "def f():\n    pass\n")
	c.receive()
	c.send("test/slow", nil, nil)
	<-begun
	for i, body := range []string{"x", "y", "def f():\n    return 1\n"} {
		c.send("textDocument/didChange", nil, map[string]any{"textDocument": map[string]any{"uri": "file:///none/b.star", "version": i + 2},
			"contentChanges": []any{map[string]any{"text": body}}})
	}
	c.send("initialized", nil, nil) // what was sent before was read when this is
	close(goOn)
	if a := c.receive(); string(a.Params) != `{"uri":"file:///none/b.star","version":4,"diagnostics":[]}` {
		t.Errorf("%s", a.Params)
	}
}

// TestLoadersAreCheckedAgain changes a module that another document loads: that one is told only what is new.
func TestLoadersAreCheckedAgain(t *testing.T) {
	var out bytes.Buffer
	s := newServer(&out, config(t))
	told := func() string {
		t.Helper()
		for d := s.unchecked(); d != nil; d = s.unchecked() {
			if err := s.check(d); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for f := newFrames(&out); ; {
			body, err := f.next()
			if err != nil {
				return strings.Join(got, " ")
			}
			var a struct{ Params diagnosticsParams }
			if err := json.Unmarshal(body, &a); err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(path.Base(a.Params.URI), " ", *a.Params.Version, " ", len(a.Params.Diagnostics)))
		}
	}
	version := 1
	call := func(method, uri, body string) string {
		t.Helper()
		raw, err := json.Marshal(map[string]any{"textDocument": map[string]any{"uri": uri, "version": version, "text": body},
			"contentChanges": []any{map[string]any{"text": body}}})
		if err == nil {
			_, err = s.handlers["textDocument/"+method](raw)
		}
		if err != nil {
			t.Fatal(err)
		}
		version++
		return told()
	}
	const a, b = "file:///none/a.star", "file:///none/b.star"
	for i, c := range []struct{ got, want string }{
		{call("didOpen", b, "def f():\n    pass\n"), "b.star 1 0"},
		{call("didOpen", a, "load(\"b.star\", \"f\")\nf()\n"), "a.star 2 0"},
		{call("didChange", b, "def f():\n    return 1\n"), "b.star 3 0"},
		{call("didChange", b, "def g():\n    return 1\n"), "b.star 4 0 a.star 2 1"},
		{call("didChange", b, "def f():\n    return 1\n"), "b.star 5 0 a.star 2 0"},
	} {
		if c.got != c.want {
			t.Errorf("step %d: told %q, want %q", i, c.got, c.want)
		}
	}
}

// TestNestedTooDeeply has texts that would take all of the stack.
func TestNestedTooDeeply(t *testing.T) {
	c := serve(t, nil)
	c.send("initialize", 1, nil)
	c.receive()
	for i, body := range []string{strings.Repeat("(", 200000), "x = " + strings.Repeat("-", 200000) + "1", strings.Repeat("[", 200000) + strings.Repeat("]", 200000),
		"x = " + strings.Repeat("not ", 100000) + "1", strings.Repeat("x\n", 1<<20)} {
		uri := fmt.Sprintf("file:///%d.star", i)
		c.open(uri, body)
		if a := c.receive(); !strings.Contains(string(a.Params), "not checked") {
			t.Errorf("%.20q: %.200s", body, a.Params)
		}
		c.send("textDocument/completion", i+2, map[string]any{"textDocument": map[string]any{"uri": uri}, "position": position{0, 5}})
		if a := c.receive(); a.Error != nil {
			t.Errorf("%.20q: %v", body, a.Error)
		}
		c.send("textDocument/formatting", i+2, map[string]any{"textDocument": map[string]any{"uri": uri}})
		if a := c.receive(); a.Error != nil || string(a.Result) != "null" {
			t.Errorf("%.20q: %v", body, a.Error)
		}
	}
}

func TestFrames(t *testing.T) {
	long := "Content-Length: " + strings.Repeat("1", 30)
	for _, c := range []struct{ in, want string }{
		{"Content-Length: 2\r\n\r\n{}", "{} EOF"},
		{"content-length:2\r\nContent-Type: x\r\n\r\n{}Content-Length: 1\r\n\r\n1", "{} 1 EOF"},
		{"Content-Length: 2\n\n{}", "{} EOF"},
		{"\r\n\r\nContent-Length: 0\r\n\r\n", " EOF"},
		{"", "EOF"},
		{"Content-Length: 5\r\n\r\n{}", "unexpected EOF"},
		{"Content-Length: 5\r\n", "unexpected EOF"},
		{"Content-Length", "unexpected EOF"},
		{"Content-Length: x\r\n\r\n{}Content-Length: 1\r\n\r\n1", "bad 1 EOF"},
		{"Content-Length: -1\r\n\r\n{}\r\n\r\nContent-Length: 1\r\n\r\n1", "bad 1 EOF"},
		{long + "\r\n\r\nContent-Length: 1\r\n\r\n1", "bad 1 EOF"},
		{"junk\nmore\n" + strings.Repeat("y", 1<<18) + "Content-Length: 1\r\n\r\n1", "bad 1 EOF"},
		{fmt.Sprintf("Content-Length: %d\r\n\r\n", longest+1) + strings.Repeat("z", longest+1) + "Content-Length: 1\r\n\r\n1", "bad 1 EOF"},
	} {
		f := newFrames(strings.NewReader(c.in))
		var got []string
		for {
			body, err := f.next()
			if _, ok := err.(*badFrame); ok {
				got = append(got, "bad")
				continue
			}
			if err != nil {
				got = append(got, err.Error())
				break
			}
			got = append(got, string(body))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%.60q: %q, want %q", c.in, s, c.want)
		}
	}
}

// TestParentGone serves an editor that ends without a word.
func TestParentGone(t *testing.T) {
	editor := exec.Command("cat")
	stdin, err := editor.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := editor.Start(); err != nil {
		t.Fatal(err)
	}
	c := serve(t, func(s *server) { s.Pulse = time.Millisecond })
	c.send("initialize", 1, map[string]any{"processId": editor.Process.Pid})
	c.receive()
	stdin.Close()
	editor.Wait()
	if code := <-c.code; code != 1 {
		t.Errorf("status %d, want 1", code)
	}
	if !strings.Contains(c.log.String(), "is gone") {
		t.Errorf("log %q", c.log)
	}
}

// TestParentElsewhere serves an editor whose process is not to be seen from here: nothing follows from that.
func TestParentElsewhere(t *testing.T) {
	editor := exec.Command("true")
	if err := editor.Run(); err != nil {
		t.Fatal(err)
	}
	c := serve(t, func(s *server) { s.Pulse = time.Millisecond })
	c.send("initialize", 1, map[string]any{"processId": editor.Process.Pid})
	c.receive()
	c.send("shutdown", 2, nil)
	if a := c.receive(); a.Error != nil {
		t.Error(a.Error)
	}
	c.in.Close()
	if code := <-c.code; code != 0 {
		t.Errorf("status %d, want 0", code)
	}
}

// TestNames has file names with characters that URIs escape.
func TestNames(t *testing.T) {
	s := newServer(io.Discard, config(t))
	for _, c := range []struct{ uri, name, back string }{
		{"file:///a%20b/%C3%A9%23%25%3F.star", "/a b/é#%?.star", "file:///a%20b/%C3%A9%23%25%3F.star"},
		{"file://localhost/x.star", "/x.star", "file:///x.star"},
		{"file:///x/../y//z.star", "/y/z.star", "file:///y/z.star"},
		{"untitled:Untitled-1", "untitled:Untitled-1", ""},
		{"file:///%zz", "file:///%zz", ""},
	} {
		name := s.nameOf(c.uri)
		if name != c.name {
			t.Errorf("%s is %q, want %q", c.uri, name, c.name)
		}
		if uri, err := s.uriOf(name); c.back != "" && (err != nil || uri != c.back) {
			t.Errorf("%s is %q, %v, want %q", name, uri, err, c.back)
		}
	}
	uri, err := s.uriOf("@lib//omnigent.star")
	if err != nil || s.nameOf(uri) != "@lib//omnigent.star" {
		t.Fatalf("a module of the binary: %s, %v, is %q", uri, err, s.nameOf(uri))
	}
	path := strings.TrimPrefix(uri, "file://")
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o444 {
		t.Errorf("its copy: %v, %v", st, err)
	}
	if again, err := s.uriOf("@lib//omnigent.star"); err != nil || again != uri {
		t.Errorf("once more: %s, %v", again, err)
	}
}
