package interp

import (
	"maps"
	"slices"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Sketch takes the text of a script that is being written: it has to parse, but names need not be defined, and modules
// need not be there. The source cannot be run. What it loads is a sketch as well where it cannot be read otherwise.
func (l *Library) Sketch(name, text string) (*Source, error) {
	return l.sketch(name, text, map[string]*Source{})
}

func (l *Library) sketch(name, text string, seen map[string]*Source) (*Source, error) {
	s := &Source{Name: name, Text: text, Loads: map[string]*Source{}}
	f, err := Options().Parse(name, text, syntax.RetainComments)
	if err != nil {
		return nil, ExplainSyntax(text, err)
	}
	s.File = f
	seen[name] = s
	// The errors are of no interest; what could be resolved has its bindings.
	_ = resolve.File(f, l.is, starlark.Universe.Has)
	for _, stmt := range f.Stmts {
		load, ok := stmt.(*syntax.LoadStmt)
		if !ok {
			continue
		}
		target, err := l.Resolve(name, load.ModuleName())
		if err != nil {
			continue
		}
		m := seen[target]
		if m == nil {
			text, err := l.Read(target)
			if err != nil {
				continue
			}
			if m, err = l.sketch(target, text, seen); err != nil {
				continue
			}
		}
		s.Loads[load.ModuleName()] = m
	}
	return s, nil
}

// Labels returns the labels of all modules that are not files.
func (l *Library) Labels() []string {
	var out []string
	for _, repo := range slices.Sorted(maps.Keys(l.Embedded)) {
		for _, name := range list(l.Embedded[repo]) {
			out = append(out, repo+"//"+name)
		}
	}
	return out
}
