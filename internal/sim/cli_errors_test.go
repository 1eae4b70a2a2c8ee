package sim

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

func TestCLIErrors(t *testing.T) {
	f := start(t, config{})
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte(`{"version":"0.19.1"}`))
	}))
	defer foreign.Close()
	codex := f.create(harnessCodex)
	none := "00000000000000000000000000000000"
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"claude", "--server", f.url, "--resume", none}, 1,
			"Error: Failed to launch a runner on host '" + f.srv.hostID + "' (404): session not found"},
		{[]string{"codex", "--server", f.url, "--resume", none}, 1, "Error: Conversation '" + none + "' not found on the server."},
		{[]string{"claude", "--server", f.url, "--resume", codex}, 1, "is not a claude-native session (wrapper=codex-native-ui)"},
		{[]string{"resume", none, "--server", f.url}, 1, "Conversation '" + none + "' not found on '" + f.url + "'."},
		{[]string{"claude", "--server", "http://127.0.0.1:1"}, 1, "Could not reach the omnigent server at http://127.0.0.1:1. Confirm"},
		{[]string{"claude", "--server", foreign.URL}, 1, "is not the simulator's server"},
		{[]string{"claude", "--session", "a", "--resume", "b"}, 2, "--session and --resume are mutually exclusive"},
		{[]string{"codex", "--listen", "x"}, 2, "cannot be passed through"},
		{[]string{"dance"}, 2, "No such command 'dance'."},
		{[]string{"--version"}, 0, "omnigent 0.19.1-sim (omniexpect simulator, era current)"},
	} {
		r := f.cli(c.args...)
		if code := r.wait(); code != c.code {
			t.Errorf("%q: exit code %d, want %d", c.args, code, c.code)
		}
		mustContain(t, r.output(), c.want)
	}
}

func TestOtherDirectoryIsAsked(t *testing.T) {
	f := start(t, config{})
	r, id := f.freshTerminal("claude")
	r.send("/exit\r")
	r.wait()
	f.cwd = f.home
	r = f.cli("claude", "--server", f.url, "--resume", id)
	r.expect(`\[l\]eave\? `)
	r.send("l\n")
	if code := r.wait(); code != 1 {
		t.Errorf("exit code %d", code)
	}
	mustContain(t, r.output(), "Resume cancelled.")
}

// TestWithoutTerminal runs the command line on pipes: plain lines, and the end of the input ends it.
func TestWithoutTerminal(t *testing.T) {
	f := start(t, config{})
	cmd := exec.Command(os.Args[0], "claude", "--server", f.url)
	cmd.Dir = f.cwd
	cmd.Env = append(os.Environ(), asCLI+"=1", "HOME="+f.home)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr safeBuffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	io.WriteString(stdin, give+"\n")
	f.until("the reply", func() bool { return strings.Contains(stdout.String(), "assistant: "+marker+"\n") })
	stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("end: %v", err)
	}
	mustContain(t, stderr.String(), "Creating Claude session...\nStarting runner...\n")
	mustContain(t, stderr.String(), "\nResume with: omnigent claude ")
	mustNotContain(t, stdout.String()+stderr.String(), "\x1b")
}

// TestServerGone checks that no command line outlives its server.
func TestServerGone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stdout, lines := io.Pipe()
	done := make(chan int, 1)
	go func() { done <- Server(ctx, []string{"--delay", "1ms"}, lines, io.Discard) }()
	buf := make([]byte, 200)
	n, err := stdout.Read(buf)
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, home: t.TempDir(), cwd: t.TempDir(), url: strings.TrimPrefix(strings.TrimSpace(string(buf[:n])), "listening on ")}
	r, _ := f.freshTerminal("claude")
	cancel()
	if code := <-done; code != 0 {
		t.Errorf("server's exit code %d", code)
	}
	if code := r.wait(); code != 1 {
		t.Errorf("exit code %d: %q", code, r.output())
	}
	mustContain(t, r.output(), "reconnecting...")
}

// TestServerAsAProcess starts the server through the command line and stops it with a signal.
func TestServerAsAProcess(t *testing.T) {
	cmd := exec.Command(os.Args[0], "server", "--port", "0")
	cmd.Env = append(os.Environ(), asCLI+"=1", "OMNIGENT_SIM_BUG=resume-empty,ext-id-never")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, url: strings.TrimPrefix(strings.TrimSpace(line), "listening on ")}
	if got := f.want(200, "GET", "/sim", nil)["bugs"].([]any); len(got) != 2 {
		t.Errorf("bugs of the environment: %v", got)
	}
	if got := f.want(200, "GET", "/api/version", nil)["version"]; got != "0.19.1-sim" {
		t.Errorf("version %v", got)
	}
	cmd.Process.Signal(syscall.SIGTERM)
	if err := cmd.Wait(); err != nil {
		t.Errorf("a stopped server: %v", err)
	}
}
