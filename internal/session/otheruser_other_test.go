//go:build !linux

package session

func playUser() {}
func playRoot() {}
