package assist

import (
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"omniexpect/internal/check"
	"omniexpect/internal/docs"
	"omniexpect/internal/dsl"
	"omniexpect/internal/interp"
)

// subject is what a word of a script stands for.
type subject struct {
	name     string
	value    check.Value
	variable *check.Variable // of a name of a script
	in       *interp.Source  // where the variable is bound
	member   string          // the name of what comes with Starlark: "len", "string.split"
	field    *dsl.Field      // of an attribute of a type of ours
	methods  []*dsl.Func     // what an attribute of an unknown value may be
	module   *interp.Source  // of the name of a file
	param    *Param          // of the name of an argument
	owner    Callable        // whose parameter that is
	def      *syntax.DefStmt // whose parameter that is, if it is a function of a script
	declared *interp.Param   // of a variable that holds a parameter of the script
}

// ask finds what the word at a place stands for. The offsets are where the word is.
func (g *Guide) ask(file, text string, at int) (s subject, l *look, from, to int, ok bool) {
	w := place{at: at}
	w.from, w.to = at, at
	w.word(text)
	if w.from == w.to {
		w.to = at
	}
	p := find(text, w.to)
	from, to = p.from, p.to
	switch p.what {
	case loadFile, loadedName:
		if p.bare {
			return s, nil, 0, 0, false
		}
		p = find(text, at)
		from, to = p.from, p.to
		l = g.look(file, text, at)
		s, ok = l.loaded(p, text)
		return s, l, from, to, ok
	case nothing, inText:
		if p.stmt == nil || !naming(text, p) {
			return s, nil, 0, 0, false
		}
	}
	if from == to {
		return s, nil, 0, 0, false
	}
	s.name = text[from:to]
	if p.what == attribute {
		l = g.look(file, text, at, p.receiver)
		return l.attribute(s, l.value(0)), l, from, to, true
	}
	if rest := strings.TrimLeft(text[to:], " "); p.argument && len(p.calls) > 0 && strings.HasPrefix(rest, "=") && !strings.HasPrefix(rest, "==") {
		c := p.calls[0]
		l = g.look(file, text, at, c.callee, receiverOf(c.callee))
		for _, callee := range l.callables(c.callee, 0, 1) {
			for i := range callee.Params {
				if callee.Params[i].Name == s.name && callee.Params[i].Rest == "" {
					s.param, s.owner, s.def = &callee.Params[i], callee, l.value(0).Def
					return s, l, from, to, true
				}
			}
		}
		return s, l, from, to, false
	}
	l = g.look(file, text, at, s.name)
	s, ok = l.named(s, l.identAt(text, from))
	return s, l, from, to, ok
}

// naming reports whether the word at a place is the name in a def.
func naming(text string, p place) bool {
	n := len(p.stmt.tokens)
	if n < 2 || p.stmt.tokens[n-1].kind != word {
		return false
	}
	t := p.stmt.tokens[n-2]
	return text[t.from:t.to] == "def"
}

// receiverOf returns what stands before the last dot of a callee.
func receiverOf(callee string) string {
	toks := statements(callee)
	if len(toks) != 1 {
		return ""
	}
	t := toks[0].tokens
	if n := len(t); n > 2 && t[n-1].kind == word && callee[t[n-2].from:t[n-2].to] == "." {
		return callee[:t[n-3].to]
	}
	return ""
}

// identAt returns the name that stands at an offset of the script, or the one that was asked about.
func (l *look) identAt(text string, at int) *syntax.Ident {
	if l.src == nil {
		return nil
	}
	var found *syntax.Ident
	line, col := int32(1), int32(1)
	for _, r := range text[:at] {
		col++
		if r == '\n' {
			line, col = line+1, 1
		}
	}
	if l.row > 0 && line >= l.row {
		line += l.rows
	}
	syntax.Walk(l.src.File, func(n syntax.Node) bool {
		if id, ok := n.(*syntax.Ident); ok && id.NamePos.Line == line && id.NamePos.Col == col {
			found = id
		}
		return found == nil
	})
	if found != nil && strings.HasPrefix(text[at:], found.Name) {
		return found
	}
	if id, ok := l.question(0).(*syntax.Ident); ok {
		return id
	}
	return nil
}

func (l *look) question(i int) syntax.Expr {
	if i >= len(l.values) {
		return nil
	}
	return l.values[i]
}

// named describes what a name stands for.
func (l *look) named(s subject, id *syntax.Ident) (subject, bool) {
	if id != nil && l.view != nil {
		if v := l.view.Variable(id); v != nil {
			s.variable, s.in = v, l.src
			s.value = l.view.Infer(id)
			l.declared(&s)
			return s, true
		}
		s.value = l.view.Infer(id)
	}
	if f := l.g.funcs[s.name]; f != nil && s.value.Func == nil {
		s.value.Func = f
	}
	if _, ok := docs.Starlark(s.name); ok && s.value.Func == nil {
		s.member = s.name
	}
	return s, s.value.Func != nil || s.value.Module != "" || s.member != "" || l.g.consts[s.name] != ""
}

// declared looks for the parameter of the script that a variable holds.
func (l *look) declared(s *subject) {
	if len(s.variable.Values) == 0 {
		return
	}
	call, ok := s.variable.Values[0].(*syntax.CallExpr)
	if !ok {
		return
	}
	f := l.view.Infer(call.Fn).Func
	if !f.Is(dsl.Declares) {
		return
	}
	params, _ := l.g.library().Params(&interp.Source{File: &syntax.File{Stmts: []syntax.Stmt{&syntax.ExprStmt{X: call}}}}, []string{f.Name})
	if len(params) == 1 {
		s.declared = &params[0]
	}
}

// attribute describes what an attribute of a value is.
func (l *look) attribute(s subject, of check.Value) subject {
	if l.view == nil {
		return s
	}
	s.value = l.view.Attr(of, s.name)
	if of.Module != "" {
		s.member = of.Module + "." + s.name
		return s
	}
	if t := l.view.Type(of.Kind); t != nil {
		for i := range t.Fields {
			if t.Fields[i].Name == s.name {
				s.field = &t.Fields[i]
			}
		}
		return s
	}
	if _, ok := docs.Starlark(of.Kind + "." + s.name); ok {
		s.member = of.Kind + "." + s.name
	} else if of.Kind == "" {
		s.methods = l.methods(s.name)
	}
	return s
}

// loaded describes what a text in load() stands for.
func (l *look) loaded(p place, text string) (subject, bool) {
	m := l.moduleOf(text, p)
	if m == nil {
		return subject{}, false
	}
	if p.what == loadFile {
		return subject{name: m.Name, module: m}, true
	}
	s := subject{name: text[p.from:p.to], in: m}
	s.variable = l.view.Global(m, s.name)
	s.value = l.view.GlobalValue(m, s.name)
	return s, s.variable != nil
}

// moduleOf returns the module that the load() around a place names.
func (l *look) moduleOf(text string, p place) *interp.Source {
	if l.view == nil || len(p.calls) == 0 {
		return nil
	}
	label := p.calls[0].args[0].text
	if p.what == loadFile && !p.bare {
		label = text[p.from-1:p.from] + text[p.from:p.to]
	}
	label = strings.Trim(label, `"'`)
	if m := l.src.Loads[label]; m != nil {
		return m
	}
	library := l.g.library()
	name, err := library.Resolve(l.src.Name, label)
	if err != nil {
		return nil
	}
	body, err := library.Read(name)
	if err != nil {
		return nil
	}
	if fixed, ok := repair(body, -1, ""); ok {
		body = fixed
	}
	m, err := library.Sketch(name, body)
	if err != nil {
		return nil
	}
	return m
}

// callables returns what a callee may be; the questions of the look at v and r are the callee and its receiver.
func (l *look) callables(callee string, v, r int) []Callable {
	value := l.value(v)
	switch {
	case value.Func != nil:
		return []Callable{ofFunc(value.Func)}
	case value.Def != nil:
		return []Callable{l.ofDef(callee[strings.LastIndex(callee, ".")+1:], value.Def)}
	case value.Live != nil:
		if f, ok := value.Live.(*starlark.Function); ok {
			return []Callable{ofLive(f)}
		}
	}
	if id, ok := l.question(v).(*syntax.Ident); ok && l.view != nil && l.view.Variable(id) != nil {
		return nil // a variable whose value is not known
	}
	if f := l.g.funcs[callee]; f != nil {
		return []Callable{ofFunc(f)}
	}
	name := callee[strings.LastIndex(callee, ".")+1:]
	if recv := receiverOf(callee); recv != "" {
		s := l.attribute(subject{name: strings.TrimSpace(name)}, l.value(r))
		var out []Callable
		for _, m := range s.methods {
			out = append(out, ofFunc(m))
		}
		if o, ok := docs.Starlark(s.member); ok {
			out = append(out, ofOwn(o))
		}
		return out
	}
	if o, ok := docs.Starlark(callee); ok {
		return []Callable{ofOwn(o)}
	}
	return nil
}

// ofDef describes a function of this script or of one that it loads.
func (l *look) ofDef(name string, def *syntax.DefStmt) Callable {
	return ofDef(name, def, l.sourceOf(def.Def.Filename()))
}

// sourceOf returns the source with a name, among this one and those it loads.
func (l *look) sourceOf(file string) *interp.Source {
	seen := map[*interp.Source]bool{}
	var visit func(*interp.Source) *interp.Source
	visit = func(s *interp.Source) *interp.Source {
		if seen[s] {
			return nil
		}
		seen[s] = true
		if s.Name == file {
			return s
		}
		for _, m := range s.Loads {
			if found := visit(m); found != nil {
				return found
			}
		}
		return nil
	}
	if found := visit(l.src); found != nil {
		return found
	}
	return &interp.Source{Name: file}
}
