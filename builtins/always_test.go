package builtins

import (
	"errors"
	"slices"
	"testing"
)

// TestLiveWatchers forgets watchers that are over, but not those that still have a failure to tell.
func TestLiveWatchers(t *testing.T) {
	over, failed, open := make(chan struct{}), make(chan struct{}), make(chan struct{})
	close(over)
	close(failed)
	list := []*watcher{{done: over}, {done: failed, err: errors.New("late")}, {done: open}}
	s := &Session{always: list}
	if got := s.liveWatchers(); !slices.Equal(got, list[1:]) {
		t.Errorf("kept %v of %v", got, list)
	}
}
