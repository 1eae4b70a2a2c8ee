//go:build !linux

package match

func useHugePages([]byte) {}
