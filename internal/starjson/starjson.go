// Package starjson is Starlark's json module, for scripts and for builtins.
//
// It reads and writes what the language's own module does, but for this: a text or a value that is too deep is an error and
// does not end the process; a text that is not UTF-8 is an error and is not written as another one; DEL is written as JSON
// has it; and an interrupt or a deadline ends the work on what is large.
package starjson

import (
	"bytes"
	"encoding/json"
	"fmt"

	starlarkjson "go.starlark.net/lib/json"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"omniexpect/internal/dsl"
)

// Module returns the module that scripts find predeclared.
func Module() *starlarkstruct.Module {
	m := &starlarkstruct.Module{Name: starlarkjson.Module.Name, Members: starlark.StringDict{}}
	for name, f := range starlarkjson.Module.Members {
		m.Members[name] = f
	}
	m.Members["decode"], m.Members["encode"], m.Members["encode_indent"] = Decode(), Encode(), encodeIndent()
	return m
}

// Encode returns json.encode.
func Encode() *starlark.Builtin {
	return starlark.NewBuiltin("json.encode", func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		text, err := encode(t, b, args, kwargs)
		return starlark.String(text), err
	})
}

func encode(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (string, error) {
	var v starlark.Value
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &v); err != nil {
		return "", err
	}
	text, err := encoded(dsl.PaceOf(t), dsl.MaskOf(t), v)
	if err != nil {
		return "", fmt.Errorf("%s: %w", b.Name(), err)
	}
	return text, nil
}

// encodeIndent returns json.encode_indent.
func encodeIndent() *starlark.Builtin {
	return starlark.NewBuiltin("json.encode_indent", func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		prefix, indent := "", "\t"
		if err := starlark.UnpackArgs(b.Name(), nil, kwargs, "prefix?", &prefix, "indent?", &indent); err != nil {
			return nil, err
		}
		text, err := encode(t, b, args, nil)
		if err != nil {
			return nil, err
		}
		var out bytes.Buffer
		if err := json.Indent(&out, []byte(text), prefix, indent); err != nil {
			return nil, fmt.Errorf("%s: %w", b.Name(), err)
		}
		return starlark.String(out.String()), nil
	})
}

// Indent returns json.indent.
func Indent() *starlark.Builtin { return starlarkjson.Module.Members["indent"].(*starlark.Builtin) }

// Decode returns json.decode.
func Decode() *starlark.Builtin {
	return starlark.NewBuiltin("json.decode", func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var text string
		var fallback starlark.Value
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "x", &text, "default?", &fallback); err != nil {
			return nil, err
		}
		if len(args) < 1 {
			return nil, fmt.Errorf("%s: unexpected keyword argument x", b.Name())
		}
		d := &decoder{text: text, pace: dsl.PaceOf(t), mask: dsl.MaskOf(t)}
		v, err := d.document()
		switch {
		case err == nil:
			return v, nil
		case d.pace.Over() != nil:
			return nil, fmt.Errorf("%s: %w", b.Name(), err)
		case fallback != nil:
			return fallback, nil
		}
		return nil, fmt.Errorf("%s: at offset %d, %w", b.Name(), d.at, err)
	})
}
