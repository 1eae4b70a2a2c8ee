package builtins

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"omniexpect/internal/fault"
	"omniexpect/internal/match"
)

// typed looks for patterns in what a person types. A key or an exact text is kept from the program: as long as what was
// typed may be the beginning of one, it is held back. Regular expressions look at the line typed so far, which the
// program has got.
type typed struct {
	texts []typedText
	exprs []typedExpr
	held  []byte
	line  []byte
}

type typedText struct {
	text  []byte
	index int
}

type typedExpr struct {
	re    *regexp.Regexp
	index int
}

// typedMost bounds the line that regular expressions look at.
const typedMost = 4096

// add takes a pattern; index is what feed returns for it.
func (t *typed) add(p match.Pattern, index int) error {
	switch p.Kind {
	case match.Exact, match.Bytes:
		if p.Source == "" {
			return fault.New(fault.Usage, "interact: on_input: an empty text")
		}
		if !p.IgnoreCase {
			t.texts = append(t.texts, typedText{[]byte(p.Source), index})
			return nil
		}
		p.Source = regexp.QuoteMeta(p.Source)
	case match.Regexp:
		re, err := regexp.Compile(p.Source)
		if err != nil {
			return fault.New(fault.Usage, "interact: on_input: %w", err)
		}
		if literal, whole := re.LiteralPrefix(); whole && literal != "" && !p.IgnoreCase {
			t.texts = append(t.texts, typedText{[]byte(literal), index})
			return nil
		}
	default:
		return fault.New(fault.Usage, "interact: on_input: %s cannot be typed: want a regular expression or exact(…)", p)
	}
	if p.IgnoreCase {
		p.Source = "(?i)" + p.Source
	}
	re, err := regexp.Compile(p.Source)
	if err != nil {
		return fault.New(fault.Usage, "interact: on_input: %w", err)
	}
	t.exprs = append(t.exprs, typedExpr{re, index})
	return nil
}

// feed takes what was typed and returns what the program gets. With a match it stops, and the rest is still to be fed.
func (t *typed) feed(p []byte) (pass []byte, hit int, groups []string, rest []byte) {
	for i, b := range p {
		t.held = append(t.held, b)
		for len(t.held) > 0 {
			prefix := false
			for _, x := range t.texts {
				if bytes.Equal(t.held, x.text) {
					t.held = nil
					return pass, x.index, []string{string(x.text)}, p[i+1:]
				}
				prefix = prefix || bytes.HasPrefix(x.text, t.held)
			}
			if prefix {
				break
			}
			pass = append(pass, t.held[0])
			hit, groups := t.let(t.held[0])
			t.held = t.held[1:]
			if hit >= 0 {
				return pass, hit, groups, p[i+1:]
			}
		}
	}
	return pass, -1, nil, nil
}

// release gives up what is held back.
func (t *typed) release() []byte {
	out := t.held
	for _, b := range out {
		t.let(b)
	}
	t.held = nil
	return out
}

// let adds a character to the line and looks at it. The Enter key is a line end there.
func (t *typed) let(b byte) (hit int, groups []string) {
	if n := len(t.line); n > 0 && t.line[n-1] == '\n' || n >= typedMost {
		t.line = t.line[:0]
	}
	if b == '\r' {
		b = '\n'
	}
	t.line = append(t.line, b)
	for _, x := range t.exprs {
		if m := x.re.FindSubmatch(t.line); m != nil {
			for _, g := range m {
				groups = append(groups, string(g))
			}
			t.line = t.line[:0]
			return x.index, groups
		}
	}
	return -1, nil
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
