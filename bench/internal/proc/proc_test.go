package proc

import (
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	tail := " S 41 1 1 0 -1 0 0 0 0 0 120 30 7 8 20 0 1 0"
	for _, name := range []string{"go", "a b", "x) S 9 (y"} {
		got, ok := parseStat("42 (" + name + ")" + tail)
		if want := (Stat{State: 'S', Parent: 41, Ticks: 150}); !ok || got != want {
			t.Errorf("%q: %+v, %v; want %+v", name, got, ok, want)
		}
	}
	for _, bad := range []string{"", "42", "42 (go", "42 (go) S 41", "42 (go) S x 1 1 0 -1 0 0 0 0 0 120 30"} {
		if _, ok := parseStat(bad); ok {
			t.Errorf("%q was read", bad)
		}
	}
}

func TestParseStatus(t *testing.T) {
	got := parseStatus("Name:\tgo\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\nThreads:\t7\nGroups:\t \n")
	if want := (Usage{RSS: 1 << 20, Peak: 2 << 20, Threads: 7}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestDescendants(t *testing.T) {
	got := descendants(10, map[int]int{10: 1, 11: 10, 12: 11, 13: 12, 20: 1, 21: 20, 30: 31, 31: 30})
	slices.Sort(got)
	if want := []int{11, 12, 13}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestLiveProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux shows this")
	}
	cmd := exec.Command("sh", "-c", "read x; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	if u, ok := Sample(pid); !ok || u.RSS == 0 || u.Threads != 1 || u.FDs < 3 {
		t.Errorf("a shell uses %+v, %v", u, ok)
	}
	if !slices.Contains(Descendants(os.Getpid()), pid) {
		t.Error("the shell is not among the descendants")
	}
	in.Close()
	if err := WaitEnd(pid); err != nil {
		t.Error(err)
	}
	if cpu := CPU(pid); cpu < time.Millisecond || cpu > time.Minute {
		t.Errorf("20000 rounds took %v of CPU", cpu)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if _, ok := Sample(pid); ok {
		t.Error("a reaped process can be sampled")
	}
}
