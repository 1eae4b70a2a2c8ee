package docs

import (
	"fmt"
	"strings"

	"omniexpect/internal/dsl"
)

// Stubs is a Python file that declares the table, for editors that complete from Python.
func Stubs(v *dsl.Vocabulary) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\"\"\"Declarations for editors, %s.\"\"\"\n\n", strings.ReplaceAll(generated, "`", ""))
	b.WriteString("from __future__ import annotations\nfrom typing import Any, Callable\n\n")
	b.WriteString("duration = float | str | None\npattern = str | bytes | Any\n")
	for _, t := range v.Types {
		fmt.Fprintf(&b, "\n\nclass %s:\n    %s\n", t.Name, docstring(t.Doc))
		for _, f := range t.Fields {
			fmt.Fprintf(&b, "    %s: %s  # %s\n", f.Name, pyType(v, f.Type), f.Doc)
		}
		for _, m := range t.Methods {
			pyFunc(&b, v, m, m.Name, "    ", "self")
		}
	}
	modules, order := map[string][]*dsl.Func{}, []string{}
	for _, f := range v.Funcs {
		module, _, dotted := strings.Cut(f.Name, ".")
		if !dotted {
			pyFunc(&b, v, f, f.Name, "", "")
			continue
		}
		if modules[module] == nil {
			order = append(order, module)
		}
		modules[module] = append(modules[module], f)
	}
	for _, m := range order {
		fmt.Fprintf(&b, "\n\nclass %s:\n", pyName(m))
		for _, f := range modules[m] {
			_, name, _ := strings.Cut(f.Name, ".")
			b.WriteString("    @staticmethod")
			pyFunc(&b, v, f, name, "    ", "")
		}
	}
	b.WriteString("\n")
	for _, c := range v.Consts {
		fmt.Fprintf(&b, "%s: Any  # %s\n", c.Name, c.Doc)
	}
	return b.String()
}

// pyName changes what Python does not take as a name.
func pyName(name string) string {
	switch name {
	case "assert", "True", "False", "None", "import", "with", "try", "is", "del", "raise", "true", "from":
		return name + "_"
	}
	return name
}

func docstring(s string) string {
	return `"""` + strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), `"""`, `'''`) + `"""`
}

// pyType is the annotation for a type of ours.
func pyType(v *dsl.Vocabulary, t string) string {
	switch t {
	case "str", "int", "float", "bool", "list", "dict", "tuple", "bytes", "set", "duration", "pattern", "None":
		return t
	case "regexp", "url":
		return "str"
	case "dict of pattern":
		return "dict"
	case "function":
		return "Callable[..., Any]"
	}
	if a, b, ok := strings.Cut(t, " or "); ok {
		return pyType(v, a) + " | " + pyType(v, b)
	}
	for _, k := range v.Types {
		if k.Name == t {
			return t
		}
	}
	return "Any"
}

func pyFunc(b *strings.Builder, v *dsl.Vocabulary, f *dsl.Func, name, margin, self string) {
	var parts []string
	if self != "" {
		parts = append(parts, self)
	}
	star, optional := false, false
	for _, p := range f.Params() {
		switch {
		case p.Rest:
			parts, star = append(parts, "*"+p.Name+": Any"), true
			continue
		case p.RestKw:
			parts = append(parts, "**"+p.Name+": Any")
			continue
		case p.KwOnly && !star:
			parts, star = append(parts, "*"), true
		}
		part := pyName(p.Name) + ": " + pyType(v, p.Type)
		if !p.Required || optional && !star {
			part, optional = part+" = ...", true
		}
		parts = append(parts, part)
	}
	if margin == "" {
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "\n%sdef %s(%s) -> %s:\n%s    %s\n", margin, pyName(name), strings.Join(parts, ", "),
		pyType(v, f.Returns), margin, docstring(f.Doc))
}
