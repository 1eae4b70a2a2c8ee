// Package testbin builds the program for tests that run it as a user does.
package testbin

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"omniexpect/internal/testneed"
)

// Build builds the program into a folder and returns its path.
func Build(dir string) (string, error) {
	program := filepath.Join(dir, "omniexpect")
	if out, err := exec.Command("go", "build", "-o", program, "omniexpect/cmd/omniexpect").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return program, nil
}

// Program builds the program into a folder of the test's own.
func Program(t testing.TB) string {
	t.Helper()
	testneed.Programs(t, "go")
	program, err := Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return program
}
