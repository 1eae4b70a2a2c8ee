//go:build race

package session

// watched reports whether the race detector watches our accesses to memory, which takes most of the CPU time then.
const watched = true
