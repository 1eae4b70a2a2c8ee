package proc

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"omniexpect/internal/testneed"
)

// hour is a patience that a test cannot wait for.
const hour = time.Hour

func TestEndIgnoringPoliteSignals(t *testing.T) {
	c := shell(t, `trap '' HUP INT TERM; echo up; while :; do sleep 1; done`)
	c.reap()
	c.line()
	c.allGone(End(t.Context(), c.plan(), c.gone))
	if ws := c.cmd.ProcessState.Sys().(syscall.WaitStatus); !ws.Signaled() || ws.Signal() != syscall.SIGKILL {
		t.Errorf("ended with %v, want signal 9", c.cmd.ProcessState)
	}
	c.allGone(End(t.Context(), c.plan(), c.gone)) // again: nothing to do, no harm
}

func TestEndReturnsAsSoonAsNothingIsLeft(t *testing.T) {
	c := shell(t, `trap 'exit 3' HUP; echo up; while :; do sleep 0.01; done`)
	c.reap()
	c.line()
	plan := c.plan()
	plan.Hup = hour
	c.allGone(End(t.Context(), plan, c.gone))
	if code := c.cmd.ProcessState.ExitCode(); code != 3 {
		t.Errorf("ended with %v, want what it does on SIGHUP", c.cmd.ProcessState)
	}
}

func jobs(t *testing.T, script string) *child {
	testneed.Programs(t, "sh", "sleep")
	cmd := role("jobs")
	cmd.Env = append(cmd.Env, scriptEnv+"="+script)
	return start(t, cmd)
}

func TestEndOtherGroups(t *testing.T) {
	c := jobs(t, `trap '' HUP TERM; echo up; sleep 1000`)
	c.reap()
	c.line()
	c.line()
	c.allGone(End(t.Context(), c.plan(), c.gone))
}

func TestEndGroupLeavesOtherGroups(t *testing.T) {
	c := jobs(t, `trap '' HUP; echo up $$; read x; echo still here`)
	c.reap()
	first, second := pidOf(t, c.line()), pidOf(t, c.line())
	plan := c.plan()
	plan.Strength = KillGroup
	if left := End(t.Context(), plan, c.gone); len(left) > 0 {
		t.Errorf("left: %s", Names(left))
	}
	<-c.gone
	if list := Tree(plan.PID); len(list) != 2 || !holds(list, first) || !holds(list, second) {
		t.Fatalf("of the jobs %d and %d in groups of their own kill=group has left %s", first, second, Names(list))
	}
	c.in.Close()
	for range 2 {
		if line := c.line(); line != "still here" {
			t.Errorf("a job said %q", line)
		}
	}
}

func TestEndWakesTheStopped(t *testing.T) {
	c := shell(t, `trap 'exit 3' HUP; echo up; while :; do sleep 0.01; done`)
	c.line()
	c.cmd.Process.Signal(syscall.SIGSTOP)
	var ws syscall.WaitStatus
	if _, err := syscall.Wait4(c.cmd.Process.Pid, &ws, syscall.WUNTRACED, nil); err != nil || !ws.Stopped() {
		t.Fatalf("not stopped: %v %v", ws, err)
	}
	c.reap()
	plan := c.plan()
	plan.Hup = hour
	c.allGone(End(t.Context(), plan, c.gone))
	if code := c.cmd.ProcessState.ExitCode(); code != 3 {
		t.Errorf("ended with %v, want what it does on SIGHUP", c.cmd.ProcessState)
	}
}

func TestEndWhileChildrenAreStarted(t *testing.T) {
	c := shell(t, `trap '' HUP TERM; sleep 1000 & echo up; while :; do sleep 1000 & sleep 0.002; done`)
	c.reap()
	c.line()
	plan := c.plan()
	plan.Hup, plan.Term = 10*time.Millisecond, 10*time.Millisecond
	c.allGone(End(t.Context(), plan, c.gone))
}

// TestEndWhatNeverStays ends a program that starts a copy of itself and ends, again and again, with each strength.
func TestEndWhatNeverStays(t *testing.T) {
	testneed.Programs(t, "python3")
	for _, strength := range []Strength{KillGroup, KillTree, KillAll} {
		for range 3 {
			cmd := exec.Command("python3", "-c", `
import os, signal, sys, time
signal.signal(signal.SIGHUP, signal.SIG_IGN)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("up", flush=True)
for hop in range(100000):
    if os.fork():
        os._exit(0)
    if hop == 200:
        print("far", flush=True)
    time.sleep(0.001)
    os.kill(int(sys.argv[1]), 0) # fails where the test was killed
`, fmt.Sprint(os.Getpid()))
			cmd.Stderr = os.Stderr // says why, should it end by itself
			marker := fmt.Sprint("never-stays-", os.Getpid())
			cmd.Env = append(os.Environ(), MarkerEnv+"="+marker)
			c := start(t, cmd)
			c.reap()
			c.line()
			<-c.gone
			c.line()
			plan := c.plan()
			plan.Strength, plan.Marker = strength, marker
			c.allGone(End(t.Context(), plan, c.gone))
		}
	}
}

func TestEndWhatASignalStarts(t *testing.T) {
	c := shell(t, `trap 'sleep 1000 & exit' TERM; trap '' HUP; echo up; while :; do sleep 0.01; done`)
	c.reap()
	c.line()
	// SIGKILL may be needed: a shell's child that is not yet another program loses what its shell has a trap for.
	c.allGone(End(t.Context(), c.plan(), c.gone))
}

func TestEndKnown(t *testing.T) {
	c := start(t, role("daemon"))
	c.reap()
	daemon, ok := Lookup(pidOf(t, c.line()))
	if !ok {
		t.Fatal("the daemon is not found")
	}
	<-c.gone
	recycled := daemon
	recycled.Start++
	plan := c.plan()
	plan.Known = []Process{recycled}
	if left := End(t.Context(), plan, c.gone); len(left) > 0 {
		t.Errorf("left: %s", Names(left))
	}
	if now, ok := Lookup(daemon.PID); !ok || !now.Same(daemon) {
		t.Fatal("a process that only has the same id was ended")
	}
	plan.Known = []Process{daemon}
	c.allGone(End(t.Context(), plan, c.gone))
}

func TestEndSparesARecycledProgram(t *testing.T) {
	c := shell(t, `echo up; read x; echo "$x"`)
	c.reap()
	c.line()
	gone := make(chan struct{})
	close(gone)
	for name, plan := range map[string]Plan{
		"other start":     {PID: c.cmd.Process.Pid, Start: c.start + 1},
		"reaped long ago": {PID: c.cmd.Process.Pid},
	} {
		for _, plan.Strength = range []Strength{KillGroup, KillTree, KillAll} {
			if left := End(t.Context(), plan, gone); len(left) > 0 {
				t.Errorf("%s: left %s", name, Names(left))
			}
		}
	}
	fmt.Fprintln(c.in, "alive")
	if line := c.line(); line != "alive" {
		t.Errorf("the other program said %q", line)
	}
}

func TestSignalReadsAgain(t *testing.T) {
	c := shell(t, `echo up; read x; echo "$x"`)
	c.reap()
	c.line()
	p, ok := Lookup(c.cmd.Process.Pid)
	if !ok {
		t.Fatal("not found")
	}
	other := p
	other.Start++
	for _, send := range []func(Process, string, syscall.Signal){sendSignal, plainSignal} {
		send(other, "", syscall.SIGKILL)
		send(p, "a marker it does not have", syscall.SIGKILL)
	}
	fmt.Fprintln(c.in, "alive")
	if line := c.line(); line != "alive" {
		t.Errorf("the program said %q", line)
	}
}

func TestEndSparesItsOwn(t *testing.T) {
	var own []Process
	for _, pid := range []int{os.Getpid(), os.Getppid(), 1} {
		if p, ok := Lookup(pid); ok {
			own = append(own, p)
		}
	}
	for _, pid := range []int{-1, 0, 1, os.Getpid()} {
		plan := Plan{PID: pid, Known: own, Hup: 1, Term: 1, Kill: 1}
		if left := End(t.Context(), plan, nil); len(left) > 0 {
			t.Errorf("the set of process %d is %s", pid, Names(left))
		}
	}
}

// TestEndSparesWhatItsOwnStarted has what must not be signalled be part of a plan: other programs of its own, and of its
// parents, which may run many more than this one, are none of the plan's.
func TestEndSparesWhatItsOwnStarted(t *testing.T) {
	c := shell(t, `echo up; read x; echo "$x"`)
	c.reap()
	c.line()
	self, ok := Lookup(os.Getpid())
	if !ok {
		t.Fatal("this process is not found")
	}
	for _, strength := range []Strength{KillGroup, KillTree, KillAll} {
		plan := Plan{Known: []Process{self}, Strength: strength, Hup: 1, Term: 1, Kill: 1}
		if left := End(t.Context(), plan, nil); len(left) > 0 {
			t.Errorf("%s: the set is %s", strength, Names(left))
		}
	}
	fmt.Fprintln(c.in, "alive")
	if line := c.line(); line != "alive" {
		t.Errorf("the other program said %q", line)
	}
}

func TestEndAtOnce(t *testing.T) {
	c := shell(t, `trap '' HUP TERM; echo up; while :; do sleep 1; done`)
	c.reap()
	c.line()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	plan := c.plan()
	plan.Hup, plan.Term = hour, hour
	End(ctx, plan, c.gone)
	c.allGone(nil)
}

func TestRereadExit(t *testing.T) {
	c := shell(t, `echo up; read x`)
	c.reap()
	c.line()
	p, _ := Lookup(c.cmd.Process.Pid)
	for name, wait := range map[string]func(context.Context, Process, time.Time) bool{
		"reread": rereadExit, "best": awaitExit,
	} {
		if wait(t.Context(), p, time.Now().Add(20*time.Millisecond)) {
			t.Errorf("%s: the living has ended", name)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if wait(ctx, p, time.Now().Add(hour)) {
			t.Errorf("%s: the living has ended after the cancel", name)
		}
	}
	c.in.Close()
	if !rereadExit(t.Context(), p, time.Now().Add(hour)) || !awaitExit(t.Context(), p, time.Now().Add(hour)) {
		t.Error("the end of a process is not seen")
	}
}

func BenchmarkEndNothingLeft(b *testing.B) {
	gone := make(chan struct{})
	close(gone)
	for b.Loop() {
		End(b.Context(), Plan{PID: 1 << 30, Start: 1}, gone)
	}
}
