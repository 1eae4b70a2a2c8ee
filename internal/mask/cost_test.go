package mask

import (
	"omniexpect/internal/testneed"
	"strings"
	"syscall"
	"testing"
)

// TestCost fails where a text that never stops to look like a secret costs more than a bounded multiple of the CPU time that
// ordinary text takes in the same run, which grows with the length of the secret.
func TestCost(t *testing.T) {
	if testneed.Watched {
		t.Skip("the race detector takes most of the CPU time: CI measures without it")
	}
	const size = 1 << 19
	cost := func(secret, text string) float64 {
		m := New()
		m.Add(secret)
		before := cpuTime(t)
		m.Mask(text)
		return float64(cpuTime(t)-before) / 1e6
	}
	repeat := func(unit string) string { return strings.Repeat(unit, size/len(unit)) }
	line := repeat("-rw-r--r-- 1 user group 4096 Nov 30 12:00 some-file-name.txt\r\n")
	ordinary := 0.0
	for range 5 {
		ordinary += cost("s3cr3t-value", line) / 5
	}
	ordinary = max(ordinary, 0.5)
	for _, unit := range []string{
		"\x1b[1;34mdir\x1b[0m  \x1b[32mscript.sh\x1b[m  \x1b[38;5;208mother\x1b[0m\r\n",
		"\x1b[12;1H\x1b[K\x1b[38;2;10;20;30mfunc main() {\x1b[m\x1b[13;5Hreturn\x1b[?25l\x1b[?25h",
	} {
		coloured := cost("s3cr3t-value", repeat(unit))
		for range 4 {
			coloured = min(coloured, cost("s3cr3t-value", repeat(unit)))
		}
		if coloured > 5*ordinary {
			t.Errorf("%q over and over: %.1f ms, ordinary text takes %.1f ms", unit, coloured, ordinary)
		}
	}
	for unit, longest := range map[string]int{"a": 400, "ab": 400, "abc ": 400, "&#": 60, "%": 60, "a\b": 60, "\x1b[1m": 60, `\`: 60, "=\n": 8} {
		for _, n := range []int{8, 60, 400} {
			if n > longest {
				break
			}
			most := float64(max(200, 6*n)) * ordinary
			secret := strings.Repeat(unit, n/len(unit))
			for _, s := range []string{secret, secret + "!"} {
				if got := cost(s, repeat(unit)); got > most {
					t.Errorf("%q × %d, of which the secret is %d characters: %.1f ms, ordinary text takes %.1f ms", unit, size/len(unit), len(s), got, ordinary)
				}
			}
		}
	}
}

func cpuTime(t *testing.T) int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return (int64(u.Utime.Sec)+int64(u.Stime.Sec))*1e9 + (int64(u.Utime.Usec)+int64(u.Stime.Usec))*1000
}
