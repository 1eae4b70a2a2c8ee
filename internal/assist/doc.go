// Package assist knows what can stand at a place in a script that is being written: which names, attributes and arguments
// complete it, what is known about the word there, where it comes from.
//
// A script that is being written hardly ever parses. So a place is found from the words alone (scan.go, place.go); the
// rest of the script is repaired until it parses, and what is asked about is put into it as a call of its own, a probe,
// where the place is (repair.go, probe.go). Package check then tells what the names and values there are. The answers are
// made in complete.go, describe.go, define.go and sign.go, from the table of builtins, which is the one that runs.
//
// Places are offsets in bytes. Nothing here knows of a protocol, a terminal or a file that is open somewhere.
package assist

import (
	"strings"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/interp"
)

// Guide answers questions about places in scripts.
type Guide struct {
	vocabulary *dsl.Vocabulary
	values     starlark.StringDict
	funcs      map[string]*dsl.Func
	consts     map[string]string
	library    func() *interp.Library

	// Live has the variables of a prompt, which the text does not bind.
	Live starlark.StringDict
	// Files lists what a text outside of load() can go on with; nil: nothing.
	Files func(prefix string) []Item
}

// New returns a guide for scripts that find this vocabulary predeclared; values is what interp.Predeclare makes of it, and
// library makes a library that reads what scripts load, as it is now.
func New(v *dsl.Vocabulary, values starlark.StringDict, library func() *interp.Library) *Guide {
	g := &Guide{vocabulary: v, values: values, funcs: map[string]*dsl.Func{}, consts: map[string]string{}, library: library}
	for _, f := range v.Funcs {
		g.funcs[f.Name] = f
	}
	for _, c := range v.Consts {
		g.consts[c.Name] = c.Doc
	}
	return g
}

// limit is the size of the largest script that is looked at.
const limit = 1 << 20

// Readable reports whether a text is one that can be looked at: neither huge nor nested beyond all measure.
func Readable(text string) bool {
	if len(text) > limit {
		return false
	}
	depth, signs := 0, 0
	for _, t := range scan(text) {
		word := text[t.from:t.to]
		switch {
		case t.kind == mark && strings.Contains("([{", word):
			depth++
		case t.kind == mark && strings.Contains(")]}", word):
			depth = max(0, depth-1)
		}
		if word == "not" || word == "lambda" || word == "if" || t.kind == mark && strings.Contains("-+~:", word) {
			signs++
		} else if t.kind != newline {
			signs = max(0, signs-1)
		}
		if depth > deepest || signs > deepest {
			return false
		}
	}
	return true
}

// deepest is how many brackets may be open at a place.
const deepest = 500
