package builtins

import (
	"errors"
	"fmt"

	"omniexpect/internal/fault"
)

// manyRounds is how often a pattern is served in one wait before a failure says so: a question that is asked again and
// again does not take its answer.
const manyRounds = 3

// rounds counts how often an expect whose actions go on has served each of its patterns.
type rounds []int

// explain adds to the failure of a wait which question came again and again.
func (r rounds) explain(w *waiting, err error) error {
	most := 0
	for i, n := range r {
		if n > r[most] {
			most = i
		}
	}
	var f *fault.Error
	if len(r) == 0 || r[most] < manyRounds || !errors.As(err, &f) {
		return err
	}
	f.Hints = append([]string{fmt.Sprintf("%s came %d times in this wait, and its action went on each time: if it is a question, "+
		"the answer is not taken", w.session.st.patternName(w.patterns[most]), r[most])}, f.Hints...)
	return err
}
