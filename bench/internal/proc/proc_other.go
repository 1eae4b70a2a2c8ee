//go:build !linux

package proc

import "time"

// Sample knows nothing here.
func Sample(int) (Usage, bool) { return Usage{}, false }

// WaitEnd returns at once here; the process is waited for when it is reaped.
func WaitEnd(int) error { return nil }

// CPU is zero here.
func CPU(int) time.Duration { return 0 }

// Descendants are not known here.
func Descendants(int) []int { return nil }

// Running are not known here.
func Running(string) []int { return nil }
