package proc

import (
	"os/exec"
	"slices"
	"testing"
	"time"
)

func TestSinceSeesWhatWasStarted(t *testing.T) {
	first := exec.Command("true")
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	start, _ := StartOf(first.Process.Pid)
	second := exec.Command("sleep", "100")
	if err := second.Start(); err != nil {
		t.Fatal(err)
	}
	defer second.Wait()
	defer second.Process.Kill()
	rows, ok := since(first.Process.Pid, start)
	first.Wait()
	if !ok {
		t.Skip("the system started too much meanwhile, or process ids began anew")
	}
	if !slices.ContainsFunc(rows, func(e entry) bool { return e.PID == second.Process.Pid && !e.dead }) {
		t.Errorf("%d is not among %v", second.Process.Pid, rows)
	}
}

// The time before and after a start is the start's, if it is the same.
func TestNow(t *testing.T) {
	same := 0
	for range 200 {
		cmd := exec.Command("true")
		before := Now()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		after := Now()
		start, _ := StartOf(cmd.Process.Pid)
		cmd.Wait()
		if start < before || start > after {
			t.Fatalf("started at %d, not from %d to %d", start, before, after)
		}
		if before == after {
			same++
		}
	}
	if same == 0 {
		t.Log("no start took less than a tick")
	}
}

func TestSinceIsNotForTheOld(t *testing.T) {
	if _, ok := since(1, 1); ok {
		t.Error("the first process was not started just now")
	}
	if _, ok := since(1<<22, uint64(time.Now().Unix())); ok {
		t.Error("a process that starts in the future was taken for a recent one")
	}
}
