package main

import (
	"fmt"
	"os"

	"omniexpect/internal/fault"
	"omniexpect/internal/vt"
)

// printed writes what a command found to standard output, and returns its exit status: 0, or 3 if it could not be
// written. A full disk does not look like success.
func printed(text string) int {
	if _, err := os.Stdout.WriteString(text); err != nil {
		complain("omniexpect: env: standard output: %v", fault.Reason(err))
		return 3
	}
	return 0
}

// complain writes lines to standard error, with what a terminal would obey shown instead: names of files and arguments come
// from anywhere.
func complain(format string, args ...any) {
	fmt.Fprintln(os.Stderr, vt.Visible(fmt.Sprintf(format, args...)))
}
