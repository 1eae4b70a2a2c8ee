package builtins

import (
	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/param"
)

type paramArgs struct {
	Name     string         `star:"name" doc:"the parameter's name; --name on the command line, with - for _"`
	Default  starlark.Value `star:"default?" doc:"the value if it is not given"`
	Help     string         `star:"help?" doc:"one line for --help"`
	Type     string         `star:"type?,kw" doc:"str, int, float, bool or duration; by default the type of the default"`
	Choices  *starlark.List `star:"choices?,kw" doc:"the values that are allowed"`
	Required bool           `star:"required?,kw" doc:"whether it must be given"`
	Secret   bool           `star:"secret?,kw" doc:"whether its value is hidden in all output"`
}

func (st *State) param(c *dsl.Call, a paramArgs) (starlark.Value, error) {
	p := param.Param{Name: a.Name, Help: a.Help, Type: param.TypeOf(a.Type, a.Default), Default: a.Default,
		Required: a.Required, Secret: a.Secret}
	if a.Choices != nil {
		for choice := range a.Choices.Elements() {
			p.Choices = append(p.Choices, param.Written(choice))
		}
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	text, given := st.Params[a.Name]
	if !given && a.Required {
		return nil, fault.New(fault.Usage, "%s is required%s", p.Flag(), about(a.Help))
	}
	v, err := p.Initial()
	if given {
		v, err = p.Value(text)
	}
	if err != nil {
		return nil, err
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
		return secretValue{st.hideValue(text)}, nil
	}
	return v, nil
}

// SetArgs sets what ARGS holds.
func (st *State) SetArgs(args []string) {
	list := st.args()
	list.Clear()
	for _, a := range args {
		list.Append(starlark.String(a))
	}
}

// args is ARGS, which the vocabulary and the command line may ask for in any order.
func (st *State) args() *starlark.List {
	if st.argList == nil {
		st.argList = starlark.NewList(nil)
	}
	return st.argList
}

func (st *State) paramFuncs() []*dsl.Func {
	return dsl.In("control",
		dsl.Define("param", "any", `Declare a parameter of the script and return its value. It must be at the top level with literal arguments, so that --help and unknown flags can be handled without running anything. A default of type duration is in seconds, as a given value is. A flag of omniexpect, such as help, cannot be the name of a parameter.`,
			`server = param("server", default = "", help = "base URL of the server")
assert.eq(server, "")`, paramArgs{}, st.param).As(dsl.Declares),
	)
}
