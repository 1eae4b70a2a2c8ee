package interp

import (
	"io"
	"maps"
	"slices"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Console executes statements one at a time, as they are typed.
//
// Statements share the names in Names, which a function finds when it is called, not when it is defined: a function that
// was typed again is the one that those before it call.
type Console struct {
	Run   *Run
	Names starlark.StringDict // predeclared names, and what statements bound
	texts map[string]string   // what was read, by name
	lines map[string]int
	bound map[string]bool
}

// NewConsole returns a console of a run.
func NewConsole(r *Run) *Console {
	return &Console{Run: r, Names: maps.Clone(r.Predefined), texts: map[string]string{}, lines: map[string]int{}, bound: map[string]bool{}}
}

// Statement is one statement of a console, or all those of a file.
type Statement struct {
	Source *Source
	Text   string // as it was written, with the comments in front of it

	ahead map[string]bool // names that the same file binds
	value bool            // it is an expression
}

// Value reports whether the statement is an expression.
func (s *Statement) Value() bool { return s.value }

// valueName, and priorName after a name, are names that no script can write.
const (
	valueName = "value\x00"
	priorName = "\x00"
)

func consoleOptions() *syntax.FileOptions {
	o := Options()
	o.LoadBindsGlobally = true
	return o
}

// Skip advances the line count past blank lines and lines that did not parse.
func (c *Console) Skip(name string, lines int) {
	if more := lines - c.lines[name]; more > 0 {
		c.texts[name] += strings.Repeat("\n", more)
		c.lines[name] = lines
	}
}

// Incomplete reports whether lines begin a statement that more lines have to end.
func Incomplete(lines []string) bool {
	wanted, began := false, false
	consoleOptions().ParseCompoundStmt("", func() ([]byte, error) {
		// A comment inside a block would count as a blank line, which ends it.
		for began && len(lines) > 0 && strings.HasPrefix(strings.TrimSpace(lines[0]), "#") {
			lines = lines[1:]
		}
		began = true
		if len(lines) == 0 {
			wanted = true
			return nil, io.EOF
		}
		line := lines[0]
		lines = lines[1:]
		return []byte(line + "\n"), nil
	})
	return wanted
}

// Text returns what was read under a name.
func (c *Console) Text(name string) string { return c.texts[name] }

// Read takes statements that were typed: the positions of each go on where those of the last one ended.
func (c *Console) Read(name, text string) ([]*Statement, error) {
	first := c.lines[name]
	text, err := decode(name, text)
	if err != nil {
		if at, ok := err.(*Located); ok {
			at.Pos.Line += int32(first)
		}
		return nil, err
	}
	all := c.texts[name] + text
	list, err := c.read(name, all, syntax.FilePortion{Content: []byte(text), FirstLine: int32(first + 1), FirstCol: 1})
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(all, "\n") {
		all += "\n"
	}
	c.texts[name], c.lines[name] = all, strings.Count(all, "\n")
	return list, nil
}

// ReadFile takes the statements of a file, and returns them one at a time and all together.
func (c *Console) ReadFile(name, text string) (each []*Statement, all *Statement, err error) {
	if text, err = decode(name, text); err != nil {
		return nil, nil, err
	}
	if each, err = c.read(name, text, []byte(text)); err != nil {
		return nil, nil, err
	}
	all = &Statement{Source: &Source{Name: name, Text: text, Loads: map[string]*Source{}}}
	if all.Source.File, err = consoleOptions().Parse(name, text, 0); err != nil {
		return nil, nil, ExplainSyntax(text, err)
	}
	c.texts[name] = text
	ahead := map[string]bool{}
	for _, s := range all.Source.File.Stmts {
		for _, n := range bound(s) {
			ahead[n] = true
		}
	}
	for _, s := range each {
		s.ahead = ahead
	}
	return each, all, nil
}

func (c *Console) read(name, all string, src any) ([]*Statement, error) {
	f, err := consoleOptions().Parse(name, src, 0)
	if err != nil {
		return nil, ExplainSyntax(all, err)
	}
	var out []*Statement
	text := []rune(all)
	from := 0
	if p, ok := src.(syntax.FilePortion); ok {
		from = offset(text, p.FirstLine, 1)
	}
	for i, s := range f.Stmts {
		to := len(text)
		if i+1 < len(f.Stmts) {
			start, _ := f.Stmts[i+1].Span()
			_, end := s.Span()
			to = between(text, offset(text, end.Line, end.Col), offset(text, start.Line, start.Col))
		}
		st := &Statement{Source: &Source{Name: name, Text: all, Loads: map[string]*Source{}}, Text: tidy(string(text[from:to]))}
		_, st.value = s.(*syntax.ExprStmt)
		st.Source.File = &syntax.File{Path: name, Stmts: []syntax.Stmt{s}, Options: consoleOptions()}
		out = append(out, st)
		from = to
	}
	return out, nil
}

// between returns where the text of a statement ends, of which the next one follows: behind the line, so that comments in
// front of a statement belong to it.
func between(text []rune, end, next int) int {
	for i := end; i < next; i++ {
		if text[i] == '\n' {
			return i + 1
		}
	}
	return next
}

func tidy(text string) string {
	text = strings.TrimRight(strings.Trim(text, "\n"), " \t\n")
	return strings.TrimRight(text, "; \t")
}

// offset is where a position is in a text of characters.
func offset(text []rune, line, col int32) int {
	at := 0
	for ; line > 1 && at < len(text); at++ {
		if text[at] == '\n' {
			line--
		}
	}
	return min(at+int(col)-1, len(text))
}

// bound returns the names that a statement binds outside of functions.
func bound(s syntax.Stmt) (names []string) {
	var target func(e syntax.Expr)
	target = func(e syntax.Expr) {
		switch e := e.(type) {
		case *syntax.Ident:
			names = append(names, e.Name)
		case *syntax.ParenExpr:
			target(e.X)
		case *syntax.TupleExpr:
			for _, x := range e.List {
				target(x)
			}
		case *syntax.ListExpr:
			for _, x := range e.List {
				target(x)
			}
		}
	}
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.DefStmt:
			names = append(names, n.Name.Name)
			return false
		case *syntax.AssignStmt:
			target(n.LHS)
		case *syntax.ForStmt:
			target(n.Vars)
		case *syntax.LoadStmt:
			for _, id := range n.To {
				names = append(names, id.Name)
			}
		case syntax.Expr:
			return false
		}
		return true
	})
	return names
}

// Prepare resolves the names of a statement and reads what it loads. Nothing is executed. The statement can be prepared
// once.
func (c *Console) Prepare(s *Statement) error {
	f := s.Source.File
	var prologue []syntax.Stmt
	name := s.Source.Name
	nowhere := syntax.MakePosition(&name, 0, 0)
	for _, st := range f.Stmts {
		if _, loads := st.(*syntax.LoadStmt); loads {
			continue
		}
		for _, n := range bound(st) {
			if c.Names.Has(n) && !c.Names.Has(n+priorName) {
				c.Names[n+priorName] = c.Names[n]
				prologue = append(prologue, &syntax.AssignStmt{OpPos: nowhere, Op: syntax.EQ,
					LHS: &syntax.Ident{NamePos: nowhere, Name: n}, RHS: &syntax.Ident{NamePos: nowhere, Name: n + priorName}})
			}
		}
	}
	if e, ok := f.Stmts[0].(*syntax.ExprStmt); ok && len(f.Stmts) == 1 {
		start, _ := e.Span()
		f.Stmts = []syntax.Stmt{&syntax.AssignStmt{OpPos: start, Op: syntax.EQ, LHS: &syntax.Ident{NamePos: nowhere, Name: valueName}, RHS: e.X}}
	}
	f.Stmts = append(prologue, f.Stmts...)
	lib := c.Run.Lib
	prog, err := starlark.FileProgram(f, func(n string) bool { return c.Names.Has(n) || s.ahead[n] })
	if err != nil {
		visible := &Library{names: c.own}
		err = visible.explain(s.Source, err)
	} else {
		s.Source.Program = prog
		err = lib.loads(s.Source, []string{name})
	}
	if err != nil {
		c.forgetPrior()
	}
	return err
}

// own returns the names that scripts can write.
func (c *Console) own() []string {
	var out []string
	for n := range c.Names {
		if !strings.Contains(n, priorName) {
			out = append(out, n)
		}
	}
	slices.Sort(out) // so that of names that are equally near the same one is proposed each time
	return out
}

func (c *Console) forgetPrior() {
	for n := range c.Names {
		if strings.HasSuffix(n, priorName) {
			delete(c.Names, n)
		}
	}
}

// Drop gives up a statement that was prepared.
func (c *Console) Drop() { c.forgetPrior() }

// Forget makes the next load of a module from a file read and execute it again.
func (c *Console) Forget() {
	for name := range c.Run.Lib.sources {
		if !strings.HasPrefix(name, "@") {
			delete(c.Run.Lib.sources, name)
		}
	}
}

// Exec executes a statement that was prepared, on a thread of the run whose lock is held. It returns the value of an
// expression, else None. What a statement that fails has bound stays.
func (c *Console) Exec(t *starlark.Thread, s *Statement) (v starlark.Value, err error) {
	defer c.forgetPrior()
	globals, err := s.Source.Program.Init(t, c.Names)
	v = starlark.None
	for n, x := range globals {
		switch {
		case n == valueName:
			v = x
		case x != nil:
			c.Names[n], c.bound[n] = x, true
		}
	}
	return v, err
}

// NoValueYet returns the name that a failure is about when a statement of a file uses what a later one binds.
func NoValueYet(err error) string {
	_, rest, ok := strings.Cut(err.Error(), "predeclared variable ")
	name, _, also := strings.Cut(rest, " is uninitialized")
	if !ok || !also {
		return ""
	}
	return name
}

// Globals returns what statements bound.
func (c *Console) Globals() starlark.StringDict {
	out := starlark.StringDict{}
	for n := range c.bound {
		out[n] = c.Names[n]
	}
	return out
}

// Set binds a name, as a statement would.
func (c *Console) Set(name string, v starlark.Value) { c.Names[name], c.bound[name] = v, true }

// Reset forgets what statements bound.
func (c *Console) Reset() {
	c.Names, c.bound = maps.Clone(c.Run.Predefined), map[string]bool{}
	c.Forget()
}

// Reads reports whether a statement that was prepared uses a name that is bound outside of functions.
func (s *Statement) Reads(name string) bool {
	found := false
	for _, st := range s.Source.File.Stmts {
		syntax.Walk(st, func(n syntax.Node) bool {
			id, ok := n.(*syntax.Ident)
			if !ok {
				return true
			}
			b, ok := id.Binding.(*resolve.Binding)
			found = found || id.Name == name && ok && (b.Scope == resolve.Predeclared || b.Scope == resolve.Global)
			return true
		})
	}
	return found
}
