// Package check finds mistakes in a script without running it.
//
// It knows the table of builtins, and of values what can be told from the text alone: a literal's type, what a builtin
// returns, a name that is bound once. What is certain to fail when it is reached is an error and stops a run before
// anything is spawned; what is likely not meant is a warning. Where it does not know, it says nothing: a script that
// works gets no message.
//
// The parts: table.go is what is predeclared, bind.go which value a name has, infer.go the kinds of expressions, calls.go,
// args.go and defs.go arguments, patterns.go patterns, text.go texts with a meaning, habits.go what other languages have,
// flow.go what is left unused or shadowed. view.go tells editors what is known.
package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/interp"
)

// Finding is one mistake.
type Finding struct {
	Pos     syntax.Position
	Line    string // the source line
	Rule    string // a short name of what was broken, for editors
	Warning bool   // likely not meant, as opposed to certain to fail
	Msg     string // one line: what and why
	Hint    string // what to write
}

// Checker checks scripts against a vocabulary.
type Checker struct {
	table func() *table // made when a script first needs it
	units map[*interp.Source]*unit
	taken map[string]bool
	guess bool                // what is likely is good enough; for editors
	live  starlark.StringDict // values of variables that no source binds; for a prompt
}

// New returns a checker for scripts that find this vocabulary predeclared; values is what interp.Predeclare makes of it.
func New(v *dsl.Vocabulary, values starlark.StringDict) *Checker {
	return NewFor(func() (*dsl.Vocabulary, starlark.StringDict) { return v, values })
}

// NewFor returns a checker that asks for the vocabulary when something in a script depends on it.
func NewFor(words func() (*dsl.Vocabulary, starlark.StringDict)) *Checker {
	return &Checker{table: sync.OnceValue(func() *table { return newTable(words()) }), units: map[*interp.Source]*unit{}}
}

// Taken names what is not a builtin in scripts to come, also if the language has one of that name: variables of a prompt, which
// the sources of its statements do not bind.
func (c *Checker) Taken(names map[string]bool) { c.taken = names }

// Source returns the findings in one source, in the order of the text.
func (c *Checker) Source(src *interp.Source) []Finding {
	u := c.unit(src)
	if !u.checked {
		u.checked = true
		u.walk()
		u.unused()
		slices.SortStableFunc(u.findings, func(a, b Finding) int {
			if a.Pos.Line != b.Pos.Line {
				return int(a.Pos.Line - b.Pos.Line)
			}
			return int(a.Pos.Col - b.Pos.Col)
		})
	}
	return u.findings
}

// Errors returns what has to stop a run of a script: the errors in it and in what it loads, or nil.
func (c *Checker) Errors(src *interp.Source) error {
	var all interp.Several
	seen := map[*interp.Source]bool{}
	var visit func(*interp.Source)
	visit = func(s *interp.Source) {
		if seen[s] {
			return
		}
		seen[s] = true
		for _, f := range c.Source(s) {
			if !f.Warning {
				all = append(all, f.Err())
			}
		}
		for _, l := range s.Loads {
			visit(l)
		}
	}
	visit(src)
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return all
}

// Err returns the finding as an error with its place.
func (f Finding) Err() error {
	e := fault.New(fault.Script, "%s", f.Msg)
	if f.Hint != "" {
		e.Hints = []string{f.Hint}
	}
	return &interp.Located{Pos: f.Pos, Line: f.Line, Err: e}
}

// FromError returns the findings that an error of reading a script stands for, and whether it stands for any.
func FromError(err error) ([]Finding, bool) {
	var out []Finding
	switch e := err.(type) {
	case interp.Several:
		for _, one := range e {
			f, ok := FromError(one)
			if !ok {
				return nil, false
			}
			out = append(out, f...)
		}
		return out, true
	case *interp.Located:
		f := Finding{Pos: e.Pos, Line: e.Line, Rule: "syntax", Msg: e.Err.Error()}
		if strings.HasPrefix(f.Msg, "undefined name") {
			f.Rule = "undefined"
		}
		if fe, ok := e.Err.(*fault.Error); ok && len(fe.Hints) > 0 {
			f.Hint = strings.Join(fe.Hints, "; ")
		}
		return []Finding{f}, true
	}
	return nil, false
}

// String returns the finding as it is printed: place, severity, message, the source line with the place marked, the hint.
func (f Finding) String() string {
	var b strings.Builder
	severity := "error"
	if f.Warning {
		severity = "warning"
	}
	fmt.Fprintf(&b, "%s: %s: %s", f.Pos, severity, f.Msg)
	if strings.TrimSpace(f.Line) != "" {
		b.WriteString("\n" + interp.Excerpt(f.Line, int(f.Pos.Line), int(f.Pos.Col), interp.ExcerptWidth))
	}
	if f.Hint != "" {
		b.WriteString("\nhint: " + f.Hint)
	}
	return b.String()
}

// Text reads a script and returns the findings in it: what keeps it from being read, or else what is wrong in it, and the
// errors in what it loads, also that it is not there. A file that cannot be read is an error.
func Text(v *dsl.Vocabulary, library *interp.Library, name, text string) ([]Finding, error) {
	src, err := library.ParseAlone(name, text)
	if err != nil {
		found, ok := FromError(err)
		if !ok {
			return nil, err
		}
		if src != nil { // only what it loads is not there
			found = append(found, New(v, interp.Predeclare(v)).Source(src)...)
		}
		slices.SortStableFunc(found, func(a, b Finding) int {
			if a.Pos.Filename() != b.Pos.Filename() {
				return 0
			}
			return cmp.Compare(a.Pos.Line, b.Pos.Line)
		})
		return found, nil
	}
	if _, err := library.Params(src, v.With(dsl.Declares)); err != nil {
		if found, ok := FromError(err); ok {
			return found, nil
		}
		return nil, err
	}
	c := New(v, interp.Predeclare(v))
	found := c.Source(src)
	for _, m := range src.Loads {
		if err := c.Errors(m); err != nil {
			if more, ok := FromError(err); ok {
				found = append(found, more...)
			}
		}
	}
	return found, nil
}
