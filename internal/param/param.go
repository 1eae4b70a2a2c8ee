// Package param is what a parameter of a script is: its declaration, what is wrong with one, and its value from the
// command line.
//
// A declaration is read twice: from the script's text, so that --help and mistakes need no run, and by the builtin when
// the script runs. Both come here, so that they agree.
package param

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"go.starlark.net/starlark"

	"omniexpect/internal/fault"
	"omniexpect/internal/lazy"
)

// Param is a parameter that a script declares.
type Param struct {
	Name     string
	Help     string
	Type     string // one of Types
	Default  starlark.Value
	Choices  []string // as they are written on the command line
	Required bool
	Secret   bool
}

// Types returns the types there are.
func Types() []string { return []string{"str", "int", "float", "bool", "duration"} }

// Reserved returns the names that no parameter can have, since omniexpect's own flags are called so.
func Reserved() []string {
	return []string{"help", "h", "c", "q", "v", "d", "timeout_scale", "secret_env"}
}

// Flag is how the parameter is written on the command line.
func (p Param) Flag() string { return "--" + strings.ReplaceAll(p.Name, "_", "-") }

// Written is how a value is written on the command line.
func Written(v starlark.Value) string {
	if text, ok := starlark.AsString(v); ok {
		return text
	}
	return v.String()
}

// TypeOf is the type of a parameter that is declared with a type, or "", and a default, or nil.
func TypeOf(typ string, def starlark.Value) string {
	switch {
	case typ != "":
		return typ
	case def == nil || def == starlark.None || def.Type() == "string":
		return "str"
	}
	return def.Type()
}

// name is how a parameter may be called.
var name = lazy.Regexp(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Check returns what is wrong with the declaration.
func (p Param) Check() error {
	bad := func(format string, args ...any) error {
		return fault.New(fault.Script, "param %s: %s", p.Name, fmt.Sprintf(format, args...))
	}
	switch {
	case !name().MatchString(p.Name):
		return fault.New(fault.Script, "param: %q is not a name: want letters, digits and _", p.Name)
	case slices.Contains(Reserved(), p.Name):
		return bad("%s is a flag of omniexpect itself: choose another name", p.Flag())
	case !slices.Contains(Types(), p.Type) && p.Default != nil && p.Type == p.Default.Type():
		return bad("the default is a %s: want a text, a number, True or False", p.Type)
	case !slices.Contains(Types(), p.Type):
		return bad("type=%q: want str, int, float, bool or duration", p.Type)
	}
	for _, c := range p.Choices {
		if _, err := p.convert(c); err != nil {
			return bad("choice %q is not of type %s", c, p.Type)
		}
	}
	if p.Default == nil || p.Default == starlark.None {
		return nil
	}
	v, err := p.Initial()
	if err != nil {
		return bad("the default %s is not of type %s: want a default of that type, or another type=", p.shown(p.Default.String()), p.Type)
	}
	if !p.among(v) {
		return bad("the default %s is not one of the choices %s", p.shown(p.Default.String()), p.Listed())
	}
	return nil
}

// Initial is the value of a parameter that is not given: the default, as what its type makes of it.
func (p Param) Initial() (starlark.Value, error) {
	switch d := p.Default.(type) {
	case nil, starlark.NoneType:
		return starlark.None, nil
	case starlark.String:
		if p.Type == "str" || p.Type == "duration" {
			return p.convert(string(d))
		}
	case starlark.Bool:
		if p.Type == "bool" {
			return d, nil
		}
	case starlark.Int, starlark.Float:
		if p.Type == "int" || p.Type == "float" || p.Type == "duration" {
			return p.convert(d.String())
		}
	}
	return nil, fault.New(fault.Script, "param %s: the default %s is not of type %s", p.Name, p.Default, p.Type)
}

// Value reads the parameter's value from the command line.
func (p Param) Value(text string) (starlark.Value, error) {
	v, err := p.convert(text)
	if err != nil {
		return nil, err
	}
	if !p.among(v) {
		return nil, fault.New(fault.Usage, "%s: got %s, want one of %s", p.Flag(), p.shown(strconv.Quote(text)), p.Listed())
	}
	return v, nil
}

// among reports whether a value is one of the choices, if there are any.
func (p Param) among(v starlark.Value) bool {
	return len(p.Choices) == 0 || slices.ContainsFunc(p.Choices, func(c string) bool {
		choice, err := p.convert(c)
		same, _ := starlark.Equal(v, choice)
		return err == nil && same
	})
}

// Listed is the choices as a list for messages; those that would not stand out in it are quoted.
func (p Param) Listed() string {
	var list []string
	for _, c := range p.Choices {
		if c == "" || strings.ContainsFunc(c, func(r rune) bool { return r == ',' || r == '"' || !unicode.IsGraphic(r) || unicode.IsSpace(r) }) {
			c = strconv.Quote(c)
		}
		list = append(list, c)
	}
	return strings.Join(list, ", ")
}

// Notes is what --help says of the parameter besides its help.
func (p Param) Notes() (list []string) {
	switch {
	case p.Required:
		list = append(list, "required")
	case p.Default == nil || p.Default == starlark.None || p.Default == starlark.String(""):
	case p.Default == starlark.True:
		list = append(list, "on by default; --no-"+p.Flag()[2:]+" switches it off")
	case p.Type != "bool":
		list = append(list, "default "+p.shown(p.Default.String()))
	}
	if len(p.Choices) > 0 {
		list = append(list, "one of "+p.Listed())
	}
	return list
}

// shown hides the value of a secret parameter.
func (p Param) shown(value string) string {
	if p.Secret {
		return "***"
	}
	return value
}

func (p Param) convert(text string) (starlark.Value, error) {
	bad := func(want string) error {
		return fault.New(fault.Usage, "%s: got %s, want %s", p.Flag(), p.shown(strconv.Quote(text)), want)
	}
	switch p.Type {
	case "str":
	case "int":
		n, ok := new(big.Int).SetString(text, base(text))
		if !ok {
			return nil, bad("an integer")
		}
		return starlark.MakeBigInt(n), nil
	case "float":
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, bad("a number")
		}
		return starlark.Float(f), nil
	case "bool":
		b, err := strconv.ParseBool(text)
		if err != nil {
			return nil, bad("true or false")
		}
		return starlark.Bool(b), nil
	case "duration":
		if f, err := strconv.ParseFloat(text, 64); err == nil && f >= 0 && f < 1e9 {
			return starlark.Float(f), nil
		}
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return nil, bad("seconds, or a duration like 250ms or 2m")
		}
		return starlark.Float(d.Seconds()), nil
	}
	return starlark.String(text), nil
}

// base is what a number is read in: as the language writes it, but for zeros in front of a decimal one, which people and
// programs put there to align it.
func base(text string) int {
	if strings.Trim(strings.TrimLeft(text, "+-"), "0123456789") == "" {
		return 10
	}
	return 0
}

// Together returns what is wrong with a parameter among those declared before it.
func (p Param) Together(before []Param) error {
	for _, q := range before {
		switch {
		case p.Flag() == q.Flag():
			return fault.New(fault.Script, "param %s: declared twice", p.Name)
		case p.Name == "no_"+q.Name && q.Type == "bool", q.Name == "no_"+p.Name && p.Type == "bool":
			return fault.New(fault.Script, "param %s: together with %s it is ambiguous: --no-… sets a bool to False", p.Name, q.Name)
		}
	}
	return nil
}
