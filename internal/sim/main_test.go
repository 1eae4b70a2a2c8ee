package sim

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// asCLI makes the test's own binary the command line, so that it runs as a process of its own.
const asCLI = "SIM_TEST_AS_CLI"

func TestMain(m *testing.M) {
	if os.Getenv(asCLI) != "" {
		os.Exit(CLI(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// patience is how long a test waits for what must come; only a failure takes that long.
const patience = 20 * time.Second

// safeBuffer is the simulator's log.
type safeBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// fixture is a server with a home and a working directory of its own.
type fixture struct {
	t    *testing.T
	srv  *server
	url  string
	home string
	cwd  string
	log  *safeBuffer
}

func start(t *testing.T, cfg config) *fixture {
	t.Helper()
	if cfg.era == "" {
		cfg.era = eraCurrent
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, home: filepath.Join(dir, "home"), cwd: filepath.Join(dir, "my.work_dir"), log: &safeBuffer{}}
	for _, d := range []string{f.home, f.cwd} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	f.srv, err = newServer(ctx, cfg, f.log)
	if err != nil {
		t.Fatal(err)
	}
	ts := httptest.NewUnstartedServer(f.srv.handler())
	ts.Config.BaseContext = nil
	ts.Start()
	f.url = ts.URL
	t.Cleanup(func() {
		cancel()
		ts.CloseClientConnections()
		ts.Close()
		f.srv.wg.Wait()
		if t.Failed() {
			t.Log("server log:\n" + f.log.String())
		}
	})
	return f
}

func bugs(names ...string) bugSet {
	set, err := parseBugs(names...)
	if err != nil {
		panic(err)
	}
	return set
}

// do sends a request and decodes the answer.
func (f *fixture) do(method, path string, body any) (int, map[string]any) {
	f.t.Helper()
	status, data := f.raw(method, path, body)
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil {
		f.t.Fatalf("%s %s: %v: %s", method, path, err, data)
	}
	return status, out
}

func (f *fixture) raw(method, path string, body any) (int, []byte) {
	f.t.Helper()
	var r io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			f.t.Fatal(err)
		}
		r = bytes.NewReader(data)
	}
	req, err := http.NewRequest(method, f.url+path, r)
	if err != nil {
		f.t.Fatal(err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		f.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	return res.StatusCode, data
}

// want sends a request that must be answered with a status.
func (f *fixture) want(status int, method, path string, body any) map[string]any {
	f.t.Helper()
	got, out := f.do(method, path, body)
	if got != status {
		f.t.Fatalf("%s %s: got %d %v, want %d", method, path, got, out, status)
	}
	return out
}

// until polls for a condition.
func (f *fixture) until(what string, cond func() bool) {
	f.t.Helper()
	deadline := time.Now().Add(patience)
	for !cond() {
		if time.Now().After(deadline) {
			f.t.Fatalf("%s: not within %s", what, patience)
		}
		sleep(f.t.Context(), 5*time.Millisecond)
	}
}

// create makes a session without a command line, bound to a runner, with the fixture's home.
func (f *fixture) create(harness string) (id string) {
	f.t.Helper()
	agent := "b3c1b2de14addb32778823c09af6bebc"
	if harness == harnessCodex {
		agent = "e9ea1932c8ab8b66f401a23d0fe12fdc"
	}
	id = f.want(201, "POST", "/v1/sessions", map[string]any{"agent_id": agent})["id"].(string)
	f.bind(id)
	return id
}

func (f *fixture) bind(id string) {
	f.t.Helper()
	f.want(200, "POST", "/v1/hosts/"+f.srv.hostID+"/runners", map[string]any{"session_id": id, "workspace": f.cwd,
		"sim": map[string]any{"home": f.home, "tmp_dir": "/tmp"}})
}

// open starts the terminal.
func (f *fixture) open(id, harness string) {
	f.t.Helper()
	f.want(200, "POST", "/v1/sessions/"+id+"/resources/terminals",
		map[string]any{"terminal": harness, "session_key": "main", "ensure_native_terminal": true})
}

func (f *fixture) close(id, harness string) {
	f.t.Helper()
	f.want(200, "DELETE", "/v1/sessions/"+id+"/resources/terminals/terminal_"+harness+"_main", nil)
}

func message(text string) map[string]any {
	return map[string]any{"type": "message", "data": map[string]any{"role": "user",
		"content": []any{map[string]any{"type": "input_text", "text": text}}}}
}

func (f *fixture) say(id, text string) map[string]any {
	f.t.Helper()
	return f.want(202, "POST", "/v1/sessions/"+id+"/events", message(text))
}

// items lists the messages as "role: text", other items by their type, oldest first.
func (f *fixture) items(id string) []string {
	f.t.Helper()
	var out []string
	for _, i := range f.want(200, "GET", "/v1/sessions/"+id+"/items?limit=1000", nil)["data"].([]any) {
		i := i.(map[string]any)
		if i["type"] != "message" {
			out = append(out, i["type"].(string))
			continue
		}
		out = append(out, i["role"].(string)+": "+i["content"].([]any)[0].(map[string]any)["text"].(string))
	}
	return out
}

// ask sends a message and waits for the turn's end; it returns what the model said, "" for nothing.
func (f *fixture) ask(id, text string) string { return f.turn(id, text, false) }

// answer is ask for a turn that does have an answer. Claude's session is idle for a moment before that, too.
func (f *fixture) answer(id, text string) string { return f.turn(id, text, true) }

func (f *fixture) turn(id, text string, answered bool) (said string) {
	f.t.Helper()
	before := len(f.items(id))
	f.say(id, text)
	f.until("the turn "+text, func() bool {
		s := f.session(id) // first: what it says holds for the items that follow
		now := f.items(id)[before:]
		i := slices.IndexFunc(now, func(item string) bool { return strings.HasPrefix(item, "assistant: ") })
		if i >= 0 {
			said = strings.TrimPrefix(now[i], "assistant: ")
		}
		return (i >= 0 || !answered && len(now) > 0) && s["status"] != "running" && len(s["pending_inputs"].([]any)) == 0
	})
	return said
}

func (f *fixture) session(id string) map[string]any {
	f.t.Helper()
	return f.want(200, "GET", "/v1/sessions/"+id, nil)
}

// transcripts are the vendor files below the home.
func (f *fixture) transcripts() []string {
	var found []string
	filepath.WalkDir(f.home, func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".jsonl") {
			found = append(found, path)
		}
		return nil
	})
	return found
}

func (f *fixture) removeTranscripts() {
	f.t.Helper()
	found := f.transcripts()
	if len(found) == 0 {
		f.t.Fatal("there is no transcript to remove")
	}
	for _, path := range found {
		if err := os.Remove(path); err != nil {
			f.t.Fatal(err)
		}
	}
}

const (
	marker = "ZEPHYR-0BADCAFE"
	give   = "Reply with ONLY this exact passphrase and nothing else: " + marker
	again  = "Earlier in this conversation you gave me a passphrase. Repeat that exact passphrase now, replying with ONLY the passphrase."
)

func mustContain(t *testing.T, text, want string) {
	t.Helper()
	if !strings.Contains(text, want) {
		t.Errorf("missing %q in:\n%s", want, text)
	}
}
