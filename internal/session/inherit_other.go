//go:build !linux

package session

// closeOnExec says that the system cannot mark all descriptors at once.
func closeOnExec() bool { return false }
