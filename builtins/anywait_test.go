package builtins

import "testing"

// TestLeaveReading lets a wait read itself only where no other one may end it.
func TestLeaveReading(t *testing.T) {
	for n := 1; n <= 2; n++ {
		waits := make([]*waiting, n)
		for i := range waits {
			waits[i] = &waiting{}
			waits[i].want.Here = true
		}
		leaveReading(waits)
		for i, w := range waits {
			if w.want.Here != (n == 1) {
				t.Errorf("wait %d of %d reads itself: %v", i, n, w.want.Here)
			}
		}
	}
}
