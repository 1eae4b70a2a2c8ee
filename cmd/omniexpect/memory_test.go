package main

import (
	"omniexpect/internal/testbin"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// TestKeptTextsAreBounded reads 300,000 lines one by one, keeps a piece of each, and looks at the most memory that the whole
// program had. docs/benchmarks.md has the figures.
func TestKeptTextsAreBounded(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("peak memory is counted in other units here")
	}
	program := testbin.Program(t) // not this one, which may be watched by the race detector
	const setUp = `s = spawn(["seq", "1", "300000"], pty = False)
`
	for _, tt := range []struct {
		name, script string
		most         int64 // MB
	}{
		{"a group", setUp + `out = [s.expect(r"(\d+)\n")[1] for i in range(300000)]`, 100},
		{"a line", setUp + `out = [s.readline() for i in range(300000)]`, 100},
		{"a group, UTF-8, all of it unread", `s = spawn(["sh", "-c", "seq 1 300000 | sed 's/$/ zeile übergröße äöü/'"], pty = False, buffer = 20000000)
s.wait()
out = [s.expect(r"(\d+) zeile (\S+) äöü\n")[1] for i in range(300000)]`, 150},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "kept.star")
			if err := os.WriteFile(file, []byte(tt.script+"\nassert.eq(out[-1], \"300000\")\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), program, "run", "-q", file)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10
			if peak > tt.most {
				t.Errorf("%d MB, want at most %d", peak, tt.most)
			}
			t.Logf("%d MB", peak)
		})
	}
}
