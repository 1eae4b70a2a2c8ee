// Package lazy has regular expressions that are compiled when they are first used, so that a program that never needs
// them starts without that work. It is how all fixed expressions of this module are kept.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns a function that returns the compiled expression. An expression that does not compile panics at the first
// use.
func Regexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
