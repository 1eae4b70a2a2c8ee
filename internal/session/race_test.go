//go:build race

package session

// slower is how many times longer looking at output may take here: the race detector watches each of our accesses to
// memory, and nothing of a plain read.
const slower = 2
