package match

import (
	"slices"
	"strings"
)

// Needles are a few short texts of which every literal holds one. Where none of them is, no literal is, and the machine's
// own search for a text is ten times as fast as any automaton.
const (
	maxNeedles     = 3
	maxNeedle      = 8
	shortestNeedle = 3
)

// needlesOf returns needles for literals, the longer the better, or nil if it takes too many.
func needlesOf(lits []string) [][]byte {
	for n := maxNeedle; n >= shortestNeedle; n-- {
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
		if len(found) == maxNeedles {
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
		has := func(l string) bool { return strings.Contains(l, best) }
		best = extend(best, slices.DeleteFunc(slices.Clone(lits), func(l string) bool { return !has(l) }))
		found = append(found, []byte(best))
		lits = slices.DeleteFunc(slices.Clone(lits), has)
	}
	return found
}

// extend makes a part that all literals have as long as it can be.
func extend(part string, lits []string) string {
	all := func(p string) bool {
		return !slices.ContainsFunc(lits, func(l string) bool { return !strings.Contains(l, p) })
	}
	for {
		i := strings.Index(lits[0], part)
		switch end := i + len(part); {
		case end < len(lits[0]) && all(lits[0][i:end+1]):
			part = lits[0][i : end+1]
		case i > 0 && all(lits[0][i-1:end]):
			part = lits[0][i-1 : end]
		default:
			return part
		}
	}
}
