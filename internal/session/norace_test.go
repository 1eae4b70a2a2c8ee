//go:build !race

package session

// slower is how many times longer looking at output may take here than without the race detector.
const slower = 1
