package builtins

import (
	"errors"
	"slices"
	"testing"
)

// TestUnended forgets standing patterns that are over, but not those that still have a failure to tell.
func TestUnended(t *testing.T) {
	over, failed, open := make(chan struct{}), make(chan struct{}), make(chan struct{})
	close(over)
	close(failed)
	list := []*standing{{done: over}, {done: failed, err: errors.New("late")}, {done: open}}
	s := &Session{always: list}
	if got := s.unended(); !slices.Equal(got, list[1:]) {
		t.Errorf("kept %v of %v", got, list)
	}
}
