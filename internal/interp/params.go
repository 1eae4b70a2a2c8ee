package interp

import (
	"cmp"
	"math/big"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"omniexpect/internal/fault"
	"omniexpect/internal/param"
	"omniexpect/internal/spell"
)

// Param is a parameter that a script declares, as read from its text.
type Param = param.Param

// Params reads the calls of builtins that declare parameters from a script, without running it. They have to stand at the top level
// and have literal arguments.
func (l *Library) Params(src *Source, builtins []string) ([]Param, error) {
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
			if !ok || !slices.Contains(builtins, id.Name) || bad != nil {
				return true
			}
			p, err := paramOf(n)
			if err == nil && depth > 0 {
				err = fault.New(fault.Script, "%s: called in a function: declare parameters at the top level", id.Name)
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
		case *big.Int:
			return starlark.MakeBigInt(v), nil
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

// Unread refuses arguments of a script in which nothing reads them: a second script would not run, and the status be 0.
func Unread(params []Param, script string, args []string) error {
	e := fault.New(fault.Usage, "unexpected argument %q: nothing in %s reads ARGS; %s", args[0], script, takes(params))
	for _, arg := range args {
		if strings.HasSuffix(arg, ".star") {
			e.Hints = []string{`a run has one script: for f in *.star; do omniexpect run "$f" || exit; done`}
		}
	}
	return e
}

// ParseFlags reads a script's command line by its parameters. help is true when --help was asked for. free says that the
// script reads ARGS, so that flags of one dash may be for it; else they would have no effect, and are refused.
func ParseFlags(params []Param, args []string, free bool) (values map[string]string, rest []string, help bool, err error) {
	values = map[string]string{}
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
			if !free && shortFlag(arg) {
				return nil, nil, help, strayFlag(params, arg)
			}
			rest = append(rest, arg)
			continue
		}
		flag, value, given := strings.Cut(arg, "=")
		flag = "--" + strings.ReplaceAll(flag[2:], "_", "-")
		p, ok := flagged(params, flag)
		if q, no := flagged(params, "--"+strings.TrimPrefix(flag, "--no-")); !ok && no && q.Type == "bool" && !given {
			values[q.Name] = "false"
			continue
		}
		switch {
		case !ok:
			return nil, nil, help, unknownFlag(params, flag)
		case given:
		case p.Type == "bool" && i+1 < len(args) && slices.Contains([]string{"true", "false", "True", "False"}, args[i+1]):
			return nil, nil, help, fault.New(fault.Usage, "%s %s: a bool is on when it is named: write %s=%s", flag, args[i+1], flag, args[i+1])
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

// shortFlag reports whether an argument looks like a flag of one dash, and not like a number.
func shortFlag(arg string) bool {
	return len(arg) > 1 && arg[0] == '-' && !strings.ContainsRune("0123456789.", rune(arg[1]))
}

// flagged returns the parameter of a flag.
func flagged(params []Param, flag string) (Param, bool) {
	i := slices.IndexFunc(params, func(p Param) bool { return p.Flag() == flag })
	if i < 0 {
		return Param{}, false
	}
	return params[i], true
}

// takes names the parameters that there are.
func takes(params []Param) string {
	var flags []string
	for _, p := range params {
		flags = append(flags, p.Flag())
	}
	return "the script takes " + cmp.Or(strings.Join(flags, " "), "none")
}

// unknownFlag is the error of a flag that is no parameter.
func unknownFlag(params []Param, flag string) error {
	if own(flag) {
		return misplaced(flag)
	}
	var names []string
	for _, p := range params {
		names = append(names, p.Flag()[2:])
	}
	msg := "unknown parameter " + flag
	if near := spell.Nearest(flag[2:], names); near != "" {
		msg += " (did you mean --" + near + "?)"
	}
	return fault.New(fault.Usage, "%s; %s", msg, takes(params))
}

// strayFlag is the error of a flag of one dash that nothing reads.
func strayFlag(params []Param, arg string) error {
	name, _, _ := strings.Cut("-"+arg, "=")
	if p, ok := flagged(params, strings.ReplaceAll(name, "_", "-")); ok {
		return fault.New(fault.Usage, "unknown flag %s (did you mean %s?); parameters have two dashes", name[1:], p.Flag())
	}
	if own(name) {
		return misplaced(name[1:])
	}
	return fault.New(fault.Usage, "unknown flag %s: nothing in the script reads ARGS; %s", name[1:], takes(params))
}

// own reports whether a flag is one of omniexpect itself.
func own(flag string) bool {
	return slices.Contains(param.Reserved(), strings.ReplaceAll(strings.TrimLeft(flag, "-"), "-", "_"))
}

func misplaced(flag string) error {
	return fault.New(fault.Usage, "%s is a flag of omniexpect itself: write it before the script", flag)
}
