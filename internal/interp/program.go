package interp

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"sync"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"omniexpect/internal/fault"
	"omniexpect/internal/habit"
	"omniexpect/internal/spell"
)

// Options returns the dialect.
func Options() *syntax.FileOptions {
	return &syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true}
}

// Source is a script or module that was read and resolved.
type Source struct {
	Name    string // as positions and messages have it
	Text    string
	File    *syntax.File
	Program *starlark.Program
	Loads   map[string]*Source // by the text of the load statement
}

// Library is where scripts and modules come from.
type Library struct {
	Embedded map[string]fs.FS                  // "@lib" and the like
	ReadFile func(name string) ([]byte, error) // reads what is not embedded; nil reads files
	names    func() []string
	is       func(string) bool
	sources  map[string]*Source
}

// NewLibrary returns a library for scripts that find these names predeclared.
func NewLibrary(embedded map[string]fs.FS, predeclared []string) *Library {
	return NewLibraryFor(embedded, func() []string { return predeclared })
}

// NewLibraryFor returns a library that asks for the predeclared names when a script uses one that it does not bind.
func NewLibraryFor(embedded map[string]fs.FS, predeclared func() []string) *Library {
	names := sync.OnceValue(predeclared)
	set := sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for _, n := range names() {
			set[n] = true
		}
		return set
	})
	return &Library{Embedded: embedded, names: names, is: func(n string) bool { return set()[n] },
		sources: map[string]*Source{}}
}

// Open reads a script by its path, or by a label like "@scripts//check.star".
func (l *Library) Open(name string) (*Source, error) {
	text, err := l.Read(name)
	if err != nil {
		return nil, err
	}
	return l.Parse(name, text)
}

// Parse takes a script's text. Whatever it loads is read as well.
func (l *Library) Parse(name, text string) (*Source, error) {
	s, err := l.parse(name, text, nil)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// ParseAlone is Parse, and returns the source also where only what it loads is not there, together with the error.
func (l *Library) ParseAlone(name, text string) (*Source, error) { return l.parse(name, text, nil) }

// Read returns the text of a script or module by its path or label.
func (l *Library) Read(name string) (string, error) {
	if strings.HasPrefix(name, "@") {
		repo, file, ok := strings.Cut(name, "//")
		files := l.Embedded[repo]
		if !ok || files == nil {
			return "", fault.New(fault.Usage, "%s: no such library: want one of %s, as in \"%s//name.star\"", name,
				strings.Join(l.repos(), ", "), l.repos()[0])
		}
		b, err := fs.ReadFile(files, file)
		if err != nil {
			return "", fault.New(fault.Usage, "%s: not in the binary: it has %s%s", name,
				strings.Join(list(files), ", "), didYouMean(file, list(files)))
		}
		return string(b), nil
	}
	read := l.ReadFile
	if read == nil {
		read = readFile
	}
	b, err := read(name)
	if err != nil {
		return "", missing(name, err)
	}
	return string(b), nil
}

func (l *Library) repos() []string {
	var out []string
	for r := range l.Embedded {
		out = append(out, r)
	}
	sort.Strings(out)
	return append(out, "@lib")[:max(len(out), 1)]
}

func list(files fs.FS) []string {
	names, _ := fs.Glob(files, "*.star")
	return names
}

// parse reads a source; chain is the way that loads led here.
func (l *Library) parse(name, text string, chain []string) (*Source, error) {
	if s := l.sources[name]; s != nil {
		return s, nil
	}
	f, text, err := ParseText(name, text)
	s := &Source{Name: name, Text: text, Loads: map[string]*Source{}}
	if err != nil {
		return nil, l.explain(s, err)
	}
	s.File = f
	if s.Program, err = starlark.FileProgram(f, l.is); err != nil {
		err = l.explain(s, err)
	}
	if missing := l.loads(s, append(chain, name)); missing != nil && err != nil {
		return nil, append(several(err), several(missing)...)
	} else if missing != nil {
		return s, missing
	}
	if err != nil {
		return nil, err
	}
	l.sources[name] = s
	return s, nil
}

func several(err error) Several {
	if all, ok := err.(Several); ok {
		return all
	}
	return Several{err}
}

// loads reads what a source loads, and checks that the names are there. All that is wrong with that is told at once.
func (l *Library) loads(s *Source, chain []string) error {
	var all Several
	for _, stmt := range s.File.Stmts {
		if load, ok := stmt.(*syntax.LoadStmt); ok {
			if err := l.load(s, load, chain); err != nil {
				all = append(all, several(err)...)
			}
		}
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return all
}

func (l *Library) load(s *Source, load *syntax.LoadStmt, chain []string) error {
	label := load.ModuleName()
	target, err := l.Resolve(s.Name, label)
	if err != nil {
		return l.at(s, load.Load, err)
	}
	for i, c := range chain {
		if c == target {
			return l.at(s, load.Load, fault.New(fault.Script, "load cycle: %s",
				strings.Join(append(chain[i:len(chain):len(chain)], target), " loads ")))
		}
	}
	text, err := l.Read(target)
	if err != nil {
		return l.at(s, load.Load, fault.New(fault.Script, "load: %w", err))
	}
	m, err := l.parse(target, text, chain)
	if err != nil {
		return err
	}
	s.Loads[label] = m
	return l.checkNames(s, load, m)
}

// Text returns the text of a source that was read, by the name that positions have.
func (l *Library) Text(name string) string {
	if s := l.sources[name]; s != nil {
		return s.Text
	}
	return ""
}

// Resolve returns the name of a module that a source loads.
func (l *Library) Resolve(from, label string) (string, error) {
	switch {
	case strings.HasPrefix(label, "@"):
		return label, nil
	case filepath.IsAbs(label):
		return label, nil
	case label == "":
		return "", fault.New(fault.Script, `load: got "" as the module, want a file, or @lib//NAME.star`)
	}
	if repo, file, ok := strings.Cut(from, "//"); ok && strings.HasPrefix(from, "@") {
		return repo + "//" + path.Join(path.Dir(file), label), nil
	}
	target := filepath.Join(filepath.Dir(from), label)
	if _, err := os.Lstat(target); errors.Is(err, fs.ErrNotExist) {
		if linked := behindLink(from, label); linked != "" {
			return linked, nil
		}
	}
	return target, nil
}

func (l *Library) checkNames(s *Source, load *syntax.LoadStmt, m *Source) error {
	have := map[string]bool{}
	var names []string
	for _, b := range m.File.Module.(*resolve.Module).Globals {
		have[b.First.Name] = true
		names = append(names, b.First.Name)
	}
	for _, id := range load.From {
		if !have[id.Name] || strings.HasPrefix(id.Name, "_") {
			e := fault.New(fault.Script, "load: %s has no %q%s", m.Name, id.Name, didYouMean(id.Name, names))
			if id.Name == "*" {
				e.Hints = []string{"name each thing that you load from it"}
			}
			return l.at(s, id.NamePos, e)
		}
	}
	return nil
}

// Located is an error with the place in a script that it belongs to.
type Located struct {
	Pos  syntax.Position
	Line string // the source line
	Err  error
}

// Error returns "file:line:col: message".
func (e *Located) Error() string { return fmt.Sprintf("%s: %s", e.Pos, e.Err) }

// Unwrap returns the error without its place.
func (e *Located) Unwrap() error { return e.Err }

// Several is more than one error, all found before the run.
type Several []error

// Error returns all messages, a line each.
func (s Several) Error() string {
	var lines []string
	for _, e := range s {
		lines = append(lines, e.Error())
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the errors.
func (s Several) Unwrap() []error { return s }

func (l *Library) at(s *Source, pos syntax.Position, err error) error {
	return &Located{Pos: pos, Line: LineOf(s.Text, int(pos.Line)), Err: err}
}

// LineOf returns line n of a text, counted from 1.
func LineOf(text string, n int) string {
	for ; n > 1; n-- {
		_, rest, ok := strings.Cut(text, "\n")
		if !ok {
			return ""
		}
		text = rest
	}
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// explain turns the errors of parser and resolver into ours.
func (l *Library) explain(s *Source, err error) error {
	if located, ok := err.(*Located); ok {
		return located
	}
	var se syntax.Error
	if errors.As(err, &se) {
		return ExplainSyntax(s.Text, se)
	}
	var list resolve.ErrorList
	if !errors.As(err, &list) {
		return fault.New(fault.Script, "%s: %w", s.Name, err)
	}
	var all Several
	for _, e := range list {
		f := fault.New(fault.Script, "%s", e.Msg)
		if name, ok := strings.CutPrefix(e.Msg, "undefined: "); ok {
			name, _, _ = strings.Cut(name, " ")
			f.Msg = fmt.Sprintf("undefined name %q", name)
			if hint := habit.Name(name); hint != "" {
				f.Hints = []string{hint}
			} else {
				f.Msg += didYouMean(name, l.visible(s))
			}
		}
		if hint := resolved(e.Msg); hint != "" {
			f.Hints = []string{hint}
		}
		all = append(all, l.at(s, e.Pos, f))
	}
	if len(all) == 1 {
		return all[0]
	}
	return all
}

// visible returns the names that a source can use.
func (l *Library) visible(s *Source) []string {
	names := append([]string{}, l.names()...)
	syntax.Walk(s.File, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.DefStmt:
			names = append(names, n.Name.Name)
		case *syntax.AssignStmt:
			if id, ok := n.LHS.(*syntax.Ident); ok {
				names = append(names, id.Name)
			}
		case *syntax.LoadStmt:
			for _, id := range n.To {
				names = append(names, id.Name)
			}
		}
		return true
	})
	for n := range starlark.Universe {
		names = append(names, n)
	}
	return names
}

func didYouMean(name string, names []string) string {
	if best := spell.Nearest(name, names); best != "" {
		return fmt.Sprintf(" (did you mean %s?)", best)
	}
	return ""
}
