//go:build !linux

package proc

func inForeign() {}
