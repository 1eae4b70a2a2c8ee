package proc

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// TestForeignNumbers runs in a PID namespace of its own below the /proc of the one outside, whose numbers are others: only
// the program's group is signalled, and nobody is taken for somebody else.
func TestForeignNumbers(t *testing.T) {
	cmd := role("foreign")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skip("no namespace to be had here: ", err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill() // and with it everything in the namespace
	defer time.AfterFunc(time.Minute, func() { cmd.Process.Kill() }).Stop()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if lines.Text() == "done" {
			return
		}
		t.Error(lines.Text())
	}
	t.Error("the test inside has ended early")
}

// inForeign is what TestForeignNumbers runs inside.
func inForeign() {
	cmd := exec.Command("sh", "-c", "trap '' HUP TERM; echo up; while :; do sleep 1; done")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		fmt.Println(err)
		return
	}
	bufio.NewReader(out).ReadString('\n')
	pid := cmd.Process.Pid
	if p, ok := Lookup(pid); ok {
		fmt.Printf("%d is taken for %s\n", pid, p)
	}
	if start, ok := StartOf(pid); ok {
		fmt.Printf("%d was started at %d, as another process\n", pid, start)
	}
	if list, err := List(); err == nil {
		fmt.Println("the processes outside are listed:", Names(list))
	}
	gone := make(chan struct{})
	go func() {
		cmd.Process.Wait()
		close(gone)
	}()
	plan := Plan{PID: pid, Start: Now(), Hup: time.Millisecond, Term: time.Millisecond, Kill: 20 * time.Second}
	if left := End(context.Background(), plan, gone); len(left) > 0 {
		fmt.Println("left:", Names(left))
		return
	}
	<-gone
	fmt.Println("done")
}
