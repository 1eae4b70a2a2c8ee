package fault

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// TestReason takes the operation and the path out of what the system says of a file, and leaves other errors alone.
func TestReason(t *testing.T) {
	_, err := os.Open("/no/such/file")
	if got := Reason(fmt.Errorf("reading: %w", err)); !errors.Is(got, fs.ErrNotExist) || strings.Contains(got.Error(), "/no") {
		t.Errorf("got %v", got)
	}
	if other := errors.New("other"); Reason(other) != other {
		t.Errorf("got %v", Reason(other))
	}
}

// TestPanicked tells the user one line, and the stack below it.
func TestPanicked(t *testing.T) {
	if e := Panicked("oh"); strings.Contains(e.Msg, "\n") || !strings.Contains(e.Msg, "oh") || !strings.Contains(e.Detail, "TestPanicked") {
		t.Errorf("got %q, %q", e.Msg, e.Detail)
	}
}
