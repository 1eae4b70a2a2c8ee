package fault

import (
	"testing"
	"time"
)

func TestHuman(t *testing.T) {
	for d, want := range map[time.Duration]string{
		2 * time.Minute: "2m", time.Hour: "1h", 90 * time.Second: "1m30s", 1500 * time.Millisecond: "1.5s",
		30 * time.Second: "30s", 250 * time.Millisecond: "250ms", 1234567 * time.Microsecond: "1.23s", 1499: "1µs", 0: "0s",
	} {
		if got := Human(d); got != want {
			t.Errorf("Human(%d) is %q, want %q", d, got, want)
		}
	}
}
