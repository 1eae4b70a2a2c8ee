//go:build !linux

package session

import "os/exec"

func prepareWatch(*exec.Cmd) {}

// watch waits for the program's exit in the background, in a thread.
func (s *Session) watch(cmd *exec.Cmd) error {
	go s.waitBlocking()
	return nil
}
