package assist

import (
	"slices"
	"sort"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"omniexpect/internal/check"
	"omniexpect/internal/docs"
	"omniexpect/internal/dsl"
	"omniexpect/internal/interp"
)

// ItemKind describes what an item is.
type ItemKind int

// The kinds of items.
const (
	Function ItemKind = iota
	Method
	Module
	Variable
	Constant
	Attribute
	Argument // a keyword argument
	Keyword
	File
	Folder
)

// Item is something that can stand at a place.
type Item struct {
	Kind   ItemKind
	Label  string
	Insert string // what replaces the word at the place
	Detail string // the signature, or what it is, in a line
	Doc    string // Markdown
	Rank   int    // the lower, the likelier
}

// Completion is what can stand at a place, instead of what is there between two offsets.
type Completion struct {
	From, To int
	Items    []Item
}

// Complete returns what can stand at a place. The items are not filtered by what is there already; fileNames lists the
// modules and folders that a text in load() can go on with.
func (g *Guide) Complete(file, text string, at int, fileNames func(prefix string) []Item) Completion {
	p := find(text, at)
	c := Completion{From: p.from, To: at}
	switch p.what {
	case attribute:
		l := g.look(file, text, at, p.receiver)
		c.Items = l.attributes(l.value(0))
	case loadFile:
		prefix := text[p.from:at]
		c.Items = fileNames(prefix)
	case inText:
		if g.Files != nil {
			c.Items = g.Files(text[p.from:at])
		}
	case loadedName:
		c.Items = g.look(file, text, at).globals(text, p)
		c.To = p.to
	case name:
		c.Items = g.names(file, text, p)
	}
	if p.bare {
		for i := range c.Items {
			c.Items[i].Insert = `"` + c.Items[i].Insert + `"`
		}
	}
	sort.SliceStable(c.Items, func(i, j int) bool {
		a, b := c.Items[i], c.Items[j]
		if a.Rank != b.Rank {
			return a.Rank < b.Rank
		}
		return a.Label < b.Label
	})
	return c
}

// names returns the names and keyword arguments that can stand at a place.
func (g *Guide) names(file, text string, p place) []Item {
	var questions []string
	if len(p.calls) > 0 && p.argument {
		questions = []string{p.calls[0].callee, receiverOf(p.calls[0].callee)}
	}
	l := g.look(file, text, p.at, questions...)
	var out []Item
	if len(questions) > 0 {
		given, equals := givenNames(text, p), " = "
		if rest := strings.TrimLeft(text[p.to:], " "); strings.HasPrefix(rest, "=") && !strings.HasPrefix(rest, "==") {
			equals = "" // it is there already
			delete(given, text[p.from:p.to])
		}
		for _, c := range l.callables(questions[0], 0, 1) {
			out = append(out, arguments(c, given, equals)...)
		}
	}
	have := map[string]bool{}
	for _, it := range append(l.own(), l.live()...) {
		if !have[it.Label] {
			have[it.Label] = true
			out = append(out, it)
		}
	}
	for _, it := range g.builtins() {
		if !have[it.Label] {
			out = append(out, it)
		}
	}
	return out
}

// givenNames returns the arguments by name that the innermost call has already, before and after the place.
func givenNames(text string, p place) map[string]bool {
	given := map[string]bool{}
	at := p.calls[0].from
	for _, s := range statements(text) {
		if at < s.from || at >= s.to {
			continue
		}
		for i := range s.tokens {
			c, ok := callAt(text, &s, i)
			if ok && c.from == at && c.callee == p.calls[0].callee {
				for _, a := range c.args {
					given[a.name] = true
				}
			}
		}
	}
	for _, a := range p.calls[0].args {
		given[a.name] = true
	}
	return given
}

// arguments returns what can be given by name; equals follows each.
func arguments(c Callable, given map[string]bool, equals string) []Item {
	var out []Item
	for _, p := range c.Params {
		if p.Rest != "" || given[p.Name] {
			continue
		}
		out = append(out, Item{Kind: Argument, Label: p.Name + "=", Insert: p.Name + equals, Detail: p.head(),
			Doc: strings.TrimSpace(paragraph(p.Doc)), Rank: 0})
	}
	return out
}

// own returns the names of the script that can be used at the place.
func (l *look) own() []Item {
	if l.src == nil {
		return nil
	}
	var out []Item
	seen := map[string]bool{}
	add := func(names map[string]*syntax.Ident, rank int) {
		for name, id := range names {
			if !seen[name] && !strings.HasPrefix(name, "omniexpect_probe") {
				seen[name] = true
				out = append(out, l.ownItem(name, id, rank))
			}
		}
	}
	for i := len(l.around) - 1; i >= 0; i-- {
		add(bound(l.around[i]), 1)
	}
	add(top(l.src.File), 2)
	return out
}

// live returns the variables of the prompt.
func (l *look) live() []Item {
	var out []Item
	for name, v := range l.g.Live {
		it := Item{Kind: Variable, Label: name, Insert: name, Detail: v.Type(), Rank: 2}
		if calls(v) {
			it.Kind = Function
		}
		out = append(out, it)
	}
	return out
}

func (l *look) ownItem(name string, id *syntax.Ident, rank int) Item {
	s, _ := l.named(subject{name: name}, id)
	it := Item{Kind: Variable, Label: name, Insert: name, Detail: name, Doc: l.markdown(s), Rank: rank}
	switch {
	case s.value.Def != nil:
		it.Kind, it.Detail = Function, l.ofDef(name, s.value.Def).Signature
	case s.declared != nil:
		it.Detail = "parameter " + s.declared.Flag()
	case s.value.Kind != "":
		it.Detail = s.value.Kind
	}
	return it
}

// builtins returns the names that every script finds.
func (g *Guide) builtins() []Item {
	var out []Item
	add := func(kind ItemKind, name, detail, doc string, rank int) {
		out = append(out, Item{Kind: kind, Label: name, Insert: name, Detail: detail, Doc: doc, Rank: rank})
	}
	for _, name := range g.values.Keys() {
		if f := g.funcs[name]; f != nil {
			add(Function, name, f.Signature(), ofFunc(f).Markdown(true), 3)
		} else if doc, ok := g.consts[name]; ok {
			add(Constant, name, g.values[name].Type(), paragraph(doc), 3)
		} else if o, ok := docs.Starlark(name); ok {
			add(Function, name, o.Signature(), ofOwn(o).Markdown(true), 3)
		} else {
			add(Module, name, "module "+name, g.moduleText(name), 3)
		}
	}
	for _, name := range starlark.Universe.Keys() {
		if g.values[name] != nil {
			continue
		}
		if o, ok := docs.Starlark(name); ok {
			add(Function, name, o.Signature(), ofOwn(o).Markdown(true), 4)
		} else {
			add(Constant, name, name, "", 4)
		}
	}
	for _, w := range []string{"and", "break", "continue", "def", "elif", "else", "for", "if", "in", "lambda", "load", "not", "or", "pass", "return", "while"} {
		add(Keyword, w, "", "", 5)
	}
	return out
}

// moduleText is Markdown about a module of the vocabulary, or one of Starlark's.
func (g *Guide) moduleText(name string) string {
	for _, e := range docs.Find(g.vocabulary, name) {
		if e.Module == nil {
			return fenced("module "+name) + paragraph(e.Text)
		}
		var b strings.Builder
		b.WriteString(fenced("module "+name) + "\n")
		for _, f := range e.Module {
			b.WriteString("- `" + f.Signature() + "`: " + prose(f.Summary()) + "\n")
		}
		return b.String()
	}
	return fenced("module " + name)
}

// attributes returns what can stand after the dot behind a value.
func (l *look) attributes(of check.Value) []Item {
	if l.view == nil {
		return nil
	}
	names, known := l.view.Attrs(of)
	if known {
		var out []Item
		for _, n := range names {
			out = append(out, l.attributeItem(of, n))
		}
		return out
	}
	if of.Kind != "" || of.Func != nil || l.g.Live != nil {
		return nil
	}
	// Of a value that may be anything: what our types have, each with the name of its type.
	var out []Item
	for _, t := range l.g.vocabulary.Types {
		for _, f := range t.Fields {
			out = append(out, Item{Kind: Attribute, Label: f.Name, Insert: f.Name, Detail: t.Name + "." + f.Name + ": " + f.Type, Doc: paragraph(f.Doc), Rank: 1})
		}
		for _, m := range t.Methods {
			out = append(out, methodItem(m))
		}
	}
	return unique(out)
}

func methodItem(m *dsl.Func) Item {
	return Item{Kind: Method, Label: m.Name, Insert: m.Name, Detail: m.Signature(), Doc: ofFunc(m).Markdown(true)}
}

// unique leaves one item of each name, the first one.
func unique(items []Item) []Item {
	seen := map[string]bool{}
	return slices.DeleteFunc(items, func(it Item) bool {
		was := seen[it.Label]
		seen[it.Label] = true
		return was
	})
}

func (l *look) attributeItem(of check.Value, name string) Item {
	s := l.attribute(subject{name: name}, of)
	it := Item{Kind: Attribute, Label: name, Insert: name, Detail: name, Doc: l.markdown(s)}
	switch {
	case s.value.Func != nil && s.value.Func.Recv != "":
		return methodItem(s.value.Func)
	case s.value.Func != nil:
		it.Kind, it.Detail = Function, s.value.Func.Signature()
	case s.value.Def != nil:
		it.Kind, it.Detail = Function, l.ofDef(name, s.value.Def).Signature
	case s.field != nil:
		it.Detail = name + ": " + s.field.Type
	case s.member != "":
		if o, ok := docs.Starlark(s.member); ok {
			it.Kind, it.Detail = Method, o.Signature()
		}
	case calls(s.value.Live):
		it.Kind = Function
	case s.value.Kind != "":
		it.Detail = name + ": " + s.value.Kind
	}
	return it
}

func calls(v starlark.Value) bool {
	_, ok := v.(starlark.Callable)
	return ok
}

// globals returns the names that a load() can take from its module.
func (l *look) globals(text string, p place) []Item {
	m := l.moduleOf(text, p)
	if m == nil {
		return nil
	}
	var out []Item
	given := givenTexts(p)
	for name := range top(m.File) {
		if strings.HasPrefix(name, "_") || given[name] {
			continue
		}
		s := subject{name: name, in: m, variable: l.view.Global(m, name), value: l.view.GlobalValue(m, name)}
		it := Item{Kind: Variable, Label: name, Insert: name, Detail: s.value.Kind, Doc: l.markdown(s)}
		if d := s.value.Def; d != nil {
			it.Kind, it.Detail = Function, ofDef(name, d, m).Signature
		}
		out = append(out, it)
	}
	return out
}

func givenTexts(p place) map[string]bool {
	given := map[string]bool{}
	for i, a := range p.calls[0].args {
		if i > 0 && i < len(p.calls[0].args)-1 {
			given[strings.Trim(a.text, `"'`)] = true
		}
	}
	return given
}

// Embedded returns the modules of a library that are not files, as items of a text in load().
func Embedded(l *interp.Library) []Item {
	var out []Item
	for _, label := range l.Labels() {
		it := Item{Kind: Module, Label: label, Insert: label, Detail: "module of omniexpect"}
		if text, err := l.Read(label); err == nil {
			if src, err := l.Sketch(label, text); err == nil {
				it.Doc = src.Doc()
			}
		}
		out = append(out, it)
	}
	return out
}
