package assist

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"omniexpect/internal/docs"
	"omniexpect/internal/dsl"
	"omniexpect/internal/interp"
)

// Callable is something that can be called, with what is known about it.
type Callable struct {
	Name      string
	Signature string // as the reference shows it
	Params    []Param
	Doc       string
	Example   string
}

// Param is a parameter of a callable.
type Param struct {
	Name     string
	From, To int    // where it stands in the signature
	Type     string // "" if it is not known
	Default  string // as a script would write it
	Doc      string
	KwOnly   bool
	Rest     string // "*" or "**"
}

// place finds the parameters in the signature, each by what it looks like there.
func (c *Callable) place(labels []string) {
	at := strings.Index(c.Signature, "(") + 1
	for i := range c.Params {
		if n := strings.Index(c.Signature[at:], labels[i]); n >= 0 {
			c.Params[i].From, c.Params[i].To = at+n, at+n+len(labels[i])
			at = c.Params[i].To
		}
	}
}

// ofFunc describes a builtin or method.
func ofFunc(f *dsl.Func) Callable {
	c := Callable{Name: f.Name, Signature: f.Signature(), Doc: f.Doc, Example: f.Example}
	var labels []string
	for _, p := range f.Params() {
		q := Param{Name: p.Name, Type: p.Type, Doc: p.Doc, Default: p.Default, KwOnly: p.KwOnly}
		label := p.Name
		switch {
		case p.Rest:
			q.Rest, q.Type, q.Default, label = "*", "", "", "*"+p.Name
		case p.RestKw:
			q.Rest, q.Type, q.Default, label = "**", "", "", "**"+p.Name
		case !p.Required:
			label += "=" + p.Default
		}
		c.Params, labels = append(c.Params, q), append(labels, label)
	}
	c.place(labels)
	return c
}

// ofOwn describes what comes with the language.
func ofOwn(o docs.Own) Callable {
	c := Callable{Name: o.Name, Signature: o.Signature(), Doc: o.Doc}
	for _, label := range o.Params {
		q := Param{Rest: label[:len(label)-len(strings.TrimLeft(label, "*"))]}
		q.Name, q.Default, _ = strings.Cut(strings.TrimLeft(label, "*"), "=")
		c.Params = append(c.Params, q)
	}
	c.place(o.Params)
	return c
}

// ofLive describes a function that is there already.
func ofLive(f *starlark.Function) Callable {
	c := Callable{Name: f.Name(), Doc: f.Doc()}
	named := f.NumParams()
	if f.HasVarargs() {
		named--
	}
	if f.HasKwargs() {
		named--
	}
	for i := range named {
		name, _ := f.Param(i)
		c.Params = append(c.Params, Param{Name: name})
	}
	return c
}

// ofDef describes a function of a script.
func ofDef(name string, def *syntax.DefStmt, src *interp.Source) Callable {
	c := Callable{Name: name, Doc: docstring(def.Body)}
	var labels []string
	starred := false
	for _, p := range def.Params {
		q, label := Param{KwOnly: starred}, ""
		switch p := p.(type) {
		case *syntax.Ident:
			q.Name, label = p.Name, p.Name
		case *syntax.BinaryExpr:
			q.Name, q.Default = p.X.(*syntax.Ident).Name, sourceOf(src, p.Y)
			label = q.Name + "=" + q.Default
		case *syntax.UnaryExpr:
			starred = true
			if p.X == nil {
				labels = append(labels, "*")
				continue
			}
			q.Rest, q.Name = p.Op.String(), p.X.(*syntax.Ident).Name
			label = q.Rest + q.Name
		}
		c.Params, labels = append(c.Params, q), append(labels, label)
	}
	c.Signature = name + "(" + strings.Join(labels, ", ") + ")"
	if len(labels) > len(c.Params) {
		at := 0
		for labels[at] != "*" {
			at++
		}
		labels = append(labels[:at:at], labels[at+1:]...)
	}
	c.place(labels)
	return c
}

// docstring returns the text that a body begins with.
func docstring(body []syntax.Stmt) string {
	if len(body) == 0 {
		return ""
	}
	e, ok := body[0].(*syntax.ExprStmt)
	if !ok {
		return ""
	}
	lit, ok := e.X.(*syntax.Literal)
	if !ok || lit.Token != syntax.STRING {
		return ""
	}
	text, _ := lit.Value.(string)
	return dedent(text)
}

// dedent takes the margin off a text of several lines whose first one stands behind the quotes.
func dedent(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	margin := -1
	for _, l := range lines[1:] {
		if t := strings.TrimLeft(l, " \t"); t != "" && (margin < 0 || len(l)-len(t) < margin) {
			margin = len(l) - len(t)
		}
	}
	for i := range lines[1:] {
		if l := lines[i+1]; len(l) >= margin && margin > 0 {
			lines[i+1] = l[margin:]
		}
	}
	return strings.Join(lines, "\n")
}

// sourceOf returns an expression as it is written, in one line.
func sourceOf(src *interp.Source, e syntax.Expr) string {
	start, end := e.Span()
	from, to := Offset(src.Text, start), Offset(src.Text, end)
	if from >= to {
		return "…"
	}
	text := strings.Join(strings.Fields(src.Text[from:to]), " ")
	if utf8.RuneCountInString(text) > 40 {
		return "…"
	}
	return text
}

// Offset returns the offset in bytes of a position of the parser.
func Offset(text string, p syntax.Position) int {
	at := 0
	for line := int32(1); line < p.Line && at < len(text); at++ {
		if text[at] == '\n' || text[at] == '\r' && (at+1 == len(text) || text[at+1] != '\n') {
			line++
		}
	}
	for col := int32(1); col < p.Col && at < len(text) && text[at] != '\n'; col++ {
		_, n := utf8.DecodeRuneInString(text[at:])
		at += n
	}
	return at
}

// head is "timeout: duration = 30".
func (p Param) head() string {
	s := p.Rest + p.Name
	if p.Type != "" {
		s += ": " + p.Type
	}
	if p.Default != "" {
		s += " = " + p.Default
	}
	if p.KwOnly && p.Rest == "" {
		s += " (by name only)"
	}
	return s
}

// Markdown is all that is known about a callable.
func (c Callable) Markdown(own bool) string {
	var b strings.Builder
	b.WriteString(fenced(c.Signature))
	if own {
		b.WriteString(paragraph(c.Doc))
	} else if c.Doc != "" {
		b.WriteString("\n" + c.Doc + "\n")
	}
	listed := false
	for _, p := range c.Params {
		if p.Doc == "" {
			continue
		}
		if !listed {
			b.WriteString("\n")
			listed = true
		}
		fmt.Fprintf(&b, "- `%s`: %s\n", p.head(), prose(p.Doc))
	}
	if c.Example != "" {
		b.WriteString("\n" + fenced(c.Example))
	}
	return b.String()
}

func fenced(code string) string { return "```python\n" + code + "\n```\n" }

func paragraph(text string) string {
	if text == "" {
		return ""
	}
	return "\n" + prose(text) + "\n"
}

// prose protects words that Markdown would read as something else.
func prose(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		words := strings.Split(l, " ")
		for j, w := range words {
			if !strings.ContainsAny(w, "*_<[\\#") || strings.Contains(w, "`") {
				continue
			}
			core := strings.TrimRight(w, ".,;:")
			words[j] = "`" + core + "`" + w[len(core):]
		}
		lines[i] = strings.Join(words, " ")
	}
	return strings.Join(lines, "\n")
}
