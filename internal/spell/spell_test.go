package spell_test

import (
	"testing"

	"omniexpect/internal/spell"
)

// TestNearest takes the same name of several that are as near, in whatever order they come.
func TestNearest(t *testing.T) {
	names := []string{"paste", "pause", "base64", "sse", "use"}
	for range names {
		names = append(names[1:], names[0])
		if got := spell.Nearest("base", names); got != "base64" {
			t.Errorf("%q: %s", names, got)
		}
		if got := spell.Nearest("puase", names); got != "pause" {
			t.Errorf("%q: %s", names, got)
		}
	}
}
