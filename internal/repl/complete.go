package repl

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
)

// complete returns what Tab inserts, or else the ways to go on.
func (l *Loop) complete(before, after string) (insert string, list []string) {
	if !l.Run.Host.Lock.TryLock() {
		return "", nil // something of the script is at work
	}
	defer l.Run.Host.Lock.Unlock()
	word, names := l.candidates(before)
	var fits []string
	for _, n := range names {
		if strings.HasPrefix(n, word) && n != word {
			fits = append(fits, n)
		}
	}
	sort.Strings(fits)
	fits = slices.Compact(fits)
	switch {
	case len(fits) == 0:
		return "", nil
	case len(fits) == 1:
		insert = fits[0][len(word):]
		if closed(after) && strings.HasSuffix(insert, "(") {
			insert = strings.TrimSuffix(insert, "(")
		}
		return insert, nil
	}
	common := fits[0]
	for _, f := range fits[1:] {
		for !strings.HasPrefix(f, common) {
			common = common[:len(common)-1]
		}
	}
	common = strings.ToValidUTF8(common, "")
	if len(common) > len(word) {
		return common[len(word):], nil
	}
	if !strings.HasPrefix(word, "_") {
		var public []string
		for _, f := range fits {
			if !strings.HasPrefix(f, "_") {
				public = append(public, f)
			}
		}
		fits = public
	}
	return "", fits
}

func closed(after string) bool { return strings.HasPrefix(after, "(") }

// candidates returns the word in front of the cursor and what can stand in its place.
func (l *Loop) candidates(before string) (word string, names []string) {
	if m := regexp.MustCompile(`^\s*(\.\w*)$`).FindStringSubmatch(before); m != nil {
		for _, c := range commands() {
			name := c.name
			if c.args != "" {
				name += " "
			}
			names = append(names, name)
		}
		return m[1], names
	}
	if m := regexp.MustCompile(`^\s*\.(load|save!?|use)\s+(.*)$`).FindStringSubmatch(before); m != nil {
		if m[1] != "use" {
			return m[2], fileNames(m[2], "")
		}
		for _, s := range l.Sessions() {
			names = append(names, s.Name)
		}
		return m[2], names
	}
	p := placeOf(before)
	switch {
	case p.note:
		return "", nil
	case p.quote != "":
		return p.text, l.texts(p)
	}
	word = regexp.MustCompile(`[\w.]*$`).FindString(before)
	if dot := strings.LastIndexByte(word, '.'); dot >= 0 {
		owner := receiver(before[:len(before)-len(word)+dot])
		return word[dot+1:], l.attributes(owner)
	}
	if word != "" && word[0] >= '0' && word[0] <= '9' {
		return "", nil
	}
	for _, name := range l.parameters(p.callee) {
		if !slices.Contains(p.given, name) {
			names = append(names, name+"=")
		}
	}
	if word == "" && len(names) > 0 {
		return "", names
	}
	return word, append(names, l.globals()...)
}

// known is what is known about an expression without evaluating anything that could do something.
type known struct {
	value starlark.Value
	typ   *dsl.Type // what a call returns
	fn    *dsl.Func
	kind  string // of Starlark: string, list, dict
}

// look finds out about names, attributes and what calls return.
func (l *Loop) look(expr string) known {
	expr = strings.TrimSpace(expr)
	switch {
	case expr == "":
		return known{}
	case expr[0] == '"' || expr[0] == '\'':
		return known{kind: "string"}
	case strings.HasSuffix(expr, ")"):
		at := opening(expr)
		if at <= 0 {
			return known{}
		}
		return l.returned(l.look(expr[:at]))
	case strings.HasSuffix(expr, "]"):
		return known{}
	}
	dot := strings.LastIndexByte(expr, '.')
	if dot < 0 {
		v := l.console.Names[expr]
		if v == nil {
			v = starlark.Universe[expr]
		}
		return l.ofValue(v, expr)
	}
	return l.attribute(l.look(expr[:dot]), expr[:dot], expr[dot+1:])
}

func (l *Loop) ofValue(v starlark.Value, name string) known {
	k := known{value: v}
	if v == nil {
		return k
	}
	k.typ = l.typ(v.Type())
	if b, ok := v.(*starlark.Builtin); ok && b.Receiver() == nil {
		for _, f := range l.Vocabulary.Funcs {
			if f.Name == name || f.Name == b.Name() {
				k.fn = f
				if f.Name == name {
					break
				}
			}
		}
	}
	return k
}

func (l *Loop) typ(name string) *dsl.Type {
	for _, t := range l.Vocabulary.Types {
		if t.Name == name {
			return t
		}
	}
	return nil
}

func (l *Loop) attribute(of known, path, name string) known {
	if of.typ != nil {
		if m := of.typ.Method(name); m != nil {
			return known{fn: m}
		}
	}
	if x, ok := of.value.(starlark.HasAttrs); ok {
		v, err := x.Attr(name)
		if err == nil && v != nil {
			return l.ofValue(v, path+"."+name)
		}
	}
	if of.typ != nil {
		for _, f := range of.typ.Fields {
			if f.Name == name {
				return l.named(f.Type)
			}
		}
	}
	return known{}
}

// named is what is known about a value whose type is declared.
func (l *Loop) named(typ string) known {
	if typ == "str" {
		typ = "string"
	}
	return known{typ: l.typ(typ), kind: typ}
}

func (l *Loop) returned(of known) known {
	if of.fn != nil {
		return l.named(of.fn.Returns)
	}
	return known{}
}

// attributes returns the attributes of an expression's value; methods with their bracket.
func (l *Loop) attributes(expr string) (names []string) {
	k := l.look(expr)
	if k.typ != nil {
		for _, f := range k.typ.Fields {
			names = append(names, f.Name)
		}
		for _, m := range k.typ.Methods {
			names = append(names, m.Name+"(")
		}
		return names
	}
	x, ok := k.value.(starlark.HasAttrs)
	if !ok {
		switch k.kind {
		case "string":
			x = starlark.String("")
		case "list":
			x = starlark.NewList(nil)
		case "dict":
			x = starlark.NewDict(0)
		case "bytes":
			x = starlark.Bytes("")
		default:
			return nil
		}
	}
	for _, n := range x.AttrNames() {
		if v, err := x.Attr(n); err == nil && v != nil {
			if _, calls := v.(starlark.Callable); calls {
				n += "("
			}
		}
		names = append(names, n)
	}
	return names
}

// parameters returns the names of the arguments that a callee takes.
func (l *Loop) parameters(callee string) (names []string) {
	if callee == "" {
		return nil
	}
	k := l.look(callee)
	if k.fn != nil {
		for _, p := range k.fn.Params() {
			if !p.Rest && !p.RestKw {
				names = append(names, p.Name)
			}
		}
		return names
	}
	f, ok := k.value.(*starlark.Function)
	if !ok {
		return nil
	}
	for i := range f.NumParams() - nameless(f) {
		name, _ := f.Param(i)
		names = append(names, name)
	}
	return names
}

// nameless counts *args and **kwargs of a function, which come last.
func nameless(f *starlark.Function) int {
	n := 0
	if f.HasVarargs() {
		n++
	}
	if f.HasKwargs() {
		n++
	}
	return n
}

// globals returns the names that can begin an expression or a statement.
func (l *Loop) globals() []string {
	names := []string{"def ", "for ", "if ", "while ", "lambda ", "not ", "return ", "load("}
	add := func(n string, v starlark.Value) {
		if strings.Contains(n, "\x00") {
			return
		}
		if _, calls := v.(starlark.Callable); calls {
			n += "("
		}
		names = append(names, n)
	}
	for n, v := range l.console.Names {
		add(n, v)
	}
	for n, v := range starlark.Universe {
		if !l.console.Names.Has(n) {
			add(n, v)
		}
	}
	return names
}

// texts returns what a text can be: in load() a module or one of its names, else a file.
func (l *Loop) texts(p place) []string {
	if p.callee != "load" {
		return fileNames(p.text, "")
	}
	if p.nth > 0 {
		return nil
	}
	if strings.HasPrefix(p.text, "@") {
		var out []string
		for repo, files := range l.Run.Lib.Embedded {
			names, _ := fs.Glob(files, "*.star")
			for _, n := range names {
				out = append(out, repo+"//"+n)
			}
		}
		return out
	}
	out := fileNames(p.text, ".star")
	if p.text == "" {
		for repo := range l.Run.Lib.Embedded {
			out = append(out, repo+"//")
		}
	}
	return out
}

// fileNames returns the files that a name can go on with, folders with a slash; ext limits them to an ending.
func fileNames(text, ext string) (out []string) {
	folder, part := filepath.Split(text)
	where := folder
	switch {
	case folder == "":
		where = "."
	case strings.HasPrefix(folder, "~/"):
		where = os.Getenv("HOME") + folder[1:]
	}
	entries, err := os.ReadDir(where)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") && !strings.HasPrefix(part, ".") {
			continue
		}
		st, err := os.Stat(filepath.Join(where, name))
		switch {
		case err == nil && st.IsDir():
			out = append(out, folder+name+"/")
		case strings.HasSuffix(name, ext):
			out = append(out, folder+name)
		}
	}
	return out
}
