package scripts_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// marked returns the living processes that have an entry in their environment.
func marked(entry string) []string {
	var out []string
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err == nil && bytes.Contains(append([]byte{0}, b...), []byte("\x00"+entry+"\x00")) {
			cmdline, _ := os.ReadFile(filepath.Join(filepath.Dir(f), "cmdline"))
			out = append(out, filepath.Base(filepath.Dir(f))+" "+strings.ReplaceAll(string(cmdline), "\x00", " "))
		}
	}
	return out
}

// TestSignalsLeaveNothing interrupts the resume check at random moments: it ends with the signal's status, what it
// deferred has been called, and neither a process nor a file is left.
func TestSignalsLeaveNothing(t *testing.T) {
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("needs /proc to see what is left")
	}
	script := filepath.Join(t.TempDir(), "flow.star")
	text := `load("@lib//omnigent.star", "omnigent")
defer(print, "the deferred call was made")
print("begun")
om = omnigent.start()
omnigent.check_resume(om, cold = True)
sleep(60)
`
	if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		sig, want := syscall.SIGINT, 130
		if i%2 == 1 {
			sig, want = syscall.SIGTERM, 143
		}
		moment := time.Duration(rand.IntN(2500)) * time.Millisecond
		interrupt(t, script, sig, want, moment)
	}
}

func interrupt(t *testing.T, script string, sig syscall.Signal, want int, moment time.Duration) {
	t.Helper()
	tmp := t.TempDir()
	cmd := exec.Command(binary, "run", script)
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	first := make([]byte, len("begun\n"))
	if _, err := out.Read(first); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(moment, func() { cmd.Process.Signal(sig) })
	var rest bytes.Buffer
	rest.ReadFrom(out)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != want {
		t.Errorf("%v after %v: status %d, want %d\n%s", sig, moment, code, want, stderr.String())
	}
	if !strings.Contains(rest.String(), "the deferred call was made") {
		t.Errorf("%v after %v: the deferred call was not made: %q\n%s", sig, moment, rest.String(), stderr.String())
	}
	if left := marked("TMPDIR=" + tmp); len(left) > 0 {
		t.Errorf("%v after %v left processes: %v", sig, moment, left)
	}
	if files, _ := os.ReadDir(tmp); len(files) > 0 {
		t.Errorf("%v after %v left %v", sig, moment, files)
	}
}
