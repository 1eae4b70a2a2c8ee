package internal_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// onClock are the packages that take the time from the run's clock.
var onClock = []string{"internal/match", "internal/session", "internal/httpc", "internal/explain", "builtins"}

// offClock is how often a file uses the machine's own time all the same, and why.
var offClock = map[string]struct {
	times int
	why   string
}{
	"internal/match/reader.go":    {4, "the spin of a read, and how long the kernel kept one asleep: microseconds that decide how to read"},
	"internal/httpc/stubtls.go":   {1, "when a certificate becomes valid, which the other side decides by its own time"},
	"internal/httpc/websocket.go": {1, "the grace of a goodbye at the end of a connection"},
	"internal/explain/explain.go": {2, "how long a failure may take to explain: computing, which no clock moves"},
	"builtins/interact.go":        {1, "how soon a program draws again for another size"},
	"builtins/interactpumps.go":   {2, "the person's terminal, and what a program draws on it"},
	"internal/session/program.go": {1, "the grace of a process that has had its SIGKILL"},
}

// TestTimeIsTheClocks looks for what a run with a clock of its own would wait for by the machine's.
func TestTimeIsTheClocks(t *testing.T) {
	own := regexp.MustCompile(`\btime\.(Now|Since|Until|Sleep|After|AfterFunc|Tick|NewTicker|NewTimer)\(|\bcontext\.With(Timeout|Deadline)(Cause)?\(`)
	for _, dir := range onClock {
		files, err := filepath.Glob("../" + dir + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files: %v", dir, err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name := strings.TrimPrefix(filepath.ToSlash(path), "../")
			if got, want := len(own.FindAll(text, -1)), offClock[name].times; got != want {
				t.Errorf("%s uses the machine's time %d times, want %d: ask the run's clock, or list it with a reason", name, got, want)
			}
		}
	}
}
