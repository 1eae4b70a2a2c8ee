//go:build !linux

package session

// closeOnExec reports false: the system cannot mark all descriptors at once.
func closeOnExec() bool { return false }
