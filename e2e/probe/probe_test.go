package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const manual = "../../docs/omnigent/helpers.md"

// TestSimulatorAnswersAsTheManualSays asks the simulator, and compares with what the product answered when it was recorded.
func TestSimulatorAnswersAsTheManualSays(t *testing.T) {
	if testing.Short() {
		t.Skip("the probe takes ten seconds")
	}
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin+"/", ".", "../../cmd/omniexpect").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	for _, harness := range []string{"claude", "codex"} {
		t.Run(harness, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "simulator.json")
			cmd := exec.CommandContext(t.Context(), bin+"/omniexpect", "run", "probe.star", "--harness", harness, "--probe", bin+"/probe", "--out", file)
			cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("probe: %v\n%s", err, out)
			}
			if err := compareFiles(file, "testdata/"+harness+".json", manual, harness); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestTableIsHeldBothWays fails when a difference may be missing from the table, or a row may be there for nothing.
func TestTableIsHeldBothWays(t *testing.T) {
	a := report{"same": {Status: 200}, "status": {Status: 200}, "fields": {Status: 200, Shape: shape{"": "object", ".a": "string"}}}
	b := report{"same": {Status: 200}, "status": {Status: 404}, "fields": {Status: 200, Shape: shape{"": "object", ".b": "string"}}}
	found := differences(a, b)
	table := map[string]string{"status": "status: simulator 200, product 404", "fields": "simulator lacks .b; only simulator has .a"}
	if wrong := against(table, found); len(wrong) > 0 {
		t.Errorf("a table that holds: %q", wrong)
	}
	for name, test := range map[string]struct {
		change func(map[string]string)
		want   string
	}{
		"missing row": {func(m map[string]string) { delete(m, "status") }, "not in the table: | status |"},
		"other row":   {func(m map[string]string) { m["fields"] = "simulator lacks .c" }, "the table has another difference: | fields |"},
		"stale row":   {func(m map[string]string) { m["same"] = "status: simulator 1, product 2" }, "differs no longer, take the row out: | same |"},
	} {
		changed := map[string]string{}
		for k, v := range table {
			changed[k] = v
		}
		test.change(changed)
		if wrong := against(changed, found); len(wrong) != 1 || !strings.HasPrefix(wrong[0], test.want) {
			t.Errorf("%s: got %q, want %s", name, wrong, test.want)
		}
	}
}

func TestShape(t *testing.T) {
	s, ok := shapeOf([]byte(`{"a":[{"b":1},{"c":null}],"labels":{"x":"y"},"n":null}`), 0)
	got, err := json.Marshal(s)
	want := `{"":"object",".a":"list",".a[]":"object",".a[].b":"number",".a[].c":"null",".labels":"object",".n":"null"}`
	if !ok || err != nil || string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, ok := shapeOf([]byte("<html>"), 0); ok {
		t.Error("a page is not JSON")
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{{"null", "string", true}, {"null|string", "string", true}, {"number", "string", false}, {"list", "object", false}, {"string", "null|string", true}} {
		if alike(c.a, c.b) != c.want {
			t.Errorf("%s and %s: got %v", c.a, c.b, !c.want)
		}
	}
}

// TestFactsHoldEachTime: what differs from turn to turn on the product is not compared.
func TestFactsHoldEachTime(t *testing.T) {
	claude, codex := &prober{harness: "claude"}, &prober{harness: "codex"}
	a, b := []string{"consumed", "delta", "done"}, []string{"delta", "consumed", "done"}
	if x, y := claude.orderFact(a), claude.orderFact(b); x != y || x != "consumed and delta in any order, done" {
		t.Errorf("claude: %q and %q", x, y)
	}
	if x, y := codex.orderFact(a), codex.orderFact(b); x == y {
		t.Errorf("codex: %q whatever the order", x)
	}
	for _, tt := range []struct {
		want     string
		statuses []string
	}{
		{"running, idle, once or more", []string{"running", "running", "idle"}},
		{"running, idle, once or more", []string{"running", "idle", "running", "idle", "running", "idle"}},
		{"running, failed", []string{"running", "failed"}},
	} {
		if got := statusFact(tt.statuses); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.statuses, got, tt.want)
		}
	}
}

func TestManualHasATable(t *testing.T) {
	for _, harness := range []string{"claude", "codex"} {
		if table, err := readTable(manual, harness); err != nil || len(table) == 0 {
			t.Errorf("%s: %v, %v", harness, table, err)
		}
	}
}

// TestRequestsAreNamedOnce fails when one answer would hide another.
func TestRequestsAreNamedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range append(live(), left()...) {
		if seen[r.name] || strings.Contains(r.name, "|") {
			t.Errorf("the name %q is taken, or does not fit a table", r.name)
		}
		seen[r.name] = true
	}
	if len(seen) < 117 {
		t.Errorf("%d requests, want at least 117", len(seen))
	}
}
