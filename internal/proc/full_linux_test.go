package proc

import (
	"os"
	"sync"
	"syscall"
	"testing"
	"time"
)

// useUp takes all descriptors but a few, until the end of the test.
func useUp(t *testing.T, but int) {
	t.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	low := limit
	low.Cur = 100
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &low); err != nil {
		t.Fatal(err)
	}
	var taken []*os.File
	for {
		f, err := os.Open(os.DevNull)
		if err != nil {
			break
		}
		taken = append(taken, f)
	}
	for _, f := range taken[:but] {
		f.Close()
	}
	t.Cleanup(func() {
		for _, f := range taken[but:] {
			f.Close()
		}
		syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
	})
}

// TestEndWithoutDescriptors ends several programs at once, with jobs in groups of their own, where two descriptors are left
// for all of them.
func TestEndWithoutDescriptors(t *testing.T) {
	var all []*child
	for range 16 {
		c := jobs(t, `trap '' HUP TERM; echo up; sleep 1000`)
		c.reap()
		c.line()
		c.line()
		all = append(all, c)
	}
	useUp(t, 2)
	left := make([][]Process, len(all))
	var wg sync.WaitGroup
	for i, c := range all {
		wg.Go(func() { left[i] = End(t.Context(), c.plan(), c.gone) })
	}
	wg.Wait()
	for i, c := range all {
		c.allGone(left[i])
	}
}

// TestReadingWithoutDescriptors has what cannot be read not count as gone.
func TestReadingWithoutDescriptors(t *testing.T) {
	useUp(t, 0)
	if rows, err := scan(); err == nil {
		t.Errorf("a table of %d processes was read without a descriptor", len(rows))
	}
	if _, err := scanOne(os.Getpid()); err == nil || err == errGone {
		t.Errorf("this process is not to be read, but got %v", err)
	}
	self := Process{PID: os.Getpid()}
	if awaitExit(t.Context(), self, time.Now().Add(time.Millisecond)) {
		t.Error("this process is taken for gone")
	}
}
