package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// maxAtStart is how much a package of ours may allocate before main: a table or a regular expression is more, and every
// start would pay for it.
const maxAtStart = 60

// TestStart watches what each start of the program pays for before main.
func TestStart(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Args = []string{"omniexpect", "version"}
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	seen := false
	for line := range strings.Lines(string(out)) {
		var name string
		var at, clock float64
		var bytes, allocs int
		n, _ := fmt.Sscanf(line, "init %s @%f ms, %f ms clock, %d bytes, %d allocs", &name, &at, &clock, &bytes, &allocs)
		if n != 5 || !strings.HasPrefix(name, "omniexpect/") {
			continue
		}
		seen = true
		if allocs > maxAtStart {
			t.Errorf("%s allocates %d times at start, want at most %d: make it when it is asked for", name, allocs, maxAtStart)
		}
	}
	if !seen {
		t.Errorf("no trace:\n%s", out)
	}
	heavy := []string{"golang.org/x/text/language", "golang.org/x/text/encoding/htmlindex", "text/template", "html/template",
		"golang.org/x/net/html", "expvar", "encoding/gob", "go/ast"}
	list, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := strings.Fields(string(list))
	for _, name := range heavy {
		if slices.Contains(linked, name) {
			t.Errorf("%s is linked: its tables are filled at every start", name)
		}
	}
}
