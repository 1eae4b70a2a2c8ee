//go:build race

package testneed

// Watched reports whether the race detector watches each access to memory, which is most of the CPU time then.
const Watched = true
