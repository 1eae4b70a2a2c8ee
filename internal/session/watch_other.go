//go:build !linux

package session

import (
	"os/exec"

	"omniexpect/internal/rawio"
)

func prepareWatch(*exec.Cmd) {}

// takeWatch returns nil: a thread has to wait for each program.
func takeWatch(*exec.Cmd) *rawio.File { return nil }
