package session

import (
	"io"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"omniexpect/internal/match"
	"omniexpect/internal/proc"
	"omniexpect/internal/testneed"
)

// large is a program that writes 17 MB, and what is waited for at the end.
var large = []string{"/bin/sh", "-c", "seq 1 2000000; echo PROMPT-END"}

// plainly reads the same from a terminal and looks at nothing.
func plainly(t *testing.T) time.Duration {
	t.Helper()
	began := used(t)
	cmd := exec.Command(large[0], large[1:]...)
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n, _ := io.Copy(io.Discard, f) // it ends with an error, which is the hangup
	cmd.Wait()
	if n < 16<<20 {
		t.Fatalf("read %d bytes", n)
	}
	return used(t) - began
}

// used is the CPU time that this process has taken. The clock on the wall measures what else the machine does as well.
func used(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// expected waits for the end with the patterns, the last of which matches, and returns the memory that took at most.
func expected(t *testing.T, patterns []match.Pattern) (time.Duration, uint64) {
	t.Helper()
	set, err := match.Compile(patterns, false)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := used(t)
	s := start(t, "none", proc.KillTree, func(c *Config) { c.Argv = large })
	res, err := s.Out.Wait(t.Context(), match.Want{Set: set, Deadline: time.Now().Add(2 * time.Minute)})
	took := used(t) - began
	runtime.ReadMemStats(&after)
	if err != nil || res.Index != len(patterns)-1 {
		t.Fatalf("%v, %+v", err, res.Index)
	}
	s.Close(t.Context())
	return took, after.HeapInuse - min(after.HeapInuse, before.HeapInuse)
}

// TestLargeOutput: a wait for the end of much output takes at most five times the CPU time of reading it, the race detector apart, with one
// pattern and with five of which four never match, and memory is bounded. Both are measured side by side; of several rounds
// one has to be undisturbed by what else the machine does.
func TestLargeOutput(t *testing.T) {
	one := []match.Pattern{{Source: "PROMPT-END"}}
	five := append([]match.Pattern{{Source: `never-\d+x`}, {Source: "nope"}, {Source: "nothing of this", IgnoreCase: true},
		{Kind: match.Exact, Source: "zzz"}}, one...)
	for name, patterns := range map[string][]match.Pattern{"one": one, "five": five} {
		t.Run(name, func(t *testing.T) {
			const rounds = 5
			for round := 1; ; round++ {
				floor := plainly(t)
				took, memory := expected(t, patterns)
				if memory > 30<<20 {
					t.Fatalf("takes %d MB", memory>>20)
				}
				if testneed.Watched || took <= 5*floor {
					t.Logf("%.2f times the plain read, %d MB, in round %d", float64(took)/float64(floor), memory>>20, round)
					return
				}
				if round == rounds {
					t.Fatalf("took %s, and a plain read %s: more than 5 times as long, %d times in a row", took, floor, rounds)
				}
			}
		})
	}
}
