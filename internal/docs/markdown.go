package docs

import (
	"fmt"
	"slices"
	"strings"

	"omniexpect/internal/dsl"
)

// generated stands at the top of what is written by "omniexpect docs --write".
const generated = "written by `omniexpect docs --write`; the text comes from the declarations in builtins/"

// Markdown is the whole reference.
func Markdown(v *dsl.Vocabulary) string {
	var b reference
	fmt.Fprintf(&b, "<!-- %s -->\n\n# Reference\n\n", generated)
	b.WriteString("All names that scripts find, by topic. `omniexpect docs NAME` and `help(NAME)` show the same.\n" +
		"A *duration* is a number of seconds or a text like \"250ms\" or \"2m\"; a *pattern* is a regular expression (a text),\n" +
		"`exact(…)`, `glob(…)`, `regex(…)`, bytes, `EOF`, `TIMEOUT` or `FULL`. Parameters after `*` are given by name only.\n\n")
	for _, g := range groups(v) {
		fmt.Fprintf(&b, "- [%s](#%s)\n", g.name, anchor(g.name))
	}
	b.WriteString("- [types](#types)\n- [constants](#constants)\n")
	for _, g := range groups(v) {
		fmt.Fprintf(&b, "\n## %s\n", g.name)
		if g.funcs[0].Is(dsl.Current) {
			b.WriteString("\nThe methods of a [Session](#session) as functions. They act on the session that `spawn()` or `use()` made current.\n\n")
			for _, f := range g.funcs {
				fmt.Fprintf(&b, "- `%s`: %s\n", f.Signature(), f.Summary())
			}
			continue
		}
		for _, f := range g.funcs {
			b.function("###", f)
		}
	}
	b.WriteString("\n## types\n")
	for _, t := range v.Types {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n", t.Name, t.Doc)
		if len(t.Fields) > 0 {
			b.WriteString("| attribute | type | |\n|---|---|---|\n")
			for _, f := range t.Fields {
				fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.Name, f.Type, cell(f.Doc))
			}
		}
		for _, m := range t.Methods {
			b.function("####", m)
		}
	}
	b.WriteString("\n## constants\n\n| name | |\n|---|---|\n")
	for _, c := range v.Consts {
		fmt.Fprintf(&b, "| `%s` | %s |\n", c.Name, cell(c.Doc))
	}
	return b.String()
}

func anchor(heading string) string { return strings.ReplaceAll(strings.ToLower(heading), " ", "-") }

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// reference is the page as far as it is written.
type reference struct {
	strings.Builder
	tables []*dsl.Func // whose parameters later functions refer to
}

// leastShared is how many parameters a function has at least for others to refer to its table.
const leastShared = 6

func (b *reference) function(level string, f *dsl.Func) {
	fmt.Fprintf(b, "\n%s %s\n\n```python\n%s\n```\n\n%s\n", level, title(f), f.Signature(), f.Doc)
	if len(f.Params()) > 0 {
		b.parameters(f)
	}
	if f.Example != "" {
		fmt.Fprintf(b, "\n```python\n%s\n```\n", f.Example)
	}
}

// title is a function's heading.
func title(f *dsl.Func) string {
	if f.Recv != "" {
		return f.Recv + "." + f.Name
	}
	return f.Name
}

// parameters writes the table of a function's parameters, or which function above has the same.
func (b *reference) parameters(f *dsl.Func) {
	if i := slices.IndexFunc(b.tables, func(g *dsl.Func) bool { return sameParams(f, g) }); i >= 0 {
		other := title(b.tables[i])
		fmt.Fprintf(b, "\nParameters: those of [%s](#%s).\n", other, strings.ReplaceAll(anchor(other), ".", ""))
		return
	}
	if len(f.Params()) >= leastShared {
		b.tables = append(b.tables, f)
	}
	b.WriteString("\n| parameter | type | default | |\n|---|---|---|---|\n")
	for _, p := range f.Params() {
		def, head := p.Default, p.Name
		switch {
		case p.Rest:
			head, def = "*"+head, ""
		case p.RestKw:
			head, def = "**"+head, ""
		}
		if def != "" {
			def = "`" + def + "`"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", head, p.Type, def, cell(p.Doc))
	}
}

// sameParams reports whether two functions have the same parameters, documented alike.
func sameParams(f, g *dsl.Func) bool {
	return slices.EqualFunc(f.Params(), g.Params(), func(p, q dsl.Param) bool {
		return p.Name == q.Name && p.Type == q.Type && p.Default == q.Default && p.Doc == q.Doc
	})
}

// NamesMarkdown is the page of all names, a line for each group and each type, linked to the reference.
func NamesMarkdown(v *dsl.Vocabulary) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!-- %s -->\n\n# Names\n\n", generated)
	b.WriteString("All names that scripts find. `omniexpect docs NAME` and `help(NAME)` explain one;\n" +
		"`omniexpect docs --search WORD` finds one. The [reference](reference.md) has every parameter.\n\n")
	for _, g := range groups(v) {
		var names []string
		for _, f := range g.funcs {
			names = append(names, "`"+f.Name+"`")
		}
		fmt.Fprintf(&b, "- **[%s](reference.md#%s)**: %s\n", g.name, anchor(g.name), strings.Join(names, ", "))
	}
	for _, t := range v.Types {
		var names []string
		for _, a := range t.AttrNames() {
			names = append(names, "`"+a+"`")
		}
		fmt.Fprintf(&b, "- **[%s](reference.md#%s)** has %s\n", t.Name, anchor(t.Name), strings.Join(names, ", "))
	}
	var consts []string
	for _, c := range v.Consts {
		consts = append(consts, "`"+c.Name+"`")
	}
	fmt.Fprintf(&b, "- **[constants](reference.md#constants)**: %s\n", strings.Join(consts, ", "))
	return b.String()
}
