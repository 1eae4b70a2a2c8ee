// Package spell finds the name that was meant by one that is unknown.
package spell

import "strings"

// Nearest returns the name that is nearest to one that is unknown, or "" if none is near. Of several that are as near it is
// the one with the longest beginning in common, then the first in the alphabet: the answer is the same each time.
func Nearest(name string, names []string) string {
	best, limit := "", min(max(1, (len(name)+2)/3), 4)
	if len(name) == 1 {
		limit = 0 // any other letter would be near
	}
	for _, n := range names {
		d := distance(strings.ToLower(name), strings.ToLower(n))
		if n == name || d > limit || d == limit && best != "" && !nearer(name, n, best) {
			continue
		}
		best, limit = n, d
	}
	return best
}

// nearer decides between two names that take as many edits.
func nearer(name, a, b string) bool {
	if x, y := common(name, a), common(name, b); x != y {
		return x > y
	}
	return a < b
}

// common is how many bytes two names begin with alike.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// distance is the number of edits, a swap of neighbours counting as one.
func distance(a, b string) int {
	prev2, prev, cur := []int(nil), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur = make([]int, len(b)+1)
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev = prev, cur
	}
	return cur[len(b)]
}
