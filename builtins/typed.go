package builtins

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"omniexpect/internal/fault"
	"omniexpect/internal/match"
)

// typed looks for patterns in what a person types. The program does not get what one of them matched: as long as what was
// typed may be the beginning of a match, it is held back. A match counts as soon as it is complete, so that a key acts when
// it is pressed; of several that are complete at once the one that begins first counts, then the first listed.
type typed struct {
	texts  []typedText
	exprs  []*typedExpr
	held   []byte
	undone int  // bytes at the end of held that may be the beginning of a character, which expressions wait for
	before rune // the character in front of held, which the program got; lineStart at the beginning of a line
}

type typedText struct {
	text  []byte
	index int
}

// typedMatch is a pattern that what was typed has matched.
type typedMatch struct {
	index      int
	start, end int // in held
	groups     []string
	raw        []byte // as it was typed
}

// typedMost bounds what is held back for expressions. A text holds back no more than its length.
const typedMost = 4096

func newTyped() typed { return typed{before: lineStart} }

// add takes a pattern; index is what its matches have.
func (t *typed) add(p match.Pattern, index int) error {
	switch {
	case p.Kind >= match.EOF:
		return fault.New(fault.Usage, "interact: on_input: %s cannot be typed", p)
	case p.Source == "":
		return fault.New(fault.Usage, "interact: on_input: an empty text: name the keys")
	case (p.Kind == match.Exact || p.Kind == match.Bytes) && !p.IgnoreCase:
		t.texts = append(t.texts, typedText{[]byte(p.Source), index})
		return nil
	}
	expr, err := p.Expr()
	if err != nil {
		return fault.New(fault.Usage, "interact: on_input: %w", err)
	}
	x, err := newTypedExpr(expr, index)
	if err != nil {
		return fault.New(fault.Usage, "interact: on_input: %s: %w", p, err)
	}
	if x.empty() {
		return fault.New(fault.Usage, "interact: on_input: %s may match where nothing is typed: name the keys", p)
	}
	t.exprs = append(t.exprs, x)
	return nil
}

// feed takes what was typed and returns what the program gets. With a match it stops, and the rest is still to be fed.
func (t *typed) feed(p []byte) (pass []byte, hit *typedMatch, rest []byte) {
	for i, b := range p {
		t.held = append(t.held, b)
		if hit = t.ended(); hit == nil {
			pass = append(pass, t.let(t.undecided())...)
			continue
		}
		rest = append(append(rest, t.held[hit.end:]...), p[i+1:]...)
		t.held = t.held[:hit.end]
		pass = append(pass, t.let(hit.start)...)
		hit.raw = t.held
		t.forget()
		return pass, hit, rest
	}
	return pass, nil, nil
}

// ended returns the match that the last character has made complete, or nil.
func (t *typed) ended() (best *typedMatch) {
	for _, x := range t.texts {
		start := len(t.held) - len(x.text)
		if start >= 0 && typedAs(t.held[start:], x.text) && (best == nil || start < best.start) {
			best = &typedMatch{index: x.index, start: start, end: len(t.held), groups: []string{string(x.text)}}
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
		if m := t.step(from); m != nil && (best == nil || m.start < best.start || m.start == best.start && m.index < best.index) {
			return m
		}
	}
	return best
}

// step has the expressions look at the character at an offset.
func (t *typed) step(from int) (best *typedMatch) {
	r, size := utf8.DecodeRune(t.held[from:])
	t.undone -= size
	prev := t.before
	if from > 0 {
		prev, _ = utf8.DecodeLastRune(t.held[:from])
	}
	for _, x := range t.exprs {
		if start := x.step(prev, r, from); start >= 0 && (best == nil || start < best.start) {
			best = &typedMatch{index: x.index, start: start, end: from + size}
			before := t.before
			if start > 0 {
				before, _ = utf8.DecodeLastRune(t.held[:start])
			}
			best.groups = x.groups(before, string(t.held[start:best.end]))
		}
	}
	return best
}

// undecided is where in held the first thing begins that may still become a match.
func (t *typed) undecided() int {
	keep := len(t.held) - t.undone
	for _, x := range t.exprs {
		if x.alive >= 0 {
			keep = min(keep, x.alive)
		}
	}
	if len(t.held)-keep > typedMost {
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
func (t *typed) let(n int) []byte {
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

// release gives up what is held back.
func (t *typed) release() []byte {
	out := t.let(len(t.held))
	t.forget()
	return out
}

// forget begins anew behind what is held.
func (t *typed) forget() {
	t.held, t.undone = nil, 0
	for _, x := range t.exprs {
		x.forget()
	}
}

// pause reports whether what is held back is decided by a pause: the Esc key may be the beginning of another one, and half
// a character is one of a terminal that has no UTF-8.
func (t *typed) pause() bool {
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

// typedForms returns what a terminal may send for a key: programs switch how the arrow keys are reported, and in some
// terminals also how the others are, where CapsLock and NumLock count as modifiers.
func typedForms(name string) ([]string, error) {
	plain, err := keyBytes(name, "\r", false)
	if err != nil {
		return nil, err
	}
	forms := []string{plain}
	if application, _ := keyBytes(name, "\r", true); application != plain {
		forms = append(forms, application)
	}
	code, mods := int(plain[len(plain)-1]), 0
	switch rest := strings.TrimPrefix(plain, "\x1b"); {
	case len(rest) > 1:
		return forms, nil
	case rest != plain && rest != "":
		mods |= modAlt
	}
	switch c := plain[len(plain)-1]; {
	case c == '\r' || c == '\t' || c == 0x1b || c == 0x7f:
	case c == 0:
		code, mods = ' ', mods|modCtrl
	case c < 0x1b:
		code, mods = int(c|0x60), mods|modCtrl
	case c < ' ':
		code, mods = int(c|0x40), mods|modCtrl
	case mods == 0: // a character that is typed is never reported in another way
		return forms, nil
	}
	const capsLock, numLock = 64, 128
	for _, locks := range []int{0, capsLock, numLock, capsLock | numLock} {
		forms = append(forms, fmt.Sprintf("\x1b[%d;%du", code, mods+locks+1), fmt.Sprintf("\x1b[%d;%d:1u", code, mods+locks+1))
	}
	if mods == 0 {
		forms = append(forms, fmt.Sprintf("\x1b[%du", code))
	}
	return append(forms, fmt.Sprintf("\x1b[27;%d;%d~", mods+1, code)), nil
}
