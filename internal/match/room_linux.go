package match

import "golang.org/x/sys/unix"

// useHugePages asks for huge pages in p. A kernel that has none to give gives small ones.
func useHugePages(p []byte) { _ = unix.Madvise(p, unix.MADV_HUGEPAGE) }
