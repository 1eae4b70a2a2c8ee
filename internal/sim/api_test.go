package sim

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestErrorBodies(t *testing.T) {
	f := start(t, config{})
	id := f.create(harnessClaude)
	unbound := f.want(201, "POST", "/v1/sessions", map[string]any{"agent_id": "b3c1b2de14addb32778823c09af6bebc"})["id"].(string)
	none := "/v1/sessions/00000000000000000000000000000000"
	for _, c := range []struct {
		method, path string
		body         any
		status       int
		want         string
	}{
		{"GET", none, nil, 404, `{"error":{"code":"not_found","message":"Session not found"}}`},
		{"GET", "/v1/sessions/junk/items", nil, 404, `"not_found"`},
		{"GET", "/nowhere", nil, 200, `<!doctype html>`},
		{"GET", "/docs", nil, 200, `Swagger UI`},
		{"HEAD", "/nowhere", nil, 200, ``},
		{"HEAD", "/health", nil, 404, ``},
		{"HEAD", "/v1/sessions/" + id, nil, 404, ``},
		{"POST", "/nowhere", nil, 404, `{"error":{"code":"not_found","message":"Not found"}}`},
		{"GET", "/v1/nowhere", nil, 404, `{"error":{"code":"not_found","message":"Not found"}}`},
		{"PUT", "/health", nil, 404, `{"error":{"code":"not_found","message":"Not found"}}`},
		{"POST", "/v1/sessions", map[string]any{"title": "x"}, 422, `"loc":["agent_id"]`},
		{"PATCH", "/v1/sessions/" + id, map[string]any{"nonsense": 1}, 422, `"type":"extra_forbidden"`},
		{"POST", "/v1/sessions/" + id + "/elicitations/e/resolve", map[string]any{"action": "maybe"}, 422, `'accept', 'decline' or 'cancel'`},
		{"POST", "/v1/sessions/" + id + "/elicitations/e/resolve", map[string]any{}, 422, `"loc":["body","action"]`},
		{"GET", "/v1/sessions/" + id + "/items?limit=0", nil, 422, `"loc":["query","limit"]`},
		{"GET", "/v1/sessions/" + id + "/items?limit=1001", nil, 422, `less_than_equal`},
		{"GET", "/v1/sessions/" + id + "/items?limit=x", nil, 422, `int_parsing`},
		{"GET", "/v1/sessions/" + id + "/items?order=up", nil, 422, `string_pattern_mismatch`},
		{"GET", "/v1/sessions/" + id + "/items?after=junk", nil, 404, `"not_found"`},
		{"GET", "/v1/sessions/" + id + "/items?after=00000000000000000000000000000000", nil, 400, `"stale_cursor"`},
		{"POST", "/v1/sessions/" + id + "/events", map[string]any{"type": "dance", "data": map[string]any{}}, 400,
			"Unknown event type: 'dance'. Allowed types: ["},
		{"POST", "/v1/sessions/" + id + "/events", []any{}, 400, `"invalid_input"`},
		{"POST", "/v1/sessions/" + id + "/events", map[string]any{"data": 1}, 422, `"loc":["body","SessionEventInput","type"]`},
		{"POST", "/v1/sessions/" + id + "/events", map[string]any{"type": "message", "data": map[string]any{"role": "user"}}, 400, `"invalid_input"`},
		{"POST", none + "/events", message("x"), 404, `"not_found"`},
		{"GET", "/v1/sessions/" + unbound + "/resources", nil, 409, "is not bound to a runner; resume the session to bind a registered runner"},
		{"POST", "/v1/sessions/" + unbound + "/events", map[string]any{"type": "stop_session", "data": map[string]any{}}, 202, `{"queued":false}`},
		{"POST", "/v1/sessions/" + id + "/events", map[string]any{"type": "stop_session", "data": map[string]any{}}, 503, `claude_native_stop_failed`},
		{"GET", "/v1/sessions/" + id + "/resources/terminals/terminal_claude_main", nil, 404, `"not_found"`},
		{"DELETE", "/v1/sessions/" + id + "/resources/terminals/terminal_claude_main", nil, 404, `"not_found"`},
		{"POST", "/v1/sessions/" + id + "/resources/terminals", map[string]any{"terminal": "bash", "session_key": "main"}, 400, `"invalid_input"`},
		{"GET", "/v1/hosts/00000000000000000000000000000000", nil, 404, `{"detail":"host not found"}`},
		{"POST", "/v1/hosts/" + f.srv.hostID + "/runners", map[string]any{"session_id": "nope"}, 422, `"loc":["body","workspace"]`},
		{"POST", "/v1/hosts/" + f.srv.hostID + "/runners", map[string]any{"session_id": "nope", "workspace": "/"}, 404, `{"detail":"session not found"}`},
	} {
		status, data := f.raw(c.method, c.path, c.body)
		if status != c.status || !strings.Contains(string(data), c.want) {
			t.Errorf("%s %s: got %d %s, want %d %s", c.method, c.path, status, data, c.status, c.want)
		}
	}
}

func TestForeignPagesAreRefused(t *testing.T) {
	f := start(t, config{})
	for name, value := range map[string]string{"Origin": "https://example.com", "Host": "example.com"} {
		req, err := http.NewRequest("GET", f.url+"/v1/me", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(name, value)
		if name == "Host" {
			req.Host = value
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != 403 {
			t.Errorf("%s: got %d, want 403", name, res.StatusCode)
		}
	}
}

func TestPaging(t *testing.T) {
	f := start(t, config{})
	id := f.create(harnessClaude)
	path := "/v1/sessions/" + id
	if p := f.want(200, "GET", path+"/items", nil); p["first_id"] != nil || p["last_id"] != nil || p["has_more"] != false {
		t.Errorf("empty page: %v", p)
	}
	var ids []string
	for _, source := range []string{"a", "b", "c", "d", "e"} {
		body := map[string]any{"type": "external_conversation_item", "data": map[string]any{"source_id": source, "item_type": "message",
			"response_id": "resp_1", "item_data": map[string]any{"role": "user", "content": []any{map[string]any{"type": "input_text", "text": source}}}}}
		first := f.want(202, "POST", path+"/events", body)["item_id"].(string)
		if again := f.want(202, "POST", path+"/events", body)["item_id"]; again != first {
			t.Errorf("source %s stored twice: %v and %v", source, first, again)
		}
		ids = append(ids, first)
	}
	for _, c := range []struct {
		query string
		want  string
		more  bool
	}{
		{"", "abcde", false},
		{"limit=2", "ab", true},
		{"limit=2&order=desc", "ed", true},
		{"limit=5", "abcde", false},
		{"limit=2&after=" + ids[1], "cd", true},
		{"limit=3&after=" + ids[1], "cde", false},
		{"after=" + ids[4], "", false},
		{"order=desc&after=" + ids[2], "ba", false},
		{"limit=1&before=" + ids[2], "b", true},
		{"after=" + ids[0] + "&before=" + ids[3], "bc", false},
		{"after=conv_" + ids[3], "e", false},
	} {
		p := f.want(200, "GET", path+"/items?"+c.query, nil)
		got := ""
		for _, i := range p["data"].([]any) {
			got += i.(map[string]any)["content"].([]any)[0].(map[string]any)["text"].(string)
		}
		if got != c.want || p["has_more"] != c.more {
			t.Errorf("%q: got %q more=%v, want %q more=%v", c.query, got, p["has_more"], c.want, c.more)
		}
	}
}

func TestSessionsListPatchDelete(t *testing.T) {
	f := start(t, config{})
	var ids []string
	for range 3 {
		ids = append(ids, f.create(harnessClaude))
	}
	p := f.want(200, "GET", "/v1/sessions?limit=2", nil)
	rows := p["data"].([]any)
	if len(rows) != 2 || rows[0].(map[string]any)["id"] != ids[2] || p["has_more"] != true {
		t.Errorf("list: %v", p)
	}
	path := "/v1/sessions/" + ids[0]
	if s := f.want(200, "PATCH", path, map[string]any{"external_session_id": "one", "title": "T"}); s["external_session_id"] != "one" || s["title"] != "T" {
		t.Errorf("patched: %v", s)
	}
	f.want(200, "PATCH", path, map[string]any{"external_session_id": "one"})
	e := f.want(400, "PATCH", path, map[string]any{"external_session_id": "two"})["error"].(map[string]any)
	if e["code"] != "invalid_input" || !strings.Contains(e["message"].(string), "already has external_session_id='one'; refusing to overwrite with 'two'") {
		t.Errorf("second id: %v", e)
	}
	if row := rows[0].(map[string]any); row["id"] != ids[2] || hasAny(row, "runner_online", "host_online", "git_branch") {
		t.Errorf("row: %v", row)
	}
	d := f.want(200, "DELETE", path, nil)
	if d["object"] != "conversation.deleted" || d["deleted"] != true {
		t.Errorf("deleted: %v", d)
	}
	f.want(404, "GET", path, nil)
}

func TestCreateFromBundle(t *testing.T) {
	f := start(t, config{era: eraSeed})
	var buf bytes.Buffer
	form := multipart.NewWriter(&buf)
	form.WriteField("metadata", `{"labels":{"omnigent.wrapper":"codex-native-ui"},"terminal_launch_args":["--x"]}`)
	form.CreateFormFile("bundle", "bundle.tar.gz")
	form.Close()
	res, err := http.Post(f.url+"/v1/sessions", form.FormDataContentType(), &buf)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var made map[string]string
	if err := json.NewDecoder(res.Body).Decode(&made); err != nil || res.StatusCode != 201 {
		t.Fatalf("%d %v", res.StatusCode, err)
	}
	if !strings.HasPrefix(made["session_id"], "conv_") || made["agent_name"] != "codex-native-ui" || len(made) != 3 {
		t.Errorf("created: %v", made)
	}
	if s := f.session(made["session_id"]); s["harness"] != "codex-native" || s["terminal_launch_args"].([]any)[0] != "--x" {
		t.Errorf("session: %v", s)
	}
}

func hasAny(object map[string]any, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { _, ok := object[name]; return ok })
}

// TestOtherSpellingsOfAnID holds against the product: what only appends to a conversation takes another spelling of its id,
// what reads its row breaks down. The seed era took them all.
func TestOtherSpellingsOfAnID(t *testing.T) {
	for _, era := range []string{eraCurrent, eraSeed} {
		f := start(t, config{era: era})
		id := f.create(harnessClaude)
		hex := strings.TrimPrefix(id, "conv_")
		dashed := hex[:8] + "-" + hex[8:12] + "-" + hex[12:16] + "-" + hex[16:20] + "-" + hex[20:]
		for _, spelling := range []string{map[string]string{eraCurrent: "conv_" + hex, eraSeed: hex}[era], dashed, strings.ToUpper(hex)} {
			for path, want := range map[string]int{"": 500, "/resources": 500, "/items": 200} {
				if era == eraSeed {
					want = 200
				}
				if status, data := f.raw("GET", "/v1/sessions/"+spelling+path, nil); status != want {
					t.Errorf("%s: %s%s: got %d %s, want %d", era, spelling, path, status, data, want)
				}
			}
		}
	}
}

// TestPartsOfASession are answers that the web page reads.
func TestPartsOfASession(t *testing.T) {
	f := start(t, config{})
	id := f.create(harnessClaude)
	f.open(id, harnessClaude)
	if err := os.WriteFile(filepath.Join(f.cwd, "a.txt"), []byte("abc"), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/owner": `{"owner":"local"}`, "/permissions": `"level":4`, "/comments": `[]`, "/labels": `"omnigent.wrapper":"claude-code-native-ui"`,
		"/resources/terminals": `"id":"terminal_claude_main"`, "/resources/environments": `"id":"default"`, "/resources/files": `"data":[]`,
		"/resources/environments/default/filesystem": `"name":"a.txt","path":"a.txt","type":"file","bytes":3`,
	} {
		if status, data := f.raw("GET", "/v1/sessions/"+id+path, nil); status != 200 || !strings.Contains(string(data), want) {
			t.Errorf("%s: %d %s, want %s", path, status, data, want)
		}
	}
	for path, want := range map[string]string{"/v1/harnesses": `"id":"claude-native"`, "/openapi.json": `"/v1/sessions/{id}/owner"`,
		"/v1/agents": `"builtin":true`, "/v1/hosts": `"configured_harnesses"`} {
		if status, data := f.raw("GET", path, nil); status != 200 || !strings.Contains(string(data), want) {
			t.Errorf("%s: %d %s, want %s", path, status, data, want)
		}
	}
}

func TestMessageWithoutTerminal(t *testing.T) {
	f := start(t, config{})
	id := f.want(201, "POST", "/v1/sessions", map[string]any{"agent_id": "b3c1b2de14addb32778823c09af6bebc"})["id"].(string)
	if a := f.say(id, "hello"); a["item_id"] == nil || a["pending_id"] != nil {
		t.Errorf("answer: %v", a)
	}
	if got := f.items(id); !slices.Equal(got, []string{"user: hello", "error"}) {
		t.Errorf("items: %q", got)
	}
}

// TestMessageStartsTheTerminalAgain is for a terminal that was left by the agent's own command: its runner is still there.
func TestMessageStartsTheTerminalAgain(t *testing.T) {
	f := start(t, config{delay: time.Millisecond})
	id := f.create(harnessClaude)
	f.open(id, harnessClaude)
	f.ask(id, give)
	f.want(200, "DELETE", "/v1/sessions/"+id+"/resources/terminals/terminal_claude_main", nil)
	if got := f.answer(id, again); got != marker {
		t.Errorf("after the restart: %q", got)
	}
}

// TestOddBlocksAreDropped: a message whose blocks hold nothing to type is taken, and nothing comes of it.
func TestOddBlocksAreDropped(t *testing.T) {
	f := start(t, config{delay: time.Millisecond})
	id := f.create(harnessClaude)
	f.open(id, harnessClaude)
	before := len(f.items(id))
	for _, content := range []string{`[]`, `[{"type":"nope","text":"x"}]`, `[{"type":"output_text","text":"x"}]`, `[{"type":"input_text","text":""}]`} {
		a := f.want(202, "POST", "/v1/sessions/"+id+"/events", map[string]any{"type": "message",
			"data": map[string]any{"role": "user", "content": json.RawMessage(content)}})
		if a["queued"] != true {
			t.Errorf("%s: %v", content, a)
		}
	}
	f.ask(id, give)
	if got := f.items(id)[before:]; len(got) != 2 || len(f.session(id)["pending_inputs"].([]any)) > 0 {
		t.Errorf("items: %q", got)
	}
}

// TestStopEndsTheRunner holds what a teardown depends on: the stop comes before the end of the terminal, or the runner stays.
func TestStopEndsTheRunner(t *testing.T) {
	for _, c := range []struct {
		harness  string
		stop     int
		online   bool
		deleting bool
	}{{harnessClaude, 202, false, false}, {harnessClaude, 503, true, true}, {harnessCodex, 202, false, true}} {
		f := start(t, config{delay: time.Millisecond})
		id := f.create(c.harness)
		f.open(id, c.harness)
		terminal := "/v1/sessions/" + id + "/resources/terminals/terminal_" + c.harness + "_main"
		if c.deleting {
			f.want(200, "DELETE", terminal, nil)
		}
		f.want(c.stop, "POST", "/v1/sessions/"+id+"/events", map[string]any{"type": "stop_session", "data": map[string]any{}})
		if got := f.session(id)["runner_online"]; got != c.online {
			t.Errorf("%+v: runner_online %v", c, got)
		}
		if !c.online {
			f.want(503, "DELETE", terminal, nil)
			f.want(202, "POST", "/v1/sessions/"+id+"/events", map[string]any{"type": "stop_session", "data": map[string]any{}})
		}
	}
}

func TestBatchOfEvents(t *testing.T) {
	f := start(t, config{delay: time.Millisecond})
	id := f.create(harnessClaude)
	f.open(id, harnessClaude)
	status, data := f.raw("POST", "/v1/sessions/"+id+"/events", []any{message(give), message(again)})
	var answers []map[string]any
	if err := json.Unmarshal(data, &answers); err != nil || status != 202 || len(answers) != 2 {
		t.Fatalf("%d %s", status, data)
	}
	f.until("both turns", func() bool { return len(f.items(id)) == 6 })
	if got := f.items(id)[5]; got != "assistant: "+marker {
		t.Errorf("second reply: %q", got)
	}
}

func TestReadsFilesOfTheWorkingDirectoryOnly(t *testing.T) {
	f := start(t, config{})
	id := f.create(harnessClaude)
	f.open(id, harnessClaude)
	os.WriteFile(filepath.Join(f.cwd, "marker.txt"), []byte("HERE-1\n"), 0o644)
	os.WriteFile(filepath.Join(f.home, "secret.txt"), []byte("SECRET"), 0o644)
	if got := f.answer(id, "Read the file marker.txt and reply with ONLY its contents."); got != "HERE-1" {
		t.Errorf("got %q", got)
	}
	if got := f.ask(id, "Read ../home/secret.txt"); strings.Contains(got, "SECRET") {
		t.Errorf("got %q", got)
	}
}

// TestDataSurvivesARestart also checks that nothing of a server is left when it has ended.
func TestDataSurvivesARestart(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	dir := t.TempDir()
	run := func(do func(url string)) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		stdout, lines := io.Pipe()
		done := make(chan int)
		go func() {
			done <- Server(ctx, []string{"--port", "0", "--data", dir, "--delay", "1ms"}, lines, io.Discard)
		}()
		buf := make([]byte, 200)
		n, err := stdout.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		url, ok := strings.CutPrefix(strings.TrimSpace(string(buf[:n])), "listening on ")
		if !ok {
			t.Fatalf("first line %q", buf[:n])
		}
		do(url)
		http.DefaultClient.CloseIdleConnections()
		cancel()
		if code := <-done; code != 0 {
			t.Errorf("exit code %d", code)
		}
	}
	f := &fixture{t: t, home: t.TempDir(), cwd: t.TempDir(), srv: &server{}}
	var id string
	run(func(url string) {
		f.url = url
		f.srv.hostID = f.want(200, "GET", "/v1/hosts", nil)["hosts"].([]any)[0].(map[string]any)["host_id"].(string)
		id = f.create(harnessClaude)
		f.open(id, harnessClaude)
		f.ask(id, give)
	})
	run(func(url string) {
		f.url = url
		f.open(id, harnessClaude)
		if got := f.answer(id, again); got != marker {
			t.Errorf("recall after a restart: %q", got)
		}
	})
}

func TestServerUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--bug", "nonsense"}, 2, `unknown bug "nonsense": the simulator knows resume-empty, `},
		{[]string{"--era", "stone"}, 2, "unknown era"},
		{[]string{"--delay", "soon"}, 2, "bad delay"},
		{[]string{"--listen", "0.0.0.0:0"}, 2, "loopback only"},
		{[]string{"extra"}, 2, "unexpected argument"},
		{[]string{"--help"}, 0, "elicit-stale-verdict"},
	} {
		var stdout, stderr safeBuffer
		code, said := Server(t.Context(), c.args, &stdout, &stderr), &stderr
		if c.code == 0 {
			said = &stdout
		}
		if code != c.code || !strings.Contains(said.String(), c.want) {
			t.Errorf("%q: code %d, stdout %q, stderr %q", c.args, code, stdout.String(), stderr.String())
		}
	}
}
