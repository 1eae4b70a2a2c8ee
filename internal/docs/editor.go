package docs

import (
	"encoding/json"
	"fmt"
	"strings"

	"omniexpect/internal/dsl"
)

// jsonParam, jsonFunc, jsonField, jsonType and jsonConst are the table as other programs read it.
type jsonParam struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Doc      string `json:"doc"`
	Default  string `json:"default,omitempty"`
	Required bool   `json:"required,omitempty"`
	Keyword  bool   `json:"keyword_only,omitempty"`
	Rest     string `json:"rest,omitempty"` // "*" or "**"
}

type jsonFunc struct {
	Name      string      `json:"name"`
	Signature string      `json:"signature"`
	Group     string      `json:"group,omitempty"`
	Returns   string      `json:"returns"`
	Doc       string      `json:"doc"`
	Example   string      `json:"example,omitempty"`
	Params    []jsonParam `json:"params"`
}

type jsonField struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Doc  string `json:"doc"`
}

type jsonType struct {
	Name    string      `json:"name"`
	Doc     string      `json:"doc"`
	Fields  []jsonField `json:"fields"`
	Methods []jsonFunc  `json:"methods"`
}

type jsonConst struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
}

// JSON is the table for editors and other tools.
func JSON(v *dsl.Vocabulary) (string, error) {
	out := struct {
		Functions []jsonFunc  `json:"functions"`
		Types     []jsonType  `json:"types"`
		Constants []jsonConst `json:"constants"`
	}{}
	for _, f := range v.Funcs {
		out.Functions = append(out.Functions, funcJSON(f))
	}
	for _, t := range v.Types {
		jt := jsonType{Name: t.Name, Doc: t.Doc, Fields: []jsonField{}, Methods: []jsonFunc{}}
		for _, f := range t.Fields {
			jt.Fields = append(jt.Fields, jsonField{f.Name, f.Type, f.Doc})
		}
		for _, m := range t.Methods {
			jt.Methods = append(jt.Methods, funcJSON(m))
		}
		out.Types = append(out.Types, jt)
	}
	for _, c := range v.Consts {
		out.Constants = append(out.Constants, jsonConst{c.Name, c.Doc})
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(out)
	return b.String(), err
}

func funcJSON(f *dsl.Func) jsonFunc {
	jf := jsonFunc{Name: f.Name, Signature: f.Signature(), Group: f.Group, Returns: f.Returns, Doc: f.Doc,
		Example: f.Example, Params: []jsonParam{}}
	for _, p := range f.Params() {
		jp := jsonParam{Name: p.Name, Type: p.Type, Doc: p.Doc, Default: p.Default, Required: p.Required, Keyword: p.KwOnly}
		switch {
		case p.Rest:
			jp.Rest, jp.Default = "*", ""
		case p.RestKw:
			jp.Rest, jp.Default = "**", ""
		}
		jf.Params = append(jf.Params, jp)
	}
	return jf
}

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
