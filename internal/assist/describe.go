package assist

import (
	"fmt"
	"strings"

	"omniexpect/internal/docs"
	"omniexpect/internal/interp"
)

// Hover is what is known about the word between two offsets, as Markdown.
type Hover struct {
	From, To int
	Markdown string
}

// Hover returns what is known about the word at a place, and whether that is anything.
func (g *Guide) Hover(file, text string, at int) (Hover, bool) {
	s, l, from, to, ok := g.ask(file, text, at)
	if !ok {
		return Hover{}, false
	}
	md := l.markdown(s)
	return Hover{from, to, md}, md != ""
}

// markdown describes a subject.
func (l *look) markdown(s subject) string {
	switch {
	case s.param != nil:
		return fenced(s.param.head()) + paragraph(s.param.Doc) + "\nAn argument of `" + s.owner.Signature + "`\n"
	case s.module != nil:
		doc := s.module.Doc()
		if doc != "" {
			doc = "\n" + doc + "\n"
		}
		return fenced("module "+s.module.Name) + doc
	case s.declared != nil:
		return declaredText(s.name, s.declared)
	case s.value.Func != nil:
		return ofFunc(s.value.Func).Markdown(true)
	case s.value.Def != nil:
		return l.ofDef(s.name, s.value.Def).Markdown(false) + l.origin(s)
	case s.value.Module != "":
		return l.g.moduleText(s.value.Module)
	case s.field != nil:
		return fenced(s.name+": "+s.field.Type) + paragraph(s.field.Doc)
	case s.member != "":
		if o, ok := docs.Starlark(s.member); ok {
			return ofOwn(o).Markdown(true)
		}
		return fenced(s.member)
	case len(s.methods) > 0:
		var parts []string
		for _, m := range s.methods {
			parts = append(parts, ofFunc(m).Markdown(true))
		}
		return strings.Join(parts, "\n---\n")
	case l.g.consts[s.name] != "" && s.variable == nil:
		return fenced(s.name) + paragraph(l.g.consts[s.name])
	case s.variable != nil || s.value.Kind != "":
		return l.valueText(s)
	}
	return ""
}

// valueText describes a value of which only the kind is known.
func (l *look) valueText(s subject) string {
	kind := s.value.Kind
	if kind == "" {
		return fenced(s.name) + l.origin(s)
	}
	text := fenced(s.name + ": " + kind)
	if t := l.view.Type(kind); t != nil {
		text += paragraph(t.Doc)
	}
	if names, ok := l.view.Attrs(s.value); ok && kind == "struct" {
		text += "\nIt has `" + strings.Join(names, "`, `") + "`.\n"
	}
	return text + l.origin(s)
}

// origin describes where a name comes from that is loaded.
func (l *look) origin(s subject) string {
	if v := s.variable; v != nil && v.Load != nil {
		return fmt.Sprintf("\nFrom `%s`.\n", v.Load.ModuleName())
	}
	return ""
}

// declaredText describes a parameter of the script.
func declaredText(name string, p *interp.Param) string {
	head := name + ": " + p.Type
	if p.Default != nil {
		head += " = " + p.Default.String()
	}
	text := fenced(head) + paragraph(p.Help) + "\nA parameter of the script: `" + p.Flag() + "` on the command line"
	if p.Required {
		text += ", where it has to be given"
	}
	text += ".\n"
	if len(p.Choices) > 0 {
		text += "\nOne of `" + strings.Join(p.Choices, "`, `") + "`.\n"
	}
	return text
}
