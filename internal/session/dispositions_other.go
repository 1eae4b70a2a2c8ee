//go:build !linux

package session

// cleanSignals does nothing: what is blocked, or ignored of job control, can be seen through a C library only.
func cleanSignals() (back func()) { return func() {} }
