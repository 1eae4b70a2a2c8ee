// Package linediff compares texts line by line.
//
// It finds what github.com/rogpeppe/go-internal/diff finds, the lines that occur once in each text as anchors, with two
// things: its caller can end it, and changed lines show what a person cannot see.
package linediff

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"
)

// context is how many equal lines stand around those that differ.
const context = 3

// noNewline follows a last line that has no line end, as diff and git write it.
const noNewline = "\n\\ No newline at end of file\n"

// Unified returns the difference of two texts in unified form, "" if there is none. It calls step with the work that is done,
// in lines, and ends with its error if it has one.
func Unified(nameA, a, nameB, b string, step func(lines int) error) (string, error) {
	if a == b {
		return "", nil
	}
	u := &unified{step: step}
	var err error
	if u.a, err = u.lines(a); err == nil {
		u.b, err = u.lines(b)
	}
	if err != nil {
		return "", err
	}
	anchors, err := u.anchors()
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&u.out, "--- %s\n+++ %s\n", nameA, nameB)
	for _, at := range anchors {
		if at.a < u.done.a {
			continue // the run of equal lines around an earlier one has it
		}
		if err := u.run(at); err != nil {
			return "", err
		}
	}
	return u.out.String(), nil
}

// place is a line of a with its counterpart in b.
type place struct{ a, b int }

type unified struct {
	a, b []string
	step func(int) error
	out  strings.Builder
	done place    // what was written up to
	from place    // where the hunk begins that is being collected
	hunk []string // its lines
	size place    // and how many there are of each text
}

// lines cuts a text behind its line ends.
func (u *unified) lines(text string) ([]string, error) {
	var out []string
	for line := range strings.Lines(text) {
		if err := u.step(1 + len(line)/64); err != nil {
			return nil, err
		}
		out = append(out, line)
	}
	if n := len(out); n > 0 && !strings.HasSuffix(out[n-1], "\n") {
		out[n-1] += noNewline
	}
	return out, nil
}

// anchors returns the longest sequence of lines that occur once in each text and in the same order in both, between the
// two beginnings and the two ends.
func (u *unified) anchors() ([]place, error) {
	type seen struct{ inA, inB, at int }
	count := make(map[string]*seen, len(u.a))
	for _, l := range u.a {
		if err := u.step(2); err != nil {
			return nil, err
		}
		s := count[l]
		if s == nil {
			s = &seen{}
			count[l] = s
		}
		s.inA++
	}
	for i, l := range u.b {
		if err := u.step(2); err != nil {
			return nil, err
		}
		if s := count[l]; s != nil {
			s.inB++
			s.at = i
		}
	}
	// best[k] is the pair with the smallest line of b that ends a sequence of k+1, each with the one before it.
	type link struct {
		place
		before *link
	}
	var best []*link
	for i, l := range u.a {
		if err := u.step(2); err != nil {
			return nil, err
		}
		s := count[l]
		if s.inA != 1 || s.inB != 1 {
			continue
		}
		k := sort.Search(len(best), func(k int) bool { return best[k].b >= s.at })
		n := &link{place: place{i, s.at}}
		if k > 0 {
			n.before = best[k-1]
		}
		if k == len(best) {
			best = append(best, n)
		} else {
			best[k] = n
		}
	}
	out := []place{{len(u.a), len(u.b)}}
	if len(best) > 0 {
		for n := best[len(best)-1]; n != nil; n = n.before {
			out = append(out, n.place)
		}
	}
	out = append(out, place{})
	slices.Reverse(out)
	return out, nil
}

// run takes the equal lines around an anchor, and what differs before them.
func (u *unified) run(at place) error {
	start, end := at, at
	for start.a > u.done.a && start.b > u.done.b && u.a[start.a-1] == u.b[start.b-1] {
		start.a, start.b = start.a-1, start.b-1
	}
	for end.a < len(u.a) && end.b < len(u.b) && u.a[end.a] == u.b[end.b] {
		end.a, end.b = end.a+1, end.b+1
	}
	if err := u.step(end.a - u.done.a + start.b - u.done.b); err != nil {
		return err
	}
	for _, l := range u.a[u.done.a:start.a] {
		u.hunk = append(u.hunk, "-"+visible(l))
	}
	for _, l := range u.b[u.done.b:start.b] {
		u.hunk = append(u.hunk, "+"+visible(l))
	}
	u.size.a += start.a - u.done.a
	u.size.b += start.b - u.done.b
	last := end.a == len(u.a) && end.b == len(u.b)
	equal := end.a - start.a
	if !last && (equal < context || len(u.hunk) > 0 && equal < 2*context) {
		u.keep(start.a, end.a) // too few to end the hunk with and begin another one
		u.done = end
		return nil
	}
	if len(u.hunk) > 0 {
		u.keep(start.a, start.a+min(equal, context))
		u.write()
	}
	if last {
		u.done = place{len(u.a) + 1, len(u.b) + 1} // beyond every anchor
		return nil
	}
	u.from = place{end.a - context, end.b - context}
	u.keep(u.from.a, end.a)
	u.done = end
	return nil
}

// keep adds equal lines to the hunk.
func (u *unified) keep(from, to int) {
	for _, l := range u.a[from:to] {
		u.hunk = append(u.hunk, " "+l)
	}
	u.size.a += to - from
	u.size.b += to - from
}

// write ends the hunk.
func (u *unified) write() {
	// Lines count from 1, but an empty range stands behind the line before it.
	from := u.from
	if u.size.a > 0 {
		from.a++
	}
	if u.size.b > 0 {
		from.b++
	}
	fmt.Fprintf(&u.out, "@@ -%d,%d +%d,%d @@\n", from.a, u.size.a, from.b, u.size.b)
	for _, l := range u.hunk {
		u.out.WriteString(l)
	}
	u.hunk, u.size = u.hunk[:0], place{}
}

// visible is a changed line with escapes for what cannot be seen: blanks at its end, and characters that are not printed.
func visible(line string) string {
	body, end := line, ""
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		body, end = line[:i], line[i:]
	}
	text := strings.TrimRight(body, " \t\r")
	plain := true
	for _, r := range text {
		if plain = r == '\t' || unicode.IsPrint(r) && r != unicode.ReplacementChar; !plain {
			break
		}
	}
	if plain && len(text) == len(body) {
		return line
	}
	var b strings.Builder
	for i, r := range body {
		switch {
		case r == ' ' && i >= len(text):
			b.WriteString(`\x20`)
		case r == '\t' && i < len(text), unicode.IsPrint(r) && r != unicode.ReplacementChar:
			b.WriteRune(r)
		case r == unicode.ReplacementChar && !strings.HasPrefix(body[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, body[i])
		default:
			b.WriteString(strings.Trim(fmt.Sprintf("%+q", r), "'"))
		}
	}
	return b.String() + end
}
