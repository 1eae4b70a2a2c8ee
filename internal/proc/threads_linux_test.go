package proc

import (
	"os"
	"runtime"
	"strconv"
	"testing"
)

// TestSinceSkipsThreads has threads of this process begin after it, which are no processes.
func TestSinceSkipsThreads(t *testing.T) {
	start, ok := StartOf(os.Getpid())
	if !ok {
		t.Skip("no /proc")
	}
	stop := make(chan struct{})
	defer close(stop)
	for range 4 {
		ready := make(chan struct{})
		go func() {
			runtime.LockOSThread()
			close(ready)
			<-stop
		}()
		<-ready
	}
	rows, ok := since(os.Getpid(), start)
	if !ok {
		t.Skip("too much was started, or too long ago")
	}
	for _, r := range rows {
		if _, err := os.Stat("/proc/self/task/" + strconv.Itoa(r.PID)); err == nil {
			t.Errorf("thread %d of this process is in the table", r.PID)
		}
	}
}
