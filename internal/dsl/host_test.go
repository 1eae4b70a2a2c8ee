package dsl

import (
	"strings"
	"testing"

	"go.starlark.net/starlark"
)

// TestPanic makes an error of a panic, wherever Starlark runs, and leaves the lock free.
func TestPanic(t *testing.T) {
	s := new(Host).NewStrand(t.Context(), "test")
	defer s.Done()
	err := s.Run(func(*starlark.Thread) error { panic("oh") })
	if err == nil || !strings.Contains(err.Error(), "oh") || !s.Host.Lock.TryLock() {
		t.Errorf("%v, or the lock is still held", err)
	}
}
