package builtins

import (
	"fmt"
	"strings"

	startime "go.starlark.net/lib/time"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"omniexpect/internal/docs"
	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/habit"
)

type helpArgs struct {
	What starlark.Value `star:"what?" type:"any" doc:"a builtin, method, module, function or value, or the name of one as a text"`
}

func (st *State) help(c *dsl.Call, a helpArgs) (starlark.Value, error) {
	text, err := st.helpText(a.What)
	if err != nil {
		return nil, err
	}
	c.Host.Print(strings.TrimRight(text, "\n"))
	return starlark.None, nil
}

func (st *State) helpText(what starlark.Value) (string, error) {
	v := st.Vocabulary()
	switch x := what.(type) {
	case nil, starlark.NoneType:
		return docs.Overview(v), nil
	case starlark.String:
		return st.helpNamed(string(x))
	case *starlark.Builtin:
		if x.Receiver() != nil {
			return entriesText(v, docs.Find(v, x.Receiver().Type()+"."+x.Name())), nil
		}
		name := x.Name()
		if startime.Module.Members[name] == what { // these have the module's name not in theirs
			name = "time." + name
		}
		if found := docs.Find(v, name); len(found) > 0 {
			return entriesText(v, found), nil
		}
		return x.Name() + ": a builtin of Starlark", nil
	case *starlark.Function:
		return functionText(x), nil
	case *starlarkstruct.Module:
		if found := docs.Find(v, x.Name); len(found) > 0 {
			return entriesText(v, found), nil
		}
		return membersText("module "+x.Name, x), nil
	case *starlarkstruct.Struct:
		return membersText("struct", x), nil
	}
	if found := docs.Find(v, what.Type()); len(found) > 0 {
		return entriesText(v, found), nil
	}
	text := fmt.Sprintf("a %s of Starlark", what.Type())
	if x, ok := what.(starlark.HasAttrs); ok {
		text += " with " + strings.Join(x.AttrNames(), ", ")
	}
	return text, nil
}

func (st *State) helpNamed(name string) (string, error) {
	v := st.Vocabulary()
	if found := docs.Find(v, name); len(found) > 0 {
		return entriesText(v, found), nil
	}
	e := fault.New(fault.Usage, "help: nothing is called %q", name)
	if h := habit.Known(name); h != "" {
		e.Hints = []string{h}
		return "", e
	}
	if found := docs.Search(v, name); len(found) > 0 {
		e.Msg += fmt.Sprintf(", but %s mentions it", found[0].Name)
	}
	e.Hints = []string{"help() lists all names"}
	return "", e
}

func entriesText(v *dsl.Vocabulary, list []docs.Entry) string {
	var parts []string
	for _, e := range list {
		parts = append(parts, strings.TrimRight(docs.Text(v, e), "\n"))
	}
	return strings.Join(parts, "\n\n")
}

// functionText is the help for a function of the script.
func functionText(f *starlark.Function) string {
	var params []string
	for i := range f.NumParams() {
		name, _ := f.Param(i)
		switch {
		case f.HasKwargs() && i == f.NumParams()-1:
			name = "**" + name
		case f.HasVarargs() && i == f.NumParams()-1-btoi(f.HasKwargs()):
			name = "*" + name
		}
		if d := f.ParamDefault(i); d != nil {
			name += "=" + d.String()
		}
		params = append(params, name)
	}
	text := fmt.Sprintf("%s(%s)    defined at %s", f.Name(), strings.Join(params, ", "), f.Position())
	if doc := f.Doc(); doc != "" {
		text += "\n\n  " + strings.TrimSpace(doc)
	}
	return text
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// membersText lists what a module or a struct has, with the first line of what is known about each.
func membersText(head string, x starlark.HasAttrs) string {
	var b strings.Builder
	b.WriteString(head + " with\n")
	for _, name := range x.AttrNames() {
		m, err := x.Attr(name)
		if err != nil || m == nil {
			continue
		}
		f, ok := m.(*starlark.Function)
		if !ok {
			fmt.Fprintf(&b, "  %s: %s\n", name, m.Type())
			continue
		}
		_, sig, _ := strings.Cut(functionText(f), "(")
		sig, _, _ = strings.Cut(sig, "    defined")
		fmt.Fprintf(&b, "  %s(%s\n", name, sig)
		if first, _, _ := strings.Cut(strings.TrimSpace(f.Doc()), "\n"); first != "" {
			fmt.Fprintf(&b, "      %s\n", first)
		}
	}
	return b.String()
}

func (st *State) helpFuncs() []*dsl.Func {
	return dsl.In("help",
		dsl.Define("help", "None", `Print the list of all names, or the documentation of one thing: a builtin, a method, a module, a function of the script, a value, or a name given as text.`,
			`help("expect")`, helpArgs{}, st.help),
	)
}
