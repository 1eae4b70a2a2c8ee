package interp_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"omniexpect/internal/fault"
)

// TestGrace lets deferred calls outlive their time: in a wait, and in a loop that never waits.
func TestGrace(t *testing.T) {
	for _, text := range []string{"pause()", "[1 for i in range(1 << 40)]"} {
		y := newToy(t, nil)
		y.Grace = 50 * time.Millisecond
		err := y.do(t.Context(), "def tidy(): "+text+"\nlater(print, )\nlater(tidy)\n")
		if err == nil || fault.KindOf(err) != fault.Timeout ||
			!strings.HasPrefix(err.Error(), "deferred tidy (main.star:3:6): cut off: deferred calls and clean-up may take 50ms together") {
			t.Errorf("%s: %v", text, err)
		}
		if len(y.reported) != 1 || y.reported[0].Error() != "not called for lack of time: deferred print (main.star:2:6)" || len(y.printed) > 0 {
			t.Errorf("%s: reported %v, printed %q", text, y.reported, y.printed)
		}
	}
}

// TestDeferForEver bounds a function that defers itself again.
func TestDeferForEver(t *testing.T) {
	y := newToy(t, nil)
	err := y.do(t.Context(), "def again():\n    again_and[0]()\nagain_and = [None]\nagain_and[0] = lambda: later(again)\nlater(print, )\nlater(again)\n")
	if fault.KindOf(err) != fault.Script || !strings.Contains(err.Error(), "does the function defer itself?") || !strings.Contains(err.Error(), "again") {
		t.Errorf("%v", err)
	}
	if !slices.Equal(y.printed, []string{""}) {
		t.Errorf("printed %q", y.printed)
	}
}
