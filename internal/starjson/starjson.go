// Package starjson is Starlark's json module, for scripts and for builtins.
//
// It is the language's own, but for one thing: its decoder and encoder call themselves for each level, so that a text of
// nothing but opening brackets, or a list as deep, would end the process. Here such a text or value is an error.
package starjson

import (
	"fmt"

	"go.starlark.net/lib/json"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"omniexpect/internal/nest"
)

// Module returns the module that scripts find predeclared.
func Module() *starlarkstruct.Module {
	m := &starlarkstruct.Module{Name: json.Module.Name, Members: starlark.StringDict{}}
	for name, f := range json.Module.Members {
		m.Members[name] = f
	}
	m.Members["decode"], m.Members["encode"] = Decode(), Encode()
	return m
}

// Encode returns json.encode.
func Encode() *starlark.Builtin {
	encode := member("encode")
	return starlark.NewBuiltin(encode.Name(), func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if len(args) > 0 {
			if err := nest.Check(args[0]); err != nil {
				return nil, fmt.Errorf("json.encode: %w", err)
			}
		}
		return encode.CallInternal(t, args, kwargs)
	})
}

// Indent returns json.indent.
func Indent() *starlark.Builtin { return member("indent") }

// Decode returns json.decode.
func Decode() *starlark.Builtin {
	decode := member("decode")
	return starlark.NewBuiltin(decode.Name(), func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if len(args) > 0 {
			if text, ok := starlark.AsString(args[0]); ok {
				if at := tooDeep(text); at >= 0 {
					if v := fallback(args, kwargs); v != nil {
						return v, nil
					}
					return nil, fmt.Errorf("json.decode: at offset %d, nested more than %d levels deep", at, nest.Deepest)
				}
			}
		}
		return decode.CallInternal(t, args, kwargs)
	})
}

// fallback returns what the call gives as default=.
func fallback(args starlark.Tuple, kwargs []starlark.Tuple) starlark.Value {
	if len(args) > 1 {
		return args[1]
	}
	for _, kv := range kwargs {
		if kv[0] == starlark.String("default") {
			return kv[1]
		}
	}
	return nil
}

func member(name string) *starlark.Builtin {
	return json.Module.Members[name].(*starlark.Builtin)
}

// tooDeep returns where a text becomes too deep, or -1.
func tooDeep(text string) int {
	if len(text) < nest.Deepest {
		return -1
	}
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[', c == '{':
			if depth++; depth > nest.Deepest {
				return i
			}
		case c == ']', c == '}':
			depth--
		}
	}
	return -1
}
