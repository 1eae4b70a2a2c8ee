package sim

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// run is a command line under a PTY.
type run struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
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
	if got := f.ask(id, give); got != marker {
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
	if got := f.ask(id, again); got != marker {
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
