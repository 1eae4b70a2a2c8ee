package builtins

import (
	"go.starlark.net/lib/json"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// jsonEncode is json.encode.
var jsonEncode = json.Module.Members["encode"].(*starlark.Builtin)

// jsonDecode is json.decode.
var jsonDecode = json.Module.Members["decode"].(*starlark.Builtin)

// jsonIndent is json.indent.
var jsonIndent = json.Module.Members["indent"].(*starlark.Builtin)

// starlarkIn is the "in" operator.
const starlarkIn = syntax.IN
