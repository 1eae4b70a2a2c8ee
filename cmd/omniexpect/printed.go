package main

import (
	"fmt"
	"os"

	"omniexpect/internal/fault"
)

// printed writes what a command found to standard output, and returns its exit status: 0, or 3 if it could not be
// written. A full disk does not look like success.
func printed(text string) int {
	if _, err := os.Stdout.WriteString(text); err != nil {
		fmt.Fprintf(os.Stderr, "omniexpect: env: standard output: %v\n", fault.Reason(err))
		return 3
	}
	return 0
}
