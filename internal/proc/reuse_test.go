package proc

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestSessionOfAnotherProgramStays gives a plan the number of a session whose leader is gone and which was never the
// plan's: the number had been given away. What is in that session carries another marker, and stays.
func TestSessionOfAnotherProgramStays(t *testing.T) {
	cmd := exec.Command("sh", "-c", "sleep 100 & echo $!")
	cmd.Env = append(os.Environ(), MarkerEnv+"=theirs")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd.Stdout = w
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(pid, syscall.SIGKILL)
	for _, strength := range []Strength{KillGroup, KillTree, KillAll} {
		End(context.Background(), Plan{PID: cmd.Process.Pid, Start: 1, Marker: "ours", Strength: strength}, nil)
		if _, lives := Lookup(pid); !lives {
			t.Fatalf("%s: the foreign process was ended", strength)
		}
	}
	End(context.Background(), Plan{PID: cmd.Process.Pid, Start: 1, Marker: "theirs", Strength: KillTree}, nil)
	if _, lives := Lookup(pid); lives {
		t.Fatal("with its own marker it has to go")
	}
}
