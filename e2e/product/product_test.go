package product

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// launch starts a shell in a session of its own with the product's HOME, and waits until it says that it is ready.
func launch(t *testing.T, p *Product, script string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sh", "-c", script)
	cmd.Env = set(os.Environ(), "HOME="+p.Home())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return cmd
}

func TestStopEndsWhatHasItsHome(t *testing.T) {
	p := &Product{Root: filepath.Join(t.TempDir(), "root")}
	other := &Product{Root: p.Home()} // its HOME only begins with the other's
	if err := os.MkdirAll(p.Home(), 0o755); err != nil {
		t.Fatal(err)
	}
	polite := launch(t, p, "echo ready; sleep 300 & wait")
	foreign := launch(t, other, "echo ready; exec sleep 300")
	if got := pids(p.Processes()); !slices.Contains(got, polite.Process.Pid) || slices.Contains(got, foreign.Process.Pid) {
		t.Errorf("found %v, want %d and not %d", got, polite.Process.Pid, foreign.Process.Pid)
	}
	killed, err := p.Stop()
	if err != nil || len(killed) > 0 {
		t.Errorf("had to kill %v (%v)", killed, err)
	}
	if left := p.Processes(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if _, err := os.Stat(p.Root); !os.IsNotExist(err) {
		t.Errorf("the directory is still there (%v)", err)
	}
	if !slices.Contains(pids(other.Processes()), foreign.Process.Pid) {
		t.Error("a process of another product was ended")
	}
}

func TestSweepKillsWhatWillNotEnd(t *testing.T) {
	p := &Product{Root: filepath.Join(t.TempDir(), "root")}
	stubborn := launch(t, p, "trap '' TERM; echo ready; while :; do sleep 300; done")
	killed := pids(p.sweep(200 * time.Millisecond))
	if !slices.Contains(killed, stubborn.Process.Pid) {
		t.Errorf("killed %v, want %d", killed, stubborn.Process.Pid)
	}
	if left := p.Processes(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func pids(list []Proc) (ids []int) {
	for _, proc := range list {
		ids = append(ids, proc.PID)
	}
	return ids
}

func TestEnviron(t *testing.T) {
	for _, name := range []string{
		"ANTHROPIC_API_KEY", "CLAUDECODE", "CODEX_HOME", "OPENAI_API_KEY", "OMNIGENT_DATA_DIR", "OMNIEXPECT_RUN",
		"DATABRICKS_TOKEN", "RUNNER_SERVER_URL", "STUB_AMNESIA", "TMUX", "XDG_CONFIG_HOME",
	} {
		t.Setenv(name, "inherited")
	}
	t.Setenv("UNRELATED", "kept")
	p := &Product{Root: "/scratch", Server: "http://server", Model: "http://model", config: Config{Dir: "/product"}}
	env := p.Environ()
	for _, want := range []string{"HOME=/scratch/home", "TMPDIR=/scratch/tmp", "OMNI_SERVER=http://server", "UNRELATED=kept"} {
		if !slices.Contains(env, want) {
			t.Errorf("%s is missing", want)
		}
	}
	for _, entry := range env {
		if strings.HasSuffix(entry, "=inherited") || strings.HasPrefix(entry, "ANTHROPIC") {
			t.Errorf("%s shows through", entry)
		}
		if path, ok := strings.CutPrefix(entry, "PATH="); ok && !strings.HasPrefix(path, "/product/venv/bin:/product/npm/node_modules/.bin:") {
			t.Errorf("the product's programs do not come first: %s", path)
		}
	}
	p.config.NoServer = true
	env = p.Environ()
	if !slices.Contains(env, "ANTHROPIC_BASE_URL=http://model") || slices.ContainsFunc(env, func(e string) bool { return strings.HasPrefix(e, "OMNI_SERVER=") }) {
		t.Errorf("without a server: %v", env)
	}
}

func TestStartNeedsAnInstalledProduct(t *testing.T) {
	dir := t.TempDir()
	_, err := Start(t.Context(), Config{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "run e2e/setup.sh "+dir) {
		t.Errorf("got %v", err)
	}
}
