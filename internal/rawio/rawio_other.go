//go:build !linux

package rawio

import "syscall"

// Read reads what is there, at most len(p) bytes, or fails with EAGAIN.
func Read(fd uintptr, p []byte) (int, error) { return syscall.Read(int(fd), p) }

// Write writes what there is room for, or fails with EAGAIN.
func Write(fd uintptr, p []byte) (int, error) { return syscall.Write(int(fd), p) }
