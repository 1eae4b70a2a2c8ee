package proc

import (
	"context"
	"syscall"
	"time"
)

// sendSignal signals a process after reading it again.
func sendSignal(p Process, marker string, signal syscall.Signal) { plainSignal(p, marker, signal) }

// awaitExit waits for the end of a process and reports whether it has ended.
func awaitExit(ctx context.Context, p Process, deadline time.Time) bool {
	return rereadExit(ctx, p, deadline)
}
