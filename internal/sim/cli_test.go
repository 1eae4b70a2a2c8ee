package sim

import (
	"bytes"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// run is a command line under a PTY.
type run struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	mode *term.State   // before the full screen
	done chan struct{} // closed when the output has ended

	mu  sync.Mutex
	out bytes.Buffer
}

func (f *fixture) cli(args ...string) *run {
	f.t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir = f.cwd
	cmd.Env = append(os.Environ(), asCLI+"=1", "HOME="+f.home, "TERM=xterm-256color")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 30, Cols: 100})
	if err != nil {
		f.t.Fatal(err)
	}
	r := &run{t: f.t, cmd: cmd, tty: tty, done: make(chan struct{})}
	if r.mode, err = term.GetState(int(tty.Fd())); err != nil {
		f.t.Fatal(err)
	}
	go func() {
		defer close(r.done)
		buf := make([]byte, 4096)
		for {
			n, err := tty.Read(buf)
			r.mu.Lock()
			r.out.Write(buf[:n])
			r.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	f.t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		tty.Close()
		<-r.done
	})
	return r
}

func (r *run) output() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.String()
}

// expect waits for a pattern in all output so far and returns its first group.
func (r *run) expect(pattern string) string {
	r.t.Helper()
	re := regexp.MustCompile(pattern)
	deadline := time.Now().Add(patience)
	for {
		if m := re.FindStringSubmatch(r.output()); m != nil {
			return m[len(m)-1]
		}
		if time.Now().After(deadline) {
			r.t.Fatalf("no %q in %q", pattern, r.output())
		}
		sleep(r.t.Context(), 5*time.Millisecond)
	}
}

func (r *run) send(text string) {
	r.t.Helper()
	if _, err := r.tty.WriteString(text); err != nil {
		r.t.Fatal(err)
	}
}

// wait waits for the end and returns the exit code.
func (r *run) wait() int {
	r.t.Helper()
	select {
	case <-r.done:
	case <-time.After(patience):
		r.t.Fatalf("the command line does not end: %q", r.output())
	}
	r.cmd.Wait()
	return r.cmd.ProcessState.ExitCode()
}

func TestClaudeColdResume(t *testing.T) { wholeFlow(t, harnessClaude, "/exit\r") }
func TestCodexColdResume(t *testing.T)  { wholeFlow(t, harnessCodex, "/quit\r") }

// wholeFlow is the check's own: fresh, message through the server, exit, delete, resume, recall.
func wholeFlow(t *testing.T, harness, quit string) {
	f := start(t, config{delay: 20 * time.Millisecond})
	fresh := f.cli(harness, "--server", f.url)
	id := fresh.expect(`Web UI: \S+/c/([0-9a-f]{32})\r`)
	fresh.expect(`Omnigent: ` + regexp.QuoteMeta(f.url) + "/c/" + id)
	fresh.expect(`\[\?2004h`)
	if got := f.answer(id, give); got != marker {
		t.Fatalf("the fresh leg answered %q", got)
	}
	fresh.send(quit)
	if code := fresh.wait(); code != 0 {
		t.Fatalf("exit code %d: %q", code, fresh.output())
	}
	out := fresh.output()
	hint := "[detached (from session main)]\r\nResume with: omnigent " + harness + " --server " + f.url + " --resume " + id + "\r\n"
	if !strings.HasSuffix(out, hint) {
		t.Errorf("the output does not end in the hint: %q", out[max(0, len(out)-400):])
	}
	external := f.session(id)["external_session_id"].(string)
	if harness == harnessClaude {
		mustContain(t, out, "claude --resume "+external)
	}
	if found := f.transcripts(); len(found) != 1 || !strings.HasSuffix(found[0], external+".jsonl") {
		t.Fatalf("transcripts: %q", found)
	}
	f.removeTranscripts()

	resumed := f.cli(harness, "--server", f.url, "--resume", id)
	resumed.expect(`Web UI: \S+/c/` + id)
	if got := f.answer(id, again); got != marker {
		t.Fatalf("the resumed model answered %q", got)
	}
	if found := f.transcripts(); len(found) != 1 || !strings.HasSuffix(found[0], external+".jsonl") {
		t.Errorf("transcripts after resuming: %q", found)
	}
	resumed.send(quit)
	if code := resumed.wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if strings.Contains(resumed.output(), "Resume with:") {
		t.Error("a resumed session printed a hint")
	}
}

// freshTerminal starts the command line and returns when its full screen takes input.
func (f *fixture) freshTerminal(args ...string) (r *run, id string) {
	f.t.Helper()
	r = f.cli(append(args, "--server", f.url)...)
	id = r.expect(`Web UI: \S+/c/((?:conv_)?[0-9a-f]{32})\r`)
	r.expect(`\[\?2004h`)
	r.expect(`shortcuts`)
	return r, id
}

func TestTypedMessage(t *testing.T) {
	f := start(t, config{})
	r, id := f.freshTerminal("claude")
	r.send(give + "\n") // a line feed is a line break
	r.expect(`0BADCAFE`)
	if got := f.items(id); len(got) != 1 {
		t.Errorf("a line feed sent the text: %q", got)
	}
	r.send("\x15\x1b[200~" + give + "\r\x1b[201~") // nor does a break inside a paste
	r.send("\x1b[A\x1b[>1;2c\r")                   // keys and answers of a terminal are nothing, Enter sends
	f.until("the reply", func() bool { return strings.Contains(strings.Join(f.items(id), "|"), "assistant: "+marker) })
	if strings.Contains(r.output(), "Reply with ONLY") {
		t.Error("the words are in one piece: not drawn by differences")
	}
	r.send("/exit\r")
	r.wait()
}

func TestCtrlC(t *testing.T) {
	f := start(t, config{})
	r, _ := f.freshTerminal("claude")
	r.send("\x03")
	r.expect(`again`)
	r.send("\x03")
	if code := r.wait(); code != 0 {
		t.Errorf("claude: exit code %d", code)
	}
	mustContain(t, r.output(), "Resume with: omnigent claude ")
	if mode, err := term.GetState(int(r.tty.Fd())); err != nil || !reflect.DeepEqual(mode, r.mode) {
		t.Errorf("the terminal's mode is not restored: %+v, was %+v, %v", mode, r.mode, err)
	}
	r, _ = f.freshTerminal("codex")
	r.send("\x03")
	if code := r.wait(); code != 0 {
		t.Errorf("codex: exit code %d", code)
	}
	mustContain(t, r.output(), "Resume with: omnigent codex ")
}

// TestKilledCLILeavesTheTerminal is the product's way: the agent lives on, and another command line reattaches.
func TestKilledCLILeavesTheTerminal(t *testing.T) {
	f := start(t, config{bugs: bugs(bugRebuildRaises)})
	r, id := f.freshTerminal("claude")
	f.ask(id, give)
	r.cmd.Process.Kill()
	r.wait()
	f.want(200, "GET", "/v1/sessions/"+id+"/resources/terminals/terminal_claude_main", nil)
	before := f.items(id)
	again1, _ := f.freshTerminal("claude", "--resume", id)
	again1.expect("0BADCAFE") // what was said is painted again
	if got := f.items(id); len(got) != len(before) {
		t.Errorf("reattaching stored %q", got[len(before):])
	}
	if got := f.answer(id, again); got != marker {
		t.Errorf("recall: %q", got)
	}
}

func TestSignalEndsTheCLIOnly(t *testing.T) {
	f := start(t, config{})
	for sig, code := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		r, id := f.freshTerminal("claude")
		r.cmd.Process.Signal(sig)
		if got := r.wait(); got != code {
			t.Errorf("%v: exit code %d, want %d", sig, got, code)
		}
		if out := r.output(); strings.Contains(out, "Resume with") || !strings.Contains(out, "\x1b[?1049l") {
			t.Errorf("%v: %q", sig, out[max(0, len(out)-200):])
		}
		f.want(200, "GET", "/v1/sessions/"+id+"/resources/terminals/terminal_claude_main", nil)
	}
}

func TestPromptIsSentAgain(t *testing.T) {
	f := start(t, config{})
	r, id := f.freshTerminal("claude", "-p", give)
	f.until("the reply", func() bool { return slices.Contains(f.items(id), "assistant: "+marker) })
	if got := f.session(id)["terminal_launch_args"].([]any); len(got) != 1 || got[0] != give {
		t.Errorf("launch args: %q", got)
	}
	r.send("/exit\r")
	r.wait()
	f.freshTerminal("claude", "--resume", id)
	f.until("the second reply", func() bool {
		return strings.Count(strings.Join(f.items(id), "|"), "assistant: "+marker) == 2
	})

	r, id = f.freshTerminal("codex", "-p", give)
	f.until("codex' reply", func() bool { return slices.Contains(f.items(id), "assistant: "+marker) })
	if got := f.session(id)["terminal_launch_args"]; got != nil {
		t.Errorf("codex' launch args: %v", got)
	}
	r.send("/quit\r")
	r.wait()
}

func TestSeedOneshot(t *testing.T) {
	for _, harness := range []string{harnessClaude, harnessCodex} {
		f := start(t, config{era: eraSeed})
		r := f.cli(harness, "--server", f.url, "-p", give)
		if code := r.wait(); code != 0 {
			t.Errorf("exit code %d", code)
		}
		id := r.expect(`Resume with: omnigent ` + harness + ` --server \S+ --resume (conv_[0-9a-f]{32})\r`)
		if got := f.items(id); !slices.Contains(got, "assistant: "+marker) {
			t.Errorf("items: %q", got)
		}
		f.freshTerminal(harness, "--resume", id)
		if got := f.answer(id, again); got != marker {
			t.Errorf("recall: %q", got)
		}
	}
}

func TestCLIBugs(t *testing.T) {
	f := start(t, config{era: eraSeed, bugs: bugs(bugOneshotHangs)})
	r := f.cli("claude", "--server", f.url, "-p", give)
	r.expect(`Pane is dead`)
	if err := r.cmd.Process.Signal(syscall.Signal(0)); err != nil || strings.Contains(r.output(), "Resume with") {
		t.Errorf("oneshot-hangs ended: %v", err)
	}
	mustContain(t, f.log.String(), "seeded bug: oneshot-hangs")
	mustNotContain(t, r.output(), "seeded")

	f = start(t, config{bugs: bugs(bugHintWrongID)})
	r, id := f.freshTerminal("claude")
	r.send("/exit\r")
	r.wait()
	other := r.expect(`Resume with: \S+ claude --server \S+ --resume ([0-9a-f]{32})\r`)
	if other == id || len(f.items(other)) != 0 {
		t.Errorf("hint-wrong-id names %s, started %s", other, id)
	}

	f = start(t, config{bugs: bugs(bugCLICrashes)})
	r = f.cli("claude", "--server", f.url)
	r.expect(`Traceback \(most recent call last\):[\s\S]*httpx.ReadTimeout: timed out[\s\S]*crash-\S+\.md[\s\S]*with this report\? \[Y/n\] `)
	r.send("n\r")
	if got := r.wait(); got != 1 {
		t.Errorf("cli-crashes: exit code %d, want 1", got)
	}

	for bug, code := range map[string]int{"": 1, bugExit0OnError: 0} {
		f = start(t, config{era: eraSeed, bugs: bugs(bug)})
		r = f.cli("claude", "--server", f.url, "-p", "Fail this turn.")
		if got := r.wait(); got != code {
			t.Errorf("%q: exit code %d, want %d", bug, got, code)
		}
	}
}

func mustNotContain(t *testing.T, text, bad string) {
	t.Helper()
	if strings.Contains(text, bad) {
		t.Errorf("%q in:\n%s", bad, text)
	}
}

func TestAnswerInTheTerminal(t *testing.T) {
	f := start(t, config{})
	r, id := f.freshTerminal("claude")
	f.say(id, "run `touch marker.txt`")
	r.expect(`Bash`)
	r.send("1")
	f.until("the effect", func() bool { return f.exists("marker.txt") })
	r.expect(`command\x1b\S*has`) // until the question has gone, keys answer it
	r.send("/exit\r")
	if code := r.wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestResize(t *testing.T) {
	f := start(t, config{})
	r, id := f.freshTerminal("codex")
	if err := pty.Setsize(r.tty, &pty.Winsize{Rows: 12, Cols: 40}); err != nil {
		t.Fatal(err)
	}
	r.expect(`\x1b\[12;1H\x1b\[0m` + regexp.QuoteMeta(("Omnigent: " + f.url + "/c/" + id)[:40]) + `\x1b\[K`)
}
