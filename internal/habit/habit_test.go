package habit

import (
	"strings"
	"testing"
)

// TestFile looks for lines of habits.txt that no lookup finds.
func TestFile(t *testing.T) {
	section, seen := "", map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '[' {
			section = strings.Trim(line, "[]")
			continue
		}
		names, hint, ok := strings.Cut(line, ": ")
		if !ok || hint == "" || strings.TrimSpace(hint) != hint || strings.ContainsAny(line, "\r\x00") {
			t.Errorf("%q is not names, a colon and a hint", line)
		}
		for name := range strings.SplitSeq(names, ", ") {
			if seen[section+" "+name] {
				t.Errorf("%s stands twice in [%s]", name, section)
			}
			seen[section+" "+name] = true
			if look(section, name) != hint {
				t.Errorf("[%s] %s: got %q, want %q", section, name, look(section, name), hint)
			}
			if hint == "=" && Name(name) == "" {
				t.Errorf("nothing is said about %s, which [%s] refers to", name, section)
			}
		}
	}
	if len(seen) < 300 {
		t.Errorf("%d names", len(seen))
	}
}
