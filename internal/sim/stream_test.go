package sim

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// streamed reads events of a session's stream until one of a type.
func (f *fixture) streamed(id string) (next func() (kind string, data map[string]any)) {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), patience)
	f.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, "GET", f.url+"/v1/sessions/"+id+"/stream", nil)
	if err != nil {
		f.t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { res.Body.Close() })
	buf := new(strings.Builder)
	one := make([]byte, 1)
	return func() (string, map[string]any) {
		f.t.Helper()
		for !strings.HasSuffix(buf.String(), "\n\n") {
			if _, err := io.ReadFull(res.Body, one); err != nil {
				f.t.Fatalf("stream ended: %v", err)
			}
			buf.Write(one)
		}
		text := buf.String()
		buf.Reset()
		var kind string
		var data map[string]any
		for line := range strings.SplitSeq(text, "\n") {
			if v, ok := strings.CutPrefix(line, "event: "); ok {
				kind = v
			}
			if v, ok := strings.CutPrefix(line, "data: "); ok {
				json.Unmarshal([]byte(v), &data)
			}
		}
		if kind != "" && data["type"] != kind {
			f.t.Errorf("frame %q has type %v", kind, data["type"])
		}
		return kind, data
	}
}

func TestStreamOrder(t *testing.T) {
	f := start(t, config{delay: 50 * time.Millisecond})
	id := f.create(harnessCodex)
	f.open(id, harnessCodex)
	next := f.streamed(id)
	if kind, _ := next(); kind != "session.heartbeat" {
		t.Fatalf("first frame %q", kind)
	}
	pending := f.say(id, give)["pending_id"]
	var kinds []string
	text := ""
	for {
		kind, data := next()
		if len(kinds) == 0 || kinds[len(kinds)-1] != kind {
			kinds = append(kinds, kind)
		}
		switch kind {
		case "session.input.consumed":
			if got := data["data"].(map[string]any)["cleared_pending_id"]; got != pending {
				t.Errorf("cleared %v, want %v", got, pending)
			}
		case "response.output_text.delta":
			text += data["delta"].(string)
		case "response.output_item.done":
			if data["item"].(map[string]any)["role"] != "assistant" {
				t.Errorf("done: %v", data)
			}
		}
		if kind == "session.status" && data["status"] == "idle" {
			break
		}
	}
	want := []string{"session.resource.created", "session.changed_files.invalidated", "session.presence", "session.status",
		"response.in_progress", "response.completed", "session.terminal.activity", "session.model", "session.codex_approval_mode",
		"session.mcp_startup", "session.input.consumed", "response.output_text.delta", "response.output_item.done", "session.usage",
		"session.status"}
	if !slices.Equal(kinds, want) || text != marker {
		t.Errorf("order %q, text %q", kinds, text)
	}
}

// TestClaudeTellsTheAnswerFirst is the order of claude's events, and the idle moment in the middle of its turn.
func TestClaudeTellsTheAnswerFirst(t *testing.T) {
	f := start(t, config{delay: 200 * time.Millisecond})
	id := f.create(harnessClaude)
	f.open(id, harnessClaude)
	next := f.streamed(id)
	f.say(id, give)
	var order, statuses []string
	for len(statuses) < 4 {
		switch kind, data := next(); kind {
		case "session.status":
			statuses = append(statuses, data["status"].(string))
		case "response.output_text.delta":
			if data["delta"] != marker || data["final"] != true {
				t.Errorf("delta: %v", data)
			}
			order = append(order, kind)
		case "session.input.consumed", "response.output_item.done":
			order = append(order, kind)
		}
	}
	if want := []string{"response.output_text.delta", "session.input.consumed", "response.output_item.done"}; !slices.Equal(order, want) {
		t.Errorf("order %q, want %q", order, want)
	}
	if want := []string{"running", "idle", "running", "idle"}; !slices.Equal(statuses, want) {
		t.Errorf("statuses %q, want %q", statuses, want)
	}
}

// question waits for the pending elicitation and returns its id.
func (f *fixture) question(id, old string) string {
	f.t.Helper()
	var found string
	f.until("a question", func() bool {
		for _, q := range f.session(id)["pending_elicitations"].([]any) {
			found = q.(map[string]any)["elicitation_id"].(string)
		}
		return found != "" && found != old
	})
	return found
}

func (f *fixture) exists(name string) bool {
	_, err := os.Stat(filepath.Join(f.cwd, name))
	return err == nil
}

func TestElicitation(t *testing.T) {
	for _, harness := range []string{harnessClaude, harnessCodex} {
		f := start(t, config{delay: time.Millisecond})
		id := f.create(harness)
		f.open(id, harness)
		path := "/v1/sessions/" + id
		last := ""
		for i, c := range []struct {
			action string
			exists bool
		}{{"decline", false}, {"cancel", false}, {"accept", true}} {
			before := len(f.items(id))
			f.say(id, "Please run `touch marker.txt` now.")
			e := f.question(id, last)
			last = e
			if got := f.want(200, "GET", path+"/elicitations/"+e, nil); got["status"] != "pending" || !strings.Contains(got["content_preview"].(string), "touch marker.txt") {
				t.Errorf("pending: %v", got)
			}
			if f.exists("marker.txt") {
				t.Error("the effect came before the answer")
			}
			if i == 0 {
				f.want(202, "POST", path+"/elicitations/"+e+"/resolve", map[string]any{"action": c.action})
			} else {
				f.want(202, "POST", path+"/events", map[string]any{"type": "approval", "data": map[string]any{"elicitation_id": e, "action": c.action}})
			}
			f.until("the turn's end", func() bool {
				got := f.items(id)
				return len(got) > before+1 && strings.HasPrefix(got[len(got)-1], "assistant") && len(f.session(id)["pending_elicitations"].([]any)) == 0
			})
			if f.exists("marker.txt") != c.exists {
				t.Errorf("%s %s: marker exists: %v", harness, c.action, !c.exists)
			}
			if got := f.want(200, "GET", path+"/elicitations/"+e, nil); got["status"] != "resolved" {
				t.Errorf("resolved: %v", got)
			}
		}
		if got := f.items(id); !slices.Contains(got, "function_call") || !slices.Contains(got, "function_call_output") {
			t.Errorf("no tool items: %q", got)
		}
		f.want(202, "POST", path+"/events", map[string]any{"type": "approval", "data": map[string]any{"elicitation_id": "elicit_x", "action": "accept"}})
		f.want(202, "POST", path+"/events", map[string]any{"type": "approval", "data": map[string]any{"elicitation_id": "elicit_x", "action": "maybe"}})
	}
}

func TestInterruptAndStop(t *testing.T) {
	f := start(t, config{delay: time.Millisecond})
	id := f.create(harnessClaude)
	f.open(id, harnessClaude)
	f.say(id, "run `touch x`")
	f.question(id, "")
	f.want(202, "POST", "/v1/sessions/"+id+"/events", map[string]any{"type": "interrupt", "data": map[string]any{}})
	f.until("idle", func() bool { return f.session(id)["status"] == "idle" })
	if f.exists("x") {
		t.Error("an interrupted command ran")
	}
	f.want(202, "POST", "/v1/sessions/"+id+"/events", map[string]any{"type": "stop_session", "data": map[string]any{}})
	f.until("the terminal's end", func() bool {
		status, _ := f.raw("GET", "/v1/sessions/"+id+"/resources", nil)
		return status == 503
	})
}
