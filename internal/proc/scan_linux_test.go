package proc

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"omniexpect/internal/testneed"
)

func TestParseStat(t *testing.T) {
	const rest = " 1 42 7 34816 43 4194560 1 2 3 4 5 6 7 8 20 0 1 0 12345 6 7"
	for _, c := range []struct {
		line string
		want entry
		ok   bool
	}{
		{"42 (cat) S" + rest, entry{
			Process:    Process{PID: 42, PPID: 1, PGID: 42, SID: 7, TTY: "/dev/pts/0", Name: "cat", Start: 12345},
			foreground: 43,
		}, true},
		{"42 (a) b) (c) T" + rest, entry{
			Process:    Process{PID: 42, PPID: 1, PGID: 42, SID: 7, TTY: "/dev/pts/0", Name: "a) b) (c", Start: 12345},
			foreground: 43, stopped: true,
		}, true},
		{"42 (cat) Z" + rest, entry{
			Process:    Process{PID: 42, PPID: 1, PGID: 42, SID: 7, TTY: "/dev/pts/0", Name: "cat", Start: 12345},
			foreground: 43, dead: true,
		}, true},
		{"42 (cat) Z" + strings.Replace(rest, " 20 0 1 ", " 20 0 2 ", 1), entry{ // the first thread only
			Process:    Process{PID: 42, PPID: 1, PGID: 42, SID: 7, TTY: "/dev/pts/0", Name: "cat", Start: 12345},
			foreground: 43,
		}, true},
		{"2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 1 0 0", entry{
			Process:    Process{PID: 2, Name: "kthreadd", Start: 1},
			foreground: -1, kernel: true,
		}, true},
		{"42 (cat) S 1 2", entry{}, false},
		{"", entry{}, false},
	} {
		if got, ok := parseStat([]byte(c.line)); ok != c.ok || ok && got != c.want {
			t.Errorf("%q is read as %+v, %v", c.line, got, ok)
		}
	}
}

func TestTTYName(t *testing.T) {
	for number, want := range map[uint32]string{
		0: "", 136 << 8: "/dev/pts/0", 136<<8 | 7: "/dev/pts/7", 136<<8 | 1<<20 | 2: "/dev/pts/258",
		137<<8 | 3: "/dev/pts/259", 4<<8 | 1: "/dev/tty1", 4<<8 | 64: "/dev/ttyS0", 5<<8 | 1: "/dev/console",
		204<<8 | 65: "terminal 204:65",
	} {
		if got := ttyName(number); got != want {
			t.Errorf("terminal %#x is %q, want %q", number, got, want)
		}
	}
}

// onTerminal starts a program on a terminal of its own and returns the terminal's two sides.
func onTerminal(t *testing.T, cmd *exec.Cmd) (master *bufio.Reader, slave string) {
	t.Helper()
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	t.Cleanup(func() {
		End(context.Background(), Plan{PID: cmd.Process.Pid, Hup: 1, Term: 1}, nil)
		cmd.Wait()
		ptmx.Close()
	})
	return bufio.NewReader(ptmx), tty.Name()
}

func TestHoldersOf(t *testing.T) {
	cmd := role("parent") // its child has the terminal open in a session that has none
	out, tty := onTerminal(t, cmd)
	line, err := out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	sleeper := pidOf(t, strings.TrimSpace(line))
	list := HoldersOf(tty)
	if len(list) != 2 || !holds(list, cmd.Process.Pid) || !holds(list, sleeper) {
		t.Errorf("%s is held by %s, want %d and %d", tty, Names(list), cmd.Process.Pid, sleeper)
	}
	for _, p := range list {
		if want := map[bool]string{true: "", false: tty}[p.PID == sleeper]; p.TTY != want {
			t.Errorf("the terminal of %s is %q, want %q", p, p.TTY, want)
		}
	}
}

func TestEndGroupTakesTheForeground(t *testing.T) {
	testneed.Programs(t, "sh", "sleep")
	cmd := role("foreground")
	out, _ := onTerminal(t, cmd)
	for range 2 {
		if _, err := out.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	plan := Plan{PID: cmd.Process.Pid, Strength: KillGroup, Hup: 10 * time.Millisecond, Term: time.Second}
	if left := End(t.Context(), plan, nil); len(left) > 0 {
		t.Errorf("left: %s", Names(left))
	}
	var groups []int
	for _, p := range Tree(cmd.Process.Pid) {
		if p.PID != p.SID {
			groups = append(groups, p.PGID)
		}
	}
	if len(groups) == 0 {
		t.Fatal("kill=group ended a job in the background")
	}
	for _, pgid := range groups[1:] {
		if pgid != groups[0] {
			t.Errorf("besides the background job, group %d is left", pgid)
		}
	}
}

func TestProtected(t *testing.T) {
	cmd := exec.Command("sh", "-c", "echo up; read x") // in this process's group
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	bufio.NewReader(out).ReadString('\n')
	if left := End(t.Context(), Plan{PID: cmd.Process.Pid, Hup: 1, Term: 1, Kill: 1}, nil); len(left) > 0 {
		t.Errorf("the set holds a member of this process's own group: %s", Names(left))
	}
	rows, err := scan()
	if err != nil {
		t.Fatal(err)
	}
	safe := protectedFrom(rows)
	for _, pid := range []int{0, 1, os.Getpid(), os.Getppid(), cmd.Process.Pid} {
		if !safe[pid] {
			t.Errorf("process %d may be signalled", pid)
		}
	}
	in.Close()
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 1 { // what read returns at the end of its input
		t.Errorf("it ended with %v, not by itself", cmd.ProcessState)
	}
}

func TestEndWhileSessionsAreStarted(t *testing.T) {
	testneed.Programs(t, "setsid")
	c := shell(t, `trap '' HUP TERM; sleep 1000 & echo up; while :; do setsid sleep 1000 & sleep 0.002; done`)
	c.reap()
	c.line()
	plan := c.plan()
	plan.Hup, plan.Term = 10*time.Millisecond, 10*time.Millisecond
	c.allGone(End(t.Context(), plan, c.gone))
}
