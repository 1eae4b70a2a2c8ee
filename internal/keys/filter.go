package keys

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"omniexpect/internal/match"
)

// Filter looks for patterns in what a person types. The program does not get what one of them matched: as long as what was
// typed may be the beginning of a match, it is held back. A match counts as soon as it is complete, so that a key acts when
// it is pressed; of several that are complete at once the one that begins first counts, then the first listed.
type Filter struct {
	texts  []text
	exprs  []*matcher
	held   []byte
	undone int  // bytes at the end of held that may be the beginning of a character, which expressions wait for
	before rune // the character in front of held, which the program got; lineStart at the beginning of a line
}

type text struct {
	text  []byte
	index int
}

// Hit is a match of a pattern in what was typed.
type Hit struct {
	Index  int      // of the pattern
	Groups []string // the match and its groups
	Raw    []byte   // the match as it was typed

	start, end int // in held
}

// maxHeld bounds what is held back for expressions. A text holds back no more than its length.
const maxHeld = 4096

// NewFilter returns a Filter for a line that begins.
func NewFilter() Filter { return Filter{before: lineStart} }

// AddText takes a text, such as a terminal sends for a key; index is what its matches have.
func (t *Filter) AddText(s string, index int) { t.texts = append(t.texts, text{[]byte(s), index}) }

// Add takes a pattern; index is what its matches have.
func (t *Filter) Add(p match.Pattern, index int) error {
	switch {
	case p.Outcome():
		return fmt.Errorf("%s cannot be typed", p)
	case p.Source == "":
		return errors.New("an empty text: name the keys")
	case (p.Kind == match.Exact || p.Kind == match.Bytes) && !p.IgnoreCase:
		t.AddText(p.Source, index)
		return nil
	}
	expr, err := p.Expr()
	if err != nil {
		return err
	}
	x, err := newMatcher(expr, index)
	if err != nil {
		return fmt.Errorf("%s: %w", p, err)
	}
	if x.empty() {
		return fmt.Errorf("%s may match when nothing is typed: name the keys", p)
	}
	t.exprs = append(t.exprs, x)
	return nil
}

// Feed takes what was typed and returns what the program gets. With a match it stops, and the rest is still to be fed.
func (t *Filter) Feed(p []byte) (pass []byte, hit *Hit, rest []byte) {
	for i, b := range p {
		t.held = append(t.held, b)
		if hit = t.ended(); hit == nil {
			pass = append(pass, t.let(t.undecided())...)
			continue
		}
		rest = append(append(rest, t.held[hit.end:]...), p[i+1:]...)
		t.held = t.held[:hit.end]
		pass = append(pass, t.let(hit.start)...)
		hit.Raw = t.held
		t.forget()
		return pass, hit, rest
	}
	return pass, nil, nil
}

// ended returns the match that the last character has made complete, or nil.
func (t *Filter) ended() (best *Hit) {
	for _, x := range t.texts {
		start := len(t.held) - len(x.text)
		if start >= 0 && typedAs(t.held[start:], x.text) && (best == nil || start < best.start) {
			best = &Hit{Index: x.index, start: start, end: len(t.held), Groups: []string{string(x.text)}}
		}
	}
	if len(t.exprs) == 0 {
		return best
	}
	for t.undone++; t.undone > 0; {
		from := len(t.held) - t.undone
		if !utf8.FullRune(t.held[from:]) {
			return best
		}
		if m := t.step(from); m != nil && (best == nil || m.start < best.start || m.start == best.start && m.Index < best.Index) {
			return m
		}
	}
	return best
}

// step has the expressions look at the character at an offset.
func (t *Filter) step(from int) (best *Hit) {
	r, size := utf8.DecodeRune(t.held[from:])
	t.undone -= size
	prev := t.before
	if from > 0 {
		prev, _ = utf8.DecodeLastRune(t.held[:from])
	}
	for _, x := range t.exprs {
		if start := x.step(prev, r, from); start >= 0 && (best == nil || start < best.start) {
			best = &Hit{Index: x.index, start: start, end: from + size}
			before := t.before
			if start > 0 {
				before, _ = utf8.DecodeLastRune(t.held[:start])
			}
			best.Groups = x.groups(before, string(t.held[start:best.end]))
		}
	}
	return best
}

// undecided is where in held the first thing begins that may still become a match.
func (t *Filter) undecided() int {
	keep := len(t.held) - t.undone
	for _, x := range t.exprs {
		if x.alive >= 0 {
			keep = min(keep, x.alive)
		}
	}
	if len(t.held)-keep > maxHeld {
		for _, x := range t.exprs {
			x.forget()
		}
		keep = len(t.held) - t.undone
	}
	for _, x := range t.texts {
		for start := max(0, len(t.held)-len(x.text)+1); start < keep; start++ {
			if typedAs(t.held[start:], x.text[:len(t.held)-start]) {
				keep = start
			}
		}
	}
	return keep
}

// let takes the first n bytes out of held: they are the program's.
func (t *Filter) let(n int) []byte {
	out := t.held[:n]
	t.held = t.held[n:]
	if n > 0 {
		t.before, _ = utf8.DecodeLastRune(out)
	}
	for _, x := range t.exprs {
		x.shift(n)
	}
	return out
}

// Release gives up what is held back.
func (t *Filter) Release() []byte {
	out := t.let(len(t.held))
	t.forget()
	return out
}

// forget begins anew behind what is held.
func (t *Filter) forget() {
	t.held, t.undone = nil, 0
	for _, x := range t.exprs {
		x.forget()
	}
}

// Pause reports whether what is held back is decided by a pause: the Esc key may be the beginning of another one, and half
// a character is one of a terminal that has no UTF-8.
func (t *Filter) Pause() bool {
	return t.undone > 0 || len(t.held) > 0 && t.held[0] == 0x1b
}

// typedAs reports whether a text was typed. The Enter key is a line end in it, or \r.
func typedAs(p, text []byte) bool {
	for i, b := range p {
		if b != text[i] && !(b == '\r' && text[i] == '\n') {
			return false
		}
	}
	return true
}
