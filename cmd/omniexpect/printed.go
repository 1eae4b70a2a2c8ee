package main

import (
	"errors"
	"fmt"
	"os"
)

// printed writes what a command found to standard output, and returns its exit status: 0, or 3 if it could not be
// written. A full disk does not look like success.
func printed(text string) int {
	if _, err := os.Stdout.WriteString(text); err != nil {
		fmt.Fprintf(os.Stderr, "omniexpect: env: standard output: %v\n", root(err))
		return 3
	}
	return 0
}

// root is what went wrong, without the name that the file has for us.
func root(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
