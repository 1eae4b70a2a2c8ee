package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// signalled is a run of a script that has said "up", with a home for temporary files of its own.
type signalled struct {
	*testing.T
	cmd  *exec.Cmd
	dir  string
	errs bytes.Buffer
}

func startSignalled(t *testing.T, script string) *signalled {
	t.Helper()
	s := &signalled{T: t, dir: t.TempDir()}
	file := filepath.Join(t.TempDir(), "script.star")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	s.cmd = exec.Command(os.Args[0], "run", file)
	s.cmd.Args[0] = "omniexpect"
	s.cmd.Path = omniexpectBinary(t)
	s.cmd.Env = append(os.Environ(), "TMPDIR="+s.dir, "WORK="+s.dir)
	s.cmd.Stderr = &s.errs
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.cmd.Process.Kill() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "up\n" {
		t.Fatalf("%q, %v: %s", line, err, s.errs.String())
	}
	return s
}

// omniexpectBinary is a link to the test's binary under the name that makes it the command.
func omniexpectBinary(t *testing.T) string {
	t.Helper()
	link := filepath.Join(t.TempDir(), "omniexpect")
	if err := os.Symlink(os.Args[0], link); err != nil {
		t.Fatal(err)
	}
	return link
}

// ended checks the status, and that no process and no file is left.
func (s *signalled) ended(by ...syscall.Signal) {
	s.Helper()
	var exit *exec.ExitError
	if err := s.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		s.Fatal(err)
	}
	if got := s.cmd.ProcessState.ExitCode(); !slices.Contains(by, syscall.Signal(got-128)) {
		s.Errorf("status %d (%v), want 128 and one of %v: %s", got, s.cmd.ProcessState, by, s.errs.String())
	}
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err == nil && bytes.Contains(b, []byte("OMNIEXPECT_RUN=")) && bytes.Contains(b, []byte("WORK="+s.dir)) {
			stat, _ := os.ReadFile(filepath.Join(filepath.Dir(f), "stat"))
			s.Errorf("left: %.60s", stat)
			if fields := strings.Fields(string(stat)); len(fields) > 0 {
				var pid int
				fmt.Sscan(fields[0], &pid)
				syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
	if left, _ := os.ReadDir(s.dir); len(left) > 0 {
		s.Errorf("left: %v", left)
	}
}

// TestManySignals hammers on a run that has many programs which do not go politely: none is left, neither alive nor frozen.
func TestManySignals(t *testing.T) {
	const script = `
d = fs.temp_dir()
fs.write(d + "/f", "x")
for i in range(20):
    spawn(["sh", "-c", "trap '' HUP INT QUIT TERM; echo ready; while :; do sleep 1; done"]).expect("ready")
print("up")
sleep(600)
`
	first := syscall.SIGINT
	for i, signals := range [][]syscall.Signal{
		{first, syscall.SIGINT, syscall.SIGINT},
		{first, syscall.SIGINT, syscall.SIGTERM},
		{first, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGINT, syscall.SIGINT, syscall.SIGTERM},
	} {
		for _, gap := range []time.Duration{0, 5, 20, 60, 150, 300} {
			t.Run(fmt.Sprintf("%d/%dms", i, gap), func(t *testing.T) {
				s := startSignalled(t, script)
				for j, sig := range signals {
					if j > 0 {
						time.Sleep(gap * time.Millisecond) // the gap is what is tested
					}
					s.cmd.Process.Signal(sig)
				}
				s.ended(signals...) // of several that are pending, the kernel delivers them as it likes
			})
		}
	}
}

// TestEndingSignals makes sure that each signal that would end another program ends a run, with its clean-up.
func TestEndingSignals(t *testing.T) {
	const script = `
fs.temp_dir()
spawn("cat")
defer(lambda: print("deferred"))
print("up")
sleep(600)
`
	for _, sig := range endings() {
		number := sig.(syscall.Signal)
		t.Run(name(number), func(t *testing.T) {
			if signal.Ignored(sig) {
				t.Skip("it was ignored when the test was started")
			}
			s := startSignalled(t, script)
			s.cmd.Process.Signal(sig)
			s.ended(number)
			if got := s.errs.String(); strings.Count(got, "interrupted by "+name(number)) != 1 {
				t.Errorf("said: %s", got)
			}
		})
	}
}

// TestIgnoredSignals makes sure that what was ignored when the run was started stays without effect.
func TestIgnoredSignals(t *testing.T) {
	out, err := exec.Command("sh", "-c", `trap '' HUP INT; exec "$0" run -q -c '
run(["sh", "-c", "kill -HUP $PPID; kill -INT $PPID"], pty=False)
print("still here")'`, omniexpectBinary(t)).CombinedOutput()
	if err != nil || string(out) != "still here\n" {
		t.Errorf("%v: %s", err, out)
	}
}
