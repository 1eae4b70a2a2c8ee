package builtins

import (
	"strconv"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
)

type paramArgs struct {
	Name     string         `star:"name" doc:"the parameter; --name on the command line, with - for _"`
	Default  starlark.Value `star:"default?" doc:"the value if it is not given"`
	Help     string         `star:"help?" doc:"one line for --help"`
	Type     string         `star:"type?,kw" doc:"str, int, float, bool or duration; by default the type of the default"`
	Choices  *starlark.List `star:"choices?,kw" doc:"the values that are allowed"`
	Required bool           `star:"required?,kw" doc:"whether it has to be given"`
	Secret   bool           `star:"secret?,kw" doc:"whether its value must not be seen"`
}

func (st *State) param(c *dsl.Call, a paramArgs) (starlark.Value, error) {
	text, given := st.Params[a.Name]
	if !given {
		if a.Required {
			return nil, fault.New(fault.Usage, "--%s is required%s", FlagName(a.Name), about(a.Help))
		}
		if a.Default == nil {
			return starlark.None, nil
		}
		return st.hide(a, a.Default)
	}
	v, err := ParamValue(a.Name, paramType(a.Type, a.Default), text)
	if err != nil {
		return nil, err
	}
	if a.Choices != nil {
		in, err := starlark.Binary(starlarkIn, v, a.Choices)
		if err != nil || !bool(in.Truth()) {
			return nil, fault.New(fault.Usage, "--%s: got %q, want one of %s", FlagName(a.Name), text, a.Choices)
		}
	}
	return st.hide(a, v)
}

func about(help string) string {
	if help == "" {
		return ""
	}
	return ": " + help
}

func (st *State) hide(a paramArgs, v starlark.Value) (starlark.Value, error) {
	if text := plain(v); a.Secret && text != "" && v != starlark.None {
		return secretValue{st.Mask.Add(text)}, nil
	}
	return v, nil
}

// SetArgs sets what ARGS holds.
func (st *State) SetArgs(args []string) {
	st.argList.Clear()
	for _, a := range args {
		st.argList.Append(starlark.String(a))
	}
}

// FlagName is how a parameter is written on the command line.
func FlagName(param string) string { return strings.ReplaceAll(param, "_", "-") }

func paramType(typ string, def starlark.Value) string {
	switch {
	case typ != "":
		return typ
	case def == nil || def == starlark.None:
		return "str"
	case def.Type() == "string":
		return "str"
	}
	return def.Type()
}

// ParamValue reads a parameter's value from the command line.
func ParamValue(name, typ, text string) (starlark.Value, error) {
	bad := func(want string) error {
		return fault.New(fault.Usage, "--%s: got %q, want %s", FlagName(name), text, want)
	}
	switch typ {
	case "str":
		return starlark.String(text), nil
	case "int":
		n, err := strconv.ParseInt(text, 0, 64)
		if err != nil {
			return nil, bad("an integer")
		}
		return starlark.MakeInt64(n), nil
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
		if f, err := strconv.ParseFloat(text, 64); err == nil && f >= 0 {
			return starlark.Float(f), nil
		}
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return nil, bad("seconds, or a duration like 250ms or 2m")
		}
		return starlark.Float(d.Seconds()), nil
	}
	return nil, fault.New(fault.Usage, "param %s: type=%q: want str, int, float, bool or duration", name, typ)
}

func (st *State) paramFuncs() []*dsl.Func {
	return dsl.In("control",
		dsl.Define("param", "any", `Declare a parameter of the script and get its value. It stands at the top level with literal arguments, so that --help and unknown flags are known without running anything.`,
			`server = param("server", default="", help="base URL of the server")
assert.eq(server, "")`, paramArgs{}, st.param),
	)
}
