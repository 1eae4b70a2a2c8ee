package proc

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"omniexpect/internal/testneed"
)

const (
	roleEnv   = "PROC_TEST_ROLE"
	scriptEnv = "PROC_TEST_SCRIPT"
)

// TestMain plays a child instead of running the tests when the environment names a role.
func TestMain(m *testing.M) {
	switch os.Getenv(roleEnv) {
	case "":
		// The children act on signals, which a shell that began with them ignored (under nohup) cannot.
		CatchIgnored()
		os.Exit(m.Run())
	case "parent": // stays, with a child in a session of its own
		again("sleeper").Start()
		io.Copy(io.Discard, os.Stdin)
	case "jobs": // stays, with two children in groups of their own, as a shell with job control has them
		for _, script := range []string{os.Getenv(scriptEnv), os.Getenv(scriptEnv)} {
			cmd := exec.Command("sh", "-c", script)
			cmd.Stdin, cmd.Stdout = os.Stdin, os.Stdout
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			cmd.Start()
		}
		time.Sleep(time.Hour)
	case "foreground": // stays, with a child in the terminal's foreground group and one in the background
		for _, front := range []bool{false, true} {
			cmd := exec.Command("sh", "-c", "trap '' HUP; echo up $$; read x </dev/null; sleep 1000")
			cmd.Stdin, cmd.Stdout = os.Stdin, os.Stdout
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Foreground: front}
			cmd.Start()
		}
		time.Sleep(time.Hour)
	case "daemon": // leaves a child in a session of its own
		again("sleeper").Start()
	case "foreign":
		inForeign()
	case "sleeper":
		fmt.Printf("up %d\n", os.Getpid())
		time.Sleep(time.Hour)
	}
}

// again is this program in another role and a session of its own.
func again(role string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"="+role)
	cmd.Stdout = os.Stdout
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// child is a program under test. Everything it starts holds its output, so the output's end is the end of them all.
type child struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	pipe   *os.File
	gone   chan struct{}
	start  uint64
	reaper chan struct{} // closed to let the reaper begin
}

func start(t *testing.T, cmd *exec.Cmd) *child {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{t: t, cmd: cmd, out: bufio.NewReader(r), pipe: r, gone: make(chan struct{}), reaper: make(chan struct{})}
	cmd.Stdout = w
	// Not StdinPipe: that ends when the child is reaped, and others may still read.
	stdin, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin, c.in = stdin, in
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	stdin.Close()
	var ok bool
	if c.start, ok = StartOf(cmd.Process.Pid); !ok {
		t.Fatal("the child that was just started is not found")
	}
	t.Cleanup(func() {
		c.reap()
		End(context.Background(), Plan{PID: cmd.Process.Pid, Start: c.start, Hup: 1, Term: 1}, c.gone)
		<-c.gone
		r.Close()
		c.in.Close()
	})
	return c
}

func shell(t *testing.T, script string) *child {
	testneed.Programs(t, "sh", "sleep") // a loop of sleeps that are not there would never rest
	return start(t, exec.Command("sh", "-c", script))
}

// reap starts to wait for the child, as a session does from the beginning.
func (c *child) reap() {
	select {
	case <-c.reaper:
	default:
		close(c.reaper)
		go func() {
			c.cmd.Wait()
			close(c.gone)
		}()
	}
}

func (c *child) line() string {
	c.t.Helper()
	c.pipe.SetReadDeadline(time.Now().Add(30 * time.Second))
	text, err := c.out.ReadString('\n')
	if err != nil {
		c.t.Fatalf("the child's output ended: %v", err)
	}
	return strings.TrimSpace(text)
}

func (c *child) plan() Plan {
	return Plan{
		PID: c.cmd.Process.Pid, Start: c.start,
		Hup: 50 * time.Millisecond, Term: 50 * time.Millisecond, Kill: 20 * time.Second,
	}
}

// allGone checks that nothing that was started holds the output any more.
func (c *child) allGone(left []Process) {
	c.t.Helper()
	if len(left) > 0 {
		c.t.Fatalf("still there: %s", Names(left))
	}
	c.pipe.SetReadDeadline(time.Now().Add(30 * time.Second))
	if _, err := io.Copy(io.Discard, c.out); err != nil {
		c.t.Fatalf("something still holds the output: %v", err)
	}
	<-c.gone
}

func pidOf(t *testing.T, line string) int {
	t.Helper()
	pid, err := strconv.Atoi(line[strings.LastIndex(line, " ")+1:])
	if err != nil {
		t.Fatalf("no process id in %q", line)
	}
	return pid
}

func holds(list []Process, pid int) bool {
	for _, p := range list {
		if p.PID == pid {
			return true
		}
	}
	return false
}

func TestListNamesThisProcess(t *testing.T) {
	list, err := List()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if p.PID == os.Getpid() {
			if p.PPID != os.Getppid() || p.PGID != syscall.Getpgrp() || !strings.HasPrefix(p.Name, os.Args[0][:min(len(os.Args[0]), nameLimit-1)]) {
				t.Errorf("this process is listed as %+v", p)
			}
			return
		}
	}
	t.Error("this process is not listed")
}

func TestTreeWithoutTheLeader(t *testing.T) {
	c := shell(t, `exec 3<&0; sh -c 'echo up $$; read x' <&3 & echo leader; exit 0`)
	var inner int
	for range 2 {
		if line := c.line(); line != "leader" {
			inner = pidOf(t, line)
		}
	}
	c.reap()
	<-c.gone
	if list := Tree(c.cmd.Process.Pid); len(list) != 1 || list[0].PID != inner {
		t.Errorf("the session of a leader that is gone holds %s, not its member %d", Names(list), inner)
	}
}

func TestTreeFollowsParentsOutOfTheSession(t *testing.T) {
	c := start(t, role("parent"))
	c.reap()
	sleeper := pidOf(t, c.line())
	list := Tree(c.cmd.Process.Pid)
	if len(list) != 2 || !holds(list, sleeper) || !holds(list, c.cmd.Process.Pid) {
		t.Errorf("the tree is %s, without the child %d in another session", Names(list), sleeper)
	}
	c.allGone(End(t.Context(), c.plan(), c.gone))
}

func role(name string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"="+name)
	return cmd
}

func TestMarkedFindsADaemon(t *testing.T) {
	cmd := role("daemon")
	marker := fmt.Sprintf("test-%d-%d", os.Getpid(), time.Now().UnixNano())
	cmd.Env = append(cmd.Env, MarkerEnv+"="+marker)
	c := start(t, cmd)
	c.reap()
	daemon := pidOf(t, c.line())
	<-c.gone

	if list := Tree(cmd.Process.Pid); len(list) > 0 {
		t.Errorf("a daemon is no member of the tree, which is %s", Names(list))
	}
	if list := Marked(marker); len(list) != 1 || list[0].PID != daemon {
		t.Errorf("marked: %s, want %d alone", Names(list), daemon)
	}
	if list := Marked(marker[:len(marker)-1]); len(list) > 0 {
		t.Errorf("half a marker finds %s", Names(list))
	}

	plan := c.plan()
	plan.Marker = marker
	if left := End(t.Context(), plan, c.gone); len(left) > 0 {
		t.Errorf("what is no part of the tree is not left over: %s", Names(left))
	}
	if _, ok := Lookup(daemon); !ok {
		t.Fatal("ending the tree ended the daemon")
	}
	plan.Strength = KillAll
	c.allGone(End(t.Context(), plan, c.gone))
}

func TestHoldersOfNothing(t *testing.T) {
	if list := HoldersOf("/dev/pts/no-such"); len(list) > 0 {
		t.Errorf("a terminal that does not exist is held by %s", Names(list))
	}
}

func TestTableIsNeverOlderThanTheQuestion(t *testing.T) {
	var table Table
	done := make(chan error)
	for range 8 {
		go func() {
			for range 5 {
				cmd := exec.Command("cat")
				in, _ := cmd.StdinPipe()
				if err := cmd.Start(); err != nil {
					done <- err
					return
				}
				rows, err := table.read()
				found := false
				for i := range rows {
					found = found || rows[i].PID == cmd.Process.Pid
				}
				in.Close()
				cmd.Wait()
				if !found {
					done <- fmt.Errorf("a child that was started before the reading is not in it (%v)", err)
					return
				}
			}
			done <- nil
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "[short]"},
		{"sleep\x0010\x00", "sleep 10"},
		{"sh\x00-c\x00a\n\tb\x1b[31m\x00\x00", "sh -c a b [31m"},
		{"é\xff\x00", "é"},
		{strings.Repeat("ä", 80), strings.Repeat("ä", nameLimit-1) + "…"},
	} {
		if got := commandName([]byte(c.args), "short"); got != c.want {
			t.Errorf("the name of %q is %q, want %q", c.args, got, c.want)
		}
	}
	list := []Process{{PID: 1, Name: "a"}, {PID: 2, Name: "b"}, {PID: 3}, {PID: 4}, {PID: 5}}
	if got := Names(list[:2]); got != "a (pid 1), b (pid 2)" {
		t.Errorf("two: %q", got)
	}
	if got := Names(append(list, list...)); !strings.HasSuffix(got, "(pid 4) and 6 more") {
		t.Errorf("ten: %q", got)
	}
}

func TestSplitArgs(t *testing.T) {
	raw := "\x02\x00\x00\x00/bin/sh\x00\x00\x00\x00sh\x00-i\x00A=1\x00" + MarkerEnv + "=x\x00\x00"
	args, env := splitArgs([]byte(raw))
	if string(args) != "sh\x00-i\x00" || !carries(env, "x") || carries(env, "") {
		t.Errorf("arguments %q, environment %q", args, env)
	}
	for cut := range len(raw) {
		splitArgs([]byte(raw[:cut])) // must not panic
	}
}
