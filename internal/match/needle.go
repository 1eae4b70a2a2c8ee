package match

import (
	"bytes"
	"slices"
)

// Needles are a few short texts of which every literal holds one. Where none of them is, no literal is, and the machine's
// own search for a text is ten times as fast as any automaton.
const (
	mostNeedles    = 3
	longestNeedle  = 8
	shortestNeedle = 3
)

// needlesOf returns needles for literals, the longer the better, or nil if it takes too many.
func needlesOf(lits []string) [][]byte {
	for n := longestNeedle; n >= shortestNeedle; n-- {
		if slices.ContainsFunc(lits, func(l string) bool { return len(l) < n }) {
			continue
		}
		if found := cover(lits, n); found != nil {
			return found
		}
	}
	return nil
}

// cover picks texts of length n, each time the one that the most literals hold, until every literal holds one.
func cover(lits []string, n int) [][]byte {
	var found [][]byte
	for len(lits) > 0 {
		if len(found) == mostNeedles {
			return nil
		}
		best, most := "", 0
		count := map[string]int{}
		for _, l := range lits {
			for i := range len(l) - n + 1 {
				part := l[i : i+n]
				count[part]++
				if c := count[part]; c > most || c == most && part < best {
					best, most = part, c
				}
			}
		}
		found = append(found, []byte(best))
		lits = slices.DeleteFunc(slices.Clone(lits), func(l string) bool { return bytes.Contains([]byte(l), []byte(best)) })
	}
	return found
}
