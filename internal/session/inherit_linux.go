package session

import (
	"math"

	"golang.org/x/sys/unix"
)

// closeOnExec marks all descriptors from 3 on, and reports whether the system can do that at once.
func closeOnExec() bool { return unix.CloseRange(3, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC) == nil }
