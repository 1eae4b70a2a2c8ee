// Package docs shows the table of builtins to people and to other programs.
//
// Everything here is a view of a dsl.Vocabulary: the text that help() and "omniexpect docs" print, the reference in
// Markdown, the page of names, data and stubs for editors, completion for shells, the manual page. Nothing is written
// twice, so nothing can disagree; what is committed of it is compared with the table by a test.
package docs

import (
	"fmt"
	"sort"
	"strings"

	"omniexpect/internal/dsl"
)

// Library is what scripts find besides the vocabulary: the modules that come with Starlark.
func Library() map[string]string {
	return map[string]string{
		"json":   "json.encode(x), json.decode(text), json.indent(text): JSON. Starlark's own module.",
		"math":   "math.floor, ceil, round, sqrt, pow, log, pi and others. Starlark's own module.",
		"time":   "time.now(), time.parse_time(text), time.parse_duration(text): points in time. Starlark's own module.",
		"struct": "struct(a=1, b=2): a value with these attributes.",
	}
}

// Entry is one thing that has documentation. One of Func, Type, Const and Module is set.
type Entry struct {
	Name   string
	Func   *dsl.Func
	Type   *dsl.Type
	Const  *dsl.Const
	Module []*dsl.Func // the members
	Text   string      // of what is not ours
}

// entries lists all there is, in the order of the table.
func entries(v *dsl.Vocabulary) []Entry {
	var out []Entry
	modules := map[string]int{}
	for _, f := range v.Funcs {
		module, _, dotted := strings.Cut(f.Name, ".")
		if dotted {
			at, ok := modules[module]
			if !ok {
				at = len(out)
				modules[module] = at
				out = append(out, Entry{Name: module})
			}
			out[at].Module = append(out[at].Module, f)
		}
		out = append(out, Entry{Name: f.Name, Func: f})
	}
	for _, t := range v.Types {
		out = append(out, Entry{Name: t.Name, Type: t})
		for _, m := range t.Methods {
			out = append(out, Entry{Name: t.Name + "." + m.Name, Func: m})
		}
	}
	for i := range v.Consts {
		out = append(out, Entry{Name: v.Consts[i].Name, Const: &v.Consts[i]})
	}
	names := make([]string, 0, 4)
	for n := range Library() {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		out = append(out, Entry{Name: n, Text: Library()[n]})
	}
	return out
}

// Names returns the names that Find knows.
func Names(v *dsl.Vocabulary) []string {
	var out []string
	for _, e := range entries(v) {
		out = append(out, e.Name)
	}
	return out
}

// Find returns what has a name: "expect", "Session.expect", "assert", "assert.eq", "Session", "EOF". The name of a
// method alone finds it when no builtin has that name. What Starlark has of its own is found last: "len", "json.decode",
// "string.split", "split".
func Find(v *dsl.Vocabulary, name string) []Entry {
	name = strings.TrimSuffix(name, "()")
	var out, methods []Entry
	for _, e := range entries(v) {
		switch {
		case strings.EqualFold(e.Name, name):
			out = append(out, e)
		case e.Func != nil && e.Func.Recv != "" && e.Func.Name == name:
			methods = append(methods, e)
		}
	}
	if len(out) > 0 {
		return out
	}
	if len(methods) > 0 {
		return methods
	}
	for _, of := range []string{"", "string.", "bytes.", "list.", "dict.", "set."} {
		if o, ok := Starlark(of + name); ok {
			out = append(out, Entry{Name: of + o.Signature(), Text: o.Doc})
		}
	}
	return out
}

// Search returns what mentions all words, those that have a word in their name first.
func Search(v *dsl.Vocabulary, words ...string) []Entry {
	var first, rest []Entry
	for _, e := range entries(v) {
		if e.Module != nil {
			continue
		}
		text := strings.ToLower(e.Name + " " + Text(v, e))
		found, named := true, false
		for _, w := range words {
			w = strings.ToLower(w)
			found = found && strings.Contains(text, w)
			named = named || strings.Contains(strings.ToLower(e.Name), w)
		}
		switch {
		case found && named:
			first = append(first, e)
		case found:
			rest = append(rest, e)
		}
	}
	return append(first, rest...)
}

// Summary returns one line about an entry.
func Summary(e Entry) string {
	switch {
	case e.Func != nil:
		return e.Func.Summary()
	case e.Type != nil:
		return e.Type.Doc
	case e.Const != nil:
		return e.Const.Doc
	case e.Module != nil:
		return fmt.Sprintf("Module of %d functions.", len(e.Module))
	}
	return e.Text
}

// group is a heading of the reference with its builtins.
type group struct {
	name  string
	funcs []*dsl.Func
}

func groups(v *dsl.Vocabulary) []group {
	var out []group
	at := map[string]int{}
	for _, f := range v.Funcs {
		i, ok := at[f.Group]
		if !ok {
			i = len(out)
			at[f.Group] = i
			out = append(out, group{name: f.Group})
		}
		out[i].funcs = append(out[i].funcs, f)
	}
	return out
}
