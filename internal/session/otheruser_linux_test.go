package session

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"omniexpect/internal/match"
)

// TestOtherUser has somebody run a program that becomes root, as sudo does. It takes no signal, but ends with its terminal.
func TestOtherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can make a program for this")
	}
	const nobody = 65534
	program := filepath.Join(t.TempDir(), "becomes-root")
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, self, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(program, 0o755|os.ModeSetuid); err != nil {
		t.Fatal(err)
	}
	for dir := filepath.Dir(program); dir != os.TempDir() && len(dir) > 1; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), roleEnv+"=user")
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "no root") {
		t.Skipf("setuid programs do not work here: %v, %s", err, out)
	}
	if got := string(out); got != "killed by signal 1 (hangup), left 0\n" {
		t.Errorf("got %q", got)
	}
}

// playUser is who runs the program that becomes root.
func playUser() {
	if err := syscall.Setuid(65534); err != nil { // this is the setuid program as well, and had become half of root
		fmt.Println(err)
	}
	s, err := Start(Config{Argv: []string{os.Args[0]}, Rows: 24, Cols: 80, Env: []string{roleEnv + "=root"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	set, _ := match.Compile([]match.Pattern{{Source: "up|no root"}}, false)
	res, _ := s.Out.Wait(context.Background(), match.Want{Set: set, Deadline: time.Now().Add(time.Minute)})
	if res.Text != "up" {
		fmt.Println(res.Text)
	}
	left := s.Close(context.Background())
	status, _ := s.Status()
	fmt.Printf("%s, left %d\n", status, len(left))
}

// playRoot is the program that becomes root.
func playRoot() {
	if err := syscall.Setuid(0); err != nil {
		fmt.Println("no root:", err)
		return
	}
	fmt.Println("up")
}
