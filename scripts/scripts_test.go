package scripts_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"omniexpect/internal/proc"
	"omniexpect/internal/sim"
	"omniexpect/internal/testbin"
	"omniexpect/internal/testhome"
	"omniexpect/internal/testneed"
)

var update = flag.Bool("update", false, "write the golden files anew")

// binary is omniexpect, built once for all tests.
var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	proc.CatchIgnored() // the signals that tests send are to end the programs, under nohup as well
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "scripts-test-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		if binary, err = testbin.Build(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return testhome.Run(m.Run)
	}())
}

// finished is one run of a script.
type finished struct {
	code   int
	stdout string
	stderr string
	left   []string // what it left in its temporary directory
}

// run runs a script with a temporary directory of its own, and looks at what is left there.
func run(t *testing.T, args ...string) finished {
	t.Helper()
	tmp := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, append([]string{"run"}, args...)...)
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatalf("%v: %v", args, err)
	}
	f := finished{code: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String()}
	entries, _ := os.ReadDir(tmp)
	for _, e := range entries {
		f.left = append(f.left, e.Name())
	}
	if strings.Contains(f.stderr, "left running") {
		f.left = append(f.left, f.stderr)
	}
	return f
}

// flows are the scripts that run on the simulator, with what they say when all is well.
var flows = map[string]string{
	"claude_resume.star":                                   "remembers ZEPHYR-",
	"claude_resume.star --cold":                            "remembers ZEPHYR-",
	"claude_resume.star --era seed --fresh oneshot":        "remembers ZEPHYR-",
	"claude_resume.star --era seed --fresh oneshot --cold": "remembers ZEPHYR-",
	"codex_resume.star":                                    "remembers ZEPHYR-",
	"codex_resume.star --cold":                             "remembers ZEPHYR-",
	"elicitation.star":                                     "only the accepted command was run",
	"agent_cwd.star":                                       "the agent works in",
	"relaunch.star":                                        "nothing was duplicated",
	"reattach.star":                                        "the live terminal was reattached",
	"event_order.star":                                     "the message was reported before the answer",
	"bash_status.star":                                     "ended with status 7",
	"python_repl.star":                                     "ZeroDivisionError",
}

func TestEveryScriptPasses(t *testing.T) {
	for flow, says := range flows {
		t.Run(flow, func(t *testing.T) {
			t.Parallel()
			if text, err := os.ReadFile(strings.Fields(flow)[0]); err == nil {
				testneed.Script(t, string(text))
			}
			f := run(t, strings.Fields(flow)...)
			if f.code != 0 || !strings.Contains(f.stdout, says) || len(f.left) > 0 {
				t.Fatalf("status %d, left %v, stdout:\n%s\nstderr:\n%s", f.code, f.left, f.stdout, f.stderr)
			}
		})
	}
}

// TestOmnigentHelpers runs the helpers that need no server, in an environment like the one an agent leaves to its children.
func TestOmnigentHelpers(t *testing.T) {
	for _, name := range []string{"DATABRICKS_TOKEN", "ANTHROPIC_API_KEY", "CODEX", "CLAUDE_CODE", "CLAUDECODE",
		"CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_EXECPATH", "TMUX", "RUNNER_SERVER_URL", "OMNIGENT_RUNNER_WORKSPACE",
		"OMNIGENT_RUNNER_ID", "OMNIGENT_RUNNER_TUNNEL_BINDING_TOKEN"} {
		t.Setenv(name, "from a parent")
	}
	t.Setenv("OMNIGENT_CLI", "")
	t.Setenv("VIRTUAL_ENV", "")
	t.Setenv("PATH", "/usr/bin:/bin:/nowhere")
	f := run(t, "testdata/lib_omnigent.star")
	if f.code != 0 || len(f.left) > 0 {
		t.Fatalf("status %d, left %v\n%s%s", f.code, f.left, f.stdout, f.stderr)
	}
}

// TestScriptsAreShort keeps the flagship readable.
func TestScriptsAreShort(t *testing.T) {
	for _, name := range []string{"claude_resume.star", "codex_resume.star"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		n, doc := 0, false
		for _, line := range strings.Split(string(text), "\n") {
			line = strings.TrimSpace(line)
			switch {
			case strings.HasPrefix(line, `"""`):
				doc = !strings.HasSuffix(line, `"""`) || line == `"""`
			case doc:
				doc = !strings.HasSuffix(line, `"""`)
			case line != "" && !strings.HasPrefix(line, "#"):
				n++
			}
		}
		if n == 0 || n > 40 {
			t.Errorf("%s has %d lines of code, want at most 40", name, n)
		}
	}
}

// TestTheLiteralPollCannotFail shows why ours is not a port: on a model that has forgotten everything, the original's last
// poll stays green.
func TestTheLiteralPollCannotFail(t *testing.T) {
	t.Parallel()
	literal := run(t, "testdata/literal_poll.star", "--bug", "resume-empty")
	if literal.code != 0 || !strings.Contains(literal.stdout, "the literal poll is satisfied") {
		t.Errorf("literal poll: status %d\n%s%s", literal.code, literal.stdout, literal.stderr)
	}
	ours := run(t, "claude_resume.star", "--bug", "resume-empty")
	if ours.code != 1 || !strings.Contains(ours.stderr, "the model does not remember") {
		t.Errorf("ours: status %d\n%s", ours.code, ours.stderr)
	}
}

// TestReattachSeesANewTerminal ends the terminal before the script resumes. The product then starts another one with the old
// history: same session id, right answer, no hint.
func TestReattachSeesANewTerminal(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("reattach.star")
	if err != nil {
		t.Fatal(err)
	}
	const before = `step("reattach")`
	if strings.Count(string(text), before) != 1 {
		t.Fatalf("reattach.star has %s %d times, want once", before, strings.Count(string(text), before))
	}
	script := filepath.Join(t.TempDir(), "reattach.star")
	text = []byte(strings.Replace(string(text), before, "omnigent.end_terminal(conversation)\n"+before, 1))
	if err := os.WriteFile(script, text, 0o644); err != nil {
		t.Fatal(err)
	}
	f := run(t, script)
	if f.code != 1 || !strings.Contains(f.stderr, "a new terminal was started") || len(f.left) > 0 {
		t.Errorf("status %d, left %v\n%s%s", f.code, f.left, f.stdout, f.stderr)
	}
}

// columns are the runs of the table of seeded bugs.
var columns = []string{"claude_resume.star", "claude_resume.star --cold", "codex_resume.star", "codex_resume.star --cold",
	"elicitation.star", "agent_cwd.star", "relaunch.star", "reattach.star", "event_order.star",
	"claude_resume.star --era seed --fresh oneshot"}

var (
	failure  = regexp.MustCompile(`(?m)^\S+:\d+:\d+: (\w+): (.*)$`)
	changing = regexp.MustCompile(`(?:conv_)?[0-9a-f]{20,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|ZEPHYR-[0-9A-F]{8}|http://\S+|/\S+/crash-\S+\.md|\d+ tries|-[0-9a-f]{8}\.txt`)
)

// message is what a run says when it fails, without what differs from run to run.
func message(stderr string) string {
	m := failure.FindStringSubmatch(stderr)
	if m == nil {
		return "no message: " + stderr
	}
	text := changing.ReplaceAllString(m[2], "…")
	if rs := []rune(text); len(rs) > 160 {
		text = string(rs[:160]) + "…"
	}
	return m[1] + ": " + text
}

// TestSeededBugs runs every flow on every seeded bug and compares with the table in docs.
func TestSeededBugs(t *testing.T) {
	if testing.Short() {
		t.Skip("the whole table takes a minute or two")
	}
	type cell struct {
		bug, column, message string
		code                 int
	}
	var mu sync.Mutex
	var cells []cell
	var wg sync.WaitGroup
	slots := make(chan struct{}, 10)
	for _, b := range sim.Bugs() {
		for _, c := range columns {
			wg.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				f := run(t, append(strings.Fields(c), "--bug", b.Name)...)
				mu.Lock()
				defer mu.Unlock()
				if len(f.left) > 0 {
					t.Errorf("%s on %s left %v", c, b.Name, f.left)
				}
				if f.code != 0 {
					cells = append(cells, cell{b.Name, c, message(f.stderr), f.code})
				}
			})
		}
	}
	wg.Wait()
	sort.Slice(cells, func(i, j int) bool {
		return cells[i].bug < cells[j].bug || cells[i].bug == cells[j].bug && cells[i].column < cells[j].column
	})
	var b strings.Builder
	for _, bug := range sim.Bugs() {
		fmt.Fprintf(&b, "| `%s` | %s |", bug.Name, bug.Symptom)
		var parts []string
		last := ""
		for _, c := range cells {
			if c.bug != bug.Name {
				continue
			}
			if c.code != 1 {
				t.Errorf("%s on %s: status %d, want 1: %s", c.column, c.bug, c.code, c.message)
			}
			entry := "`" + c.column + "`"
			if c.message != last {
				entry += ": " + strings.ReplaceAll(c.message, "|", "\\|")
				last = c.message
			}
			parts = append(parts, entry)
		}
		fmt.Fprintf(&b, " %s |\n", strings.Join(parts, "<br>"))
	}
	compare(t, "../docs/omnigent/seeded-bugs.md", b.String())
}

const begin, end = "<!-- table -->\n", "<!-- /table -->"

// compare holds a table against the one between the marks of a file.
func compare(t *testing.T, file, table string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no marks %q and %q", file, begin, end)
	}
	const head = "| bug | what goes wrong | which scripts go red, and the message |\n|---|---|---|\n"
	want := before + begin + head + table + end + after
	if want == string(text) {
		return
	}
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	old := strings.Split(rest, "\n")
	for i, line := range strings.Split(head+table, "\n") {
		if i >= len(old) || old[i] != line {
			was := ""
			if i < len(old) {
				was = old[i]
			}
			t.Errorf("%s, line %d of the table:\n is   %s\n runs %s", file, i+1, was, line)
		}
	}
	t.Errorf("the table is stale: go test ./scripts -run SeededBugs -update")
}
