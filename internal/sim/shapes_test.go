package sim

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// recorded is an answer of the real product 0.19.1.
type recorded struct {
	Status int             `json:"status"`
	Body   json.RawMessage `json:"body"`
}

func loadRecorded(t *testing.T, name string) (status int, body any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var r recorded
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		t.Fatal(err)
	}
	return r.Status, body
}

// open is keys that differ for a reason: what the model costs, and what the product knows of its models.
var open = []string{"usage_by_model", "model_options"}

// compareShapes reports keys and types that differ between a recorded value and ours.
func compareShapes(path string, want, got any) []string {
	switch want := want.(type) {
	case map[string]any:
		ours, ok := got.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s: want an object, got %T", path, got)}
		}
		var diffs []string
		for k, v := range want {
			if _, ok := ours[k]; !ok {
				diffs = append(diffs, path+"."+k+": missing")
			} else if !slices.Contains(open, k) {
				diffs = append(diffs, compareShapes(path+"."+k, v, ours[k])...)
			}
		}
		for k := range ours {
			if _, ok := want[k]; !ok {
				diffs = append(diffs, path+"."+k+": not in the recording")
			}
		}
		return diffs
	case []any:
		ours, ok := got.([]any)
		if !ok {
			return []string{fmt.Sprintf("%s: want a list, got %T", path, got)}
		}
		if len(ours) != len(want) {
			return []string{fmt.Sprintf("%s: want %d elements, got %d: %v", path, len(want), len(ours), ours)}
		}
		var diffs []string
		for i := range want {
			diffs = append(diffs, compareShapes(fmt.Sprintf("%s[%d]", path, i), want[i], ours[i])...)
		}
		return diffs
	default:
		if fmt.Sprintf("%T", want) != fmt.Sprintf("%T", got) {
			return []string{fmt.Sprintf("%s: want %T, got %T", path, want, got)}
		}
		// words of the protocol must be the same; ids, texts and times are ours
		for _, key := range []string{".type", ".status", ".role", ".object", ".event_type", ".resource_type", ".resource_id", ".name",
			".model", ".kind", ".harness", ".environment", ".agent_name", ".agent_id"} {
			if strings.HasSuffix(path, key) && want != got {
				return []string{fmt.Sprintf("%s: want %v, got %v", path, want, got)}
			}
		}
		return nil
	}
}

func (f *fixture) sameShape(name, method, path string, body any) {
	f.t.Helper()
	status, want := loadRecorded(f.t, name)
	got := any(f.want(status, method, path, body))
	for _, diff := range compareShapes("", want, got) {
		f.t.Errorf("%s: %s", name, diff)
	}
}

// TestShapesClaude goes through the recorded run: fresh terminal by the runner, a message through the server, the end, a
// resume, a recall.
func TestShapesClaude(t *testing.T) {
	f := start(t, config{delay: time.Millisecond})
	id := f.create(harnessClaude)
	f.bindFresh(id)
	path := "/v1/sessions/" + id
	f.until("the terminal", func() bool {
		status, _ := f.do("GET", path+"/resources/terminals/terminal_claude_main", nil)
		return status == 200
	})
	f.sameShape("claude5nop.fresh.inject", "POST", path+"/events", message(give))
	f.until("the reply", func() bool {
		return slices.Contains(f.items(id), "assistant: "+marker) && f.session(id)["status"] == "idle"
	})
	f.close(id, harnessClaude)
	f.sameShape("claude5nop.afterfresh.items", "GET", path+"/items?limit=50&order=desc", nil)
	f.sameShape("claude5nop.afterfresh.resources", "GET", path+"/resources", nil)
	f.open(id, harnessClaude)
	if got := f.answer(id, again); got != marker {
		t.Fatalf("recall: %q", got)
	}
	f.want(200, "PATCH", path, map[string]any{"labels": map[string]string{"omnigent.claude_native.bridge_id": id, "omnigent.ui": "terminal"}})
	f.sameShape("claude5nop.resume.items", "GET", path+"/items?limit=100&order=asc", nil)
	f.sameShape("claude5nop.resume.resources", "GET", path+"/resources", nil)
	f.sameShape("claude5nop.resume.session", "GET", path, nil)
	f.sameShape("claude5nop.resume.health", "GET", "/health?session_id="+id, nil)
}

// TestTitle compares the cut of the title with the recorded one.
func TestTitle(t *testing.T) {
	_, body := loadRecorded(t, "claude4.fresh.session")
	want := body.(map[string]any)
	s := &session{}
	s.setTitle(want["terminal_launch_args"].([]any)[0].(string))
	if s.Title != want["title"] {
		t.Errorf("got %q, want %q", s.Title, want["title"])
	}
}

// bindFresh binds as the command line does for a new session, whose terminal the runner starts by itself.
func (f *fixture) bindFresh(id string) {
	f.t.Helper()
	f.want(200, "POST", "/v1/hosts/"+f.srv.hostID+"/runners", map[string]any{"session_id": id, "workspace": f.cwd,
		"sim": map[string]any{"home": f.home, "tmp_dir": "/tmp", "fresh": true}})
}

func TestShapesCodex(t *testing.T) {
	f := start(t, config{delay: time.Millisecond})
	id := f.create(harnessCodex)
	path := "/v1/sessions/" + id
	f.open(id, harnessCodex)
	f.ask(id, give)
	f.close(id, harnessCodex)
	f.sameShape("codex3.afterfresh.items", "GET", path+"/items?limit=50&order=desc", nil)
	f.open(id, harnessCodex)
	if got := f.answer(id, again); got != marker {
		t.Fatalf("recall: %q", got)
	}
	f.sameShape("codex3.resume.items", "GET", path+"/items?limit=100&order=asc", nil)
	f.sameShape("codex3.resume.resources", "GET", path+"/resources", nil)
	f.want(200, "PATCH", path, map[string]any{"labels": map[string]string{"omnigent.ui": "terminal"}})
	f.sameShape("codex3.resume.session", "GET", path, nil)
}
