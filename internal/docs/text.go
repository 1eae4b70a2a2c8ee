package docs

import (
	"fmt"
	"strings"

	"omniexpect/internal/dsl"
)

// width is where text wraps: a terminal has 80 columns, and would cut words in two.
const width = 79

// Overview is what help() prints: all names by group.
func Overview(v *dsl.Vocabulary) string {
	var b strings.Builder
	for _, g := range groups(v) {
		var names []string
		for _, f := range g.funcs {
			names = append(names, f.Name)
		}
		section(&b, g.name, names)
	}
	var types, consts []string
	for _, t := range v.Types {
		types = append(types, t.Name)
	}
	for _, c := range v.Consts {
		consts = append(consts, c.Name)
	}
	section(&b, "types", types)
	section(&b, "constants", consts)
	section(&b, "from Starlark", []string{"json", "math", "time", "struct", "and len, range, sorted, type, fail …"})
	b.WriteString("\nhelp(expect) or help(\"Session\") tells more, omniexpect docs --search WORD finds.\n")
	return b.String()
}

func section(b *strings.Builder, name string, names []string) {
	fmt.Fprintf(b, "%s\n%s", name, wrap(strings.Join(names, ", "), "  ", width))
}

// wrap breaks a text into lines that begin with a margin.
func wrap(text, margin string, limit int) string {
	var b strings.Builder
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(margin)+len(line)+1+len(word) > limit {
			b.WriteString(margin + line + "\n")
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		b.WriteString(margin + line + "\n")
	}
	return b.String()
}

// Text is what help(x) prints about an entry.
func Text(v *dsl.Vocabulary, e Entry) string {
	switch {
	case e.Func != nil:
		return FuncText(e.Func)
	case e.Type != nil:
		return typeText(e.Type)
	case e.Const != nil:
		return e.Const.Name + "\n\n" + wrap(e.Const.Doc, "  ", width)
	case e.Module != nil:
		var b strings.Builder
		fmt.Fprintf(&b, "%s: a module\n\n", e.Name)
		for _, f := range e.Module {
			brief(&b, f.Signature(), f.Summary())
		}
		return b.String()
	}
	return e.Name + "\n\n" + wrap(e.Text, "  ", width)
}

func brief(b *strings.Builder, head, text string) {
	fmt.Fprintf(b, "  %s\n%s", head, wrap(text, "      ", width))
}

// FuncText is the documentation of one builtin.
func FuncText(f *dsl.Func) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s", f.Signature(), wrap(f.Doc, "  ", width))
	if len(f.Params()) > 0 {
		b.WriteString("\nparameters:\n")
		for _, p := range f.Params() {
			brief(&b, paramHead(p), p.Doc)
		}
	}
	if f.Example != "" {
		b.WriteString("\nexample:\n")
		for _, line := range strings.Split(f.Example, "\n") {
			b.WriteString("    " + line + "\n")
		}
	}
	return b.String()
}

// paramHead is "timeout: duration = 30".
func paramHead(p dsl.Param) string {
	switch {
	case p.Rest:
		return "*" + p.Name + ": any number of them"
	case p.RestKw:
		return "**" + p.Name + ": any keyword arguments"
	}
	head := p.Name + ": " + p.Type
	if !p.Required {
		head += " = " + p.Default
	}
	if p.KwOnly {
		head += " (by name only)"
	}
	return head
}

func typeText(t *dsl.Type) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s", t.Name, wrap(t.Doc, "  ", width))
	if len(t.Fields) > 0 {
		b.WriteString("\nattributes:\n")
		for _, f := range t.Fields {
			brief(&b, f.Name+": "+f.Type, f.Doc)
		}
	}
	if len(t.Methods) > 0 {
		b.WriteString("\nmethods:\n")
		for _, m := range t.Methods {
			brief(&b, m.Signature(), m.Summary())
		}
	}
	return b.String()
}
