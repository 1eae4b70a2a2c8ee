// Package dsl is what a builtin is.
//
// A builtin is one expression: Define (or Method, for a method of a value) with a name, what it returns, a documentation
// text, an example, the defaults of its parameters, and a Go function. The parameters are the fields of a struct:
//
//	type expectArgs struct {
//		Pattern Patterns `star:"pattern" doc:"what to wait for"`
//		Timeout Duration `star:"timeout?" doc:"how long"`
//		View    string   `star:"view?,kw" doc:"text or raw"`
//	}
//
// A "?" makes a parameter optional with the default of the defaults value, ",kw" makes it keyword-only, "*name" takes the
// remaining positional arguments and "**name" the remaining keyword arguments. Signature, unpacking, help, reference,
// completion and checks all derive from this one declaration.
//
// A Host is what a run offers its builtins: the one lock under which all Starlark of the run executes, the context that
// ends every wait, deferred calls. A blocking builtin does its waiting in Call.Wait, which gives the lock up.
package dsl
