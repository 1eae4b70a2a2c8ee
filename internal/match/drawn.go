package match

import "slices"

// drawn is the set of cells of a row that something was drawn on: spans in order, which neither overlap nor touch. It is
// never changed in place, for copies of a decoder share it.
type drawn []stretch

type stretch struct{ from, to int32 }

// maxSpans bounds a set. Beyond it the gap that is furthest to the left counts as drawn.
const maxSpans = 64

// add returns the set with [from, to).
func (d drawn) add(from, to int32) drawn {
	if from >= to {
		return d
	}
	at := 0
	for at < len(d) && d[at].to < from {
		at++
	}
	if at < len(d) && d[at].from <= from && to <= d[at].to {
		return d
	}
	end := at
	for end < len(d) && d[end].from <= to {
		from, to = min(from, d[end].from), max(to, d[end].to)
		end++
	}
	out := slices.Concat(d[:at], drawn{{from, to}}, d[end:])
	if len(out) > maxSpans {
		out[1].from = out[0].from
		out = out[1:]
	}
	return out
}

// remove returns the set without [from, to).
func (d drawn) remove(from, to int32) drawn {
	if !d.meets(from, to) {
		return d
	}
	var out drawn
	for _, c := range d {
		if left := (stretch{c.from, min(c.to, from)}); left.from < left.to {
			out = append(out, left)
		}
		if right := (stretch{max(c.from, to), c.to}); right.from < right.to {
			out = append(out, right)
		}
	}
	return out
}

// shift returns the set with what is at or after a cell moved to the right by so many; to the left if that is negative,
// where nothing is drawn on the cells in between.
func (d drawn) shift(at, by int32) drawn {
	var out drawn
	for _, c := range d {
		if left := (stretch{c.from, min(c.to, at)}); left.from < left.to {
			out = out.add(left.from, left.to)
		}
		if right := (stretch{max(c.from, at), c.to}); right.from < right.to {
			out = out.add(right.from+by, right.to+by)
		}
	}
	return out
}

// meets reports whether something is drawn in [from, to).
func (d drawn) meets(from, to int32) bool {
	return slices.ContainsFunc(d, func(c stretch) bool { return c.from < to && from < c.to })
}

// blank returns how many cells of [from, to) nothing is drawn on.
func (d drawn) blank(from, to int32) int32 {
	n := max(to-from, 0)
	for _, c := range d {
		n -= max(min(c.to, to)-max(c.from, from), 0)
	}
	return n
}
