package interp

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"omniexpect/internal/fault"
	"omniexpect/internal/param"
)

// Param is a parameter that a script declares, as read from its text.
type Param = param.Param

// Params reads the calls of a declaring builtin from a script, without running it. They have to stand at the top level
// and have literal arguments.
func (l *Library) Params(src *Source, builtin string) ([]Param, error) {
	var out []Param
	var bad error
	depth := 0
	var walk func(n syntax.Node) bool
	walk = func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.DefStmt:
			depth++
			for _, s := range n.Body {
				syntax.Walk(s, walk)
			}
			depth--
			return false
		case *syntax.CallExpr:
			id, ok := n.Fn.(*syntax.Ident)
			if !ok || id.Name != builtin || bad != nil {
				return true
			}
			p, err := paramOf(n)
			if err == nil && depth > 0 {
				err = fault.New(fault.Script, "%s: stands in a function: declare parameters at the top level", builtin)
			}
			if err == nil {
				err = p.Together(out)
			}
			if err != nil {
				bad = l.at(src, id.NamePos, err)
				return false
			}
			out = append(out, p)
		}
		return true
	}
	for _, s := range src.File.Stmts {
		syntax.Walk(s, walk)
	}
	return out, bad
}

func paramOf(call *syntax.CallExpr) (Param, error) {
	p := Param{}
	names := []string{"name", "default", "help"}
	typ := ""
	for i, arg := range call.Args {
		name := ""
		if b, ok := arg.(*syntax.BinaryExpr); ok && b.Op == syntax.EQ {
			name, arg = b.X.(*syntax.Ident).Name, b.Y
		} else if i < len(names) {
			name = names[i]
		}
		if id, ok := arg.(*syntax.Ident); ok && name == "type" {
			return p, fault.New(fault.Script, "param: type=%s: the type is a text: write type=%q", id.Name, id.Name)
		}
		v, err := literalValue(arg)
		if err != nil {
			return p, err
		}
		switch name {
		case "name":
			p.Name, _ = starlark.AsString(v)
		case "default":
			p.Default = v
		case "help":
			p.Help, _ = starlark.AsString(v)
		case "type":
			typ, _ = starlark.AsString(v)
		case "required":
			p.Required = bool(v.Truth())
		case "secret":
			p.Secret = bool(v.Truth())
		case "choices":
			list, ok := v.(*starlark.List)
			if !ok || list.Len() == 0 {
				return p, fault.New(fault.Script, "param %s: choices=%s: want a list of at least one value", p.Name, v)
			}
			for c := range list.Elements() {
				p.Choices = append(p.Choices, param.Written(c))
			}
		}
	}
	p.Type = param.TypeOf(typ, p.Default)
	if !slices.Contains(param.Types(), typ) && typ != "" {
		return p, fault.New(fault.Script, "param %s: type=%q: want str, int, float, bool or duration%s", p.Name, typ,
			didYouMean(typ, param.Types()))
	}
	return p, p.Check()
}

func literalValue(e syntax.Expr) (starlark.Value, error) {
	switch e := e.(type) {
	case *syntax.Literal:
		switch v := e.Value.(type) {
		case string:
			return starlark.String(v), nil
		case int64:
			return starlark.MakeInt64(v), nil
		case float64:
			return starlark.Float(v), nil
		}
	case *syntax.Ident:
		switch e.Name {
		case "True":
			return starlark.True, nil
		case "False":
			return starlark.False, nil
		case "None":
			return starlark.None, nil
		}
	case *syntax.ParenExpr:
		return literalValue(e.X)
	case *syntax.UnaryExpr:
		if v, err := literalValue(e.X); err == nil {
			return starlark.Unary(e.Op, v)
		}
	case *syntax.ListExpr:
		var list []starlark.Value
		for _, x := range e.List {
			v, err := literalValue(x)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return starlark.NewList(list), nil
	}
	return nil, fault.New(fault.Script, "param: arguments are literals, so that --help can show them without running the script")
}

// ParseFlags reads a script's command line by its parameters. help is true when --help was asked for.
func ParseFlags(params []Param, args []string) (values map[string]string, rest []string, help bool, err error) {
	values = map[string]string{}
	byFlag := map[string]Param{}
	var flags []string
	for _, p := range params {
		byFlag[p.Flag()] = p
		flags = append(flags, p.Flag())
	}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return values, append(rest, args[i+1:]...), help, nil
		}
		if arg == "--help" || arg == "-h" {
			help = true
			continue
		}
		if !strings.HasPrefix(arg, "--") {
			rest = append(rest, arg)
			continue
		}
		flag, value, given := strings.Cut(arg, "=")
		flag = "--" + strings.ReplaceAll(flag[2:], "_", "-")
		p, ok := byFlag[flag]
		if q, no := byFlag["--"+strings.TrimPrefix(flag, "--no-")]; !ok && no && q.Type == "bool" && !given {
			values[q.Name] = "false"
			continue
		}
		switch {
		case !ok:
			msg := fmt.Sprintf("unknown parameter %s%s", flag, didYouMean(flag, flags))
			if len(flags) > 0 {
				msg += "; the script takes " + strings.Join(flags, " ")
			} else {
				msg += "; the script takes none"
			}
			return nil, nil, help, fault.New(fault.Usage, "%s", msg)
		case given:
		case p.Type == "bool":
			value = "true"
		case i+1 == len(args):
			return nil, nil, help, fault.New(fault.Usage, "%s: a value is missing: want %s <%s>", flag, flag, p.Type)
		default:
			i++
			value = args[i]
		}
		values[p.Name] = value
	}
	return values, rest, help, nil
}
