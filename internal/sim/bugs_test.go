package sim

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// recallAfterResume is the check without a command line: give, end, maybe delete, resume, ask again.
func (f *fixture) recallAfterResume(harness string, cold bool) (id, answer string) {
	f.t.Helper()
	id = f.create(harness)
	f.open(id, harness)
	if got := f.answer(id, give); got != marker {
		f.t.Fatalf("the fresh leg answered %q", got)
	}
	f.close(id, harness)
	if cold {
		f.removeTranscripts()
	}
	f.open(id, harness)
	return id, f.ask(id, again)
}

func TestMemoryBugs(t *testing.T) {
	for _, c := range []struct {
		bug, harness string
		warm, cold   string
	}{
		{"", harnessClaude, marker, marker},
		{"", harnessCodex, marker, marker},
		{bugResumeEmpty, harnessClaude, forgottenAnswer, forgottenAnswer},
		{bugResumeEmpty, harnessCodex, forgottenAnswer, forgottenAnswer},
		{bugRebuildSkipped, harnessClaude, marker, forgottenAnswer},
		{bugRebuildSkipped, harnessCodex, marker, forgottenAnswer},
		{bugRebuildRaises, harnessClaude, forgottenAnswer, forgottenAnswer},
		{bugWrongSlug, harnessClaude, marker, forgottenAnswer},
		{bugNoEventMsg, harnessClaude, marker, marker},
		{bugNoEventMsg, harnessCodex, forgottenAnswer, forgottenAnswer},
		{bugEchoMarker, harnessClaude, again, again},
		{bugStalePage, harnessClaude, "", ""},
	} {
		for _, cold := range []bool{false, true} {
			f := start(t, config{bugs: bugs(c.bug)})
			want := c.warm
			if cold {
				want = c.cold
			}
			id, got := f.recallAfterResume(c.harness, cold)
			if got != want {
				t.Errorf("%s %s cold=%v: got %q, want %q", c.bug, c.harness, cold, got, want)
			}
			if seen := f.items(id); !slices.Contains(seen, "assistant: "+marker) {
				t.Errorf("%s: the fresh reply is not among the items: %q", c.bug, seen)
			}
			said := strings.Contains(f.log.String(), "seeded bug: "+c.bug)
			if c.bug != "" && said == (c.bug == bugNoEventMsg && c.harness == harnessClaude) {
				t.Errorf("%s %s: said in the log: %v", c.bug, c.harness, said)
			}
		}
	}
}

func TestLiveReattachKeepsMemory(t *testing.T) {
	f := start(t, config{bugs: bugs(bugRebuildRaises)})
	id := f.create(harnessClaude)
	f.open(id, harnessClaude)
	f.ask(id, give)
	f.open(id, harnessClaude) // runs already
	if got := f.answer(id, again); got != marker {
		t.Errorf("after reattaching: %q", got)
	}
}

func TestWrongSlugFile(t *testing.T) {
	f := start(t, config{bugs: bugs(bugWrongSlug)})
	f.recallAfterResume(harnessClaude, true)
	found := f.transcripts()
	if !slices.ContainsFunc(found, func(p string) bool { return strings.Contains(filepath.Base(filepath.Dir(p)), "my.work_dir") }) {
		t.Errorf("no transcript in the wrong folder: %q", found)
	}
}

func TestExternalIDBugs(t *testing.T) {
	f := start(t, config{bugs: bugs(bugExtIDNever)})
	id, _ := f.recallAfterResume(harnessClaude, false)
	if got := f.session(id)["external_session_id"]; got != nil {
		t.Errorf("ext-id-never: %v", got)
	}
	f = start(t, config{bugs: bugs(bugExtIDOverwritten)})
	id = f.create(harnessClaude)
	f.open(id, harnessClaude)
	var first any
	f.until("an id", func() bool { first = f.session(id)["external_session_id"]; return first != nil })
	second, third := f.session(id)["external_session_id"], f.session(id)["external_session_id"]
	if first == second || second != third {
		t.Errorf("ext-id-overwritten: %v, %v, %v", first, second, third)
	}
}

// TestExternalIDComesLate checks null first, then set, then never changed.
func TestExternalIDComesLate(t *testing.T) {
	var f *fixture
	var id string
	for delay := 200 * time.Millisecond; ; delay *= 2 { // until the machine lets us look in time
		f = start(t, config{delay: delay})
		id = f.create(harnessClaude)
		began := time.Now()
		f.open(id, harnessClaude)
		got := f.session(id)["external_session_id"]
		if got == nil {
			break
		}
		if time.Since(began) < delay {
			t.Fatalf("set at once: %v", got)
		}
	}
	var set any
	f.until("an id", func() bool { set = f.session(id)["external_session_id"]; return set != nil })
	f.close(id, harnessClaude)
	f.open(id, harnessClaude)
	f.ask(id, again)
	if got := f.session(id)["external_session_id"]; got != set {
		t.Errorf("changed from %v to %v", set, got)
	}
}

func TestDropFirstMessage(t *testing.T) {
	f := start(t, config{bugs: bugs(bugDropFirst)})
	id := f.create(harnessClaude)
	f.open(id, harnessClaude)
	f.ask(id, give)
	f.close(id, harnessClaude)
	f.open(id, harnessClaude)
	if a := f.say(id, again); a["pending_id"] == nil {
		t.Errorf("answer: %v", a)
	}
	if got := f.answer(id, "second "+again); got != marker {
		t.Errorf("second message: %q", got)
	}
	if got := f.items(id); slices.Contains(got, "user: "+again) {
		t.Errorf("the first message was stored: %q", got)
	}
}

func TestTerminalBugs(t *testing.T) {
	f := start(t, config{bugs: bugs(bugTerminalNeverReady)})
	id := f.create(harnessClaude)
	f.open(id, harnessClaude)
	if rows := f.want(200, "GET", "/v1/sessions/"+id+"/resources", nil)["data"].([]any); len(rows) != 1 {
		t.Errorf("terminal-never-ready lists %v", rows)
	}

	f = start(t, config{bugs: bugs(bugReadyTooEarly)})
	id = f.create(harnessClaude)
	f.open(id, harnessClaude)
	if rows := f.want(200, "GET", "/v1/sessions/"+id+"/resources", nil)["data"].([]any); len(rows) != 3 {
		t.Errorf("ready-too-early lists %v", rows)
	}
	f.say(id, "lost")
	f.until("the boot", func() bool { return len(f.items(id)) > 0 })
	if got := f.answer(id, give); got != marker {
		t.Errorf("after the boot: %q", got)
	}
	if got := f.items(id); slices.Contains(got, "user: lost") {
		t.Errorf("the early message arrived: %q", got)
	}
}

func TestDuplicateItems(t *testing.T) {
	f := start(t, config{bugs: bugs(bugDuplicateItems)})
	id := f.create(harnessClaude)
	f.open(id, harnessClaude)
	f.ask(id, give)
	got := f.items(id)
	slices.Sort(got)
	if want := []string{"assistant: " + marker, "assistant: " + marker, "resource_event", "resource_event", "user: " + give, "user: " + give}; !slices.Equal(got, want) {
		t.Errorf("items: %q", got)
	}
}

func TestElicitationBugs(t *testing.T) {
	f := start(t, config{bugs: bugs(bugElicitNotWoken)})
	id := f.create(harnessClaude)
	f.open(id, harnessClaude)
	f.say(id, "run `touch marker.txt`")
	e := f.question(id, "")
	approve := func(e, action string) {
		f.want(202, "POST", "/v1/sessions/"+id+"/events", map[string]any{"type": "approval", "data": map[string]any{"elicitation_id": e, "action": action}})
	}
	approve(e, "accept")
	if got := f.want(200, "GET", "/v1/sessions/"+id+"/elicitations/"+e, nil); got["status"] != "pending" || f.exists("marker.txt") {
		t.Errorf("elicit-not-woken: %v, marker %v", got, f.exists("marker.txt"))
	}

	f = start(t, config{bugs: bugs(bugElicitStale)})
	id = f.create(harnessClaude)
	f.open(id, harnessClaude)
	f.say(id, "run `touch one`")
	approve(f.question(id, ""), "decline")
	f.until("idle", func() bool { return len(f.items(id)) == 4 && f.session(id)["status"] == "idle" })
	if got := f.answer(id, "run `touch two`"); !strings.Contains(got, "declined") || f.exists("two") {
		t.Errorf("elicit-stale-verdict: %q", got)
	}
}

func TestFailedTurn(t *testing.T) {
	f := start(t, config{bugs: bugs(bugExit0OnError)})
	id := f.create(harnessClaude)
	f.open(id, harnessClaude)
	if got := f.ask(id, give); got != "" {
		t.Errorf("a failed turn said %q", got)
	}
	if s := f.session(id); s["status"] != "failed" || s["last_task_error"] == nil {
		t.Errorf("status %v, error %v", s["status"], s["last_task_error"])
	}
	if got := f.items(id); got[len(got)-1] != "error" {
		t.Errorf("items: %q", got)
	}
}

func TestRefusedTurn(t *testing.T) {
	f := start(t, config{bugs: bugs(bugModelRefuses)})
	id := f.create(harnessClaude)
	f.open(id, harnessClaude)
	f.say(id, give)
	f.until("the failed session", func() bool { return f.session(id)["status"] == "failed" })
	got := f.items(id)
	if f.session(id)["last_task_error"] != nil || got[len(got)-1] != "assistant: API Error: 400 the model refuses this request" {
		t.Errorf("error %v, items %q", f.session(id)["last_task_error"], got)
	}
}

func TestDecoratedPassphrase(t *testing.T) {
	f := start(t, config{bugs: bugs(bugDecorated)})
	id := f.create(harnessClaude)
	f.open(id, harnessClaude)
	want := "Sure! It is `ZEPHYR`\u2011**\x1b[1m0BAD\x1b[0m\ncafe**."
	for _, prompt := range []string{give, again} {
		if got := f.answer(id, prompt); got != want {
			t.Errorf("%s: %q, want %q", prompt, got, want)
		}
	}
}

func TestEveryBugIsListedAndTested(t *testing.T) {
	var text strings.Builder
	for _, name := range []string{"bugs_test.go", "cli_test.go"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(data)
	}
	source, err := os.ReadFile("bugs.go")
	if err != nil {
		t.Fatal(err)
	}
	if len(Bugs()) != 21 {
		t.Errorf("%d bugs, want 21", len(Bugs()))
	}
	for _, b := range Bugs() {
		for line := range strings.SplitSeq(string(source), "\n") {
			if constant, _, ok := strings.Cut(strings.TrimSpace(line), " "); ok && strings.HasSuffix(line, `= "`+b.Name+`"`) {
				if !strings.Contains(text.String(), constant) {
					t.Errorf("no test uses %s", constant)
				}
			}
		}
	}
}
