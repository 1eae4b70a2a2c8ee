package builtins

import (
	"go.starlark.net/syntax"

	"omniexpect/internal/starjson"
)

// jsonEncode is json.encode.
var jsonEncode = starjson.Encode()

// jsonDecode is json.decode.
var jsonDecode = starjson.Decode()

// jsonIndent is json.indent.
var jsonIndent = starjson.Indent()

// starlarkIn is the "in" operator.
const starlarkIn = syntax.IN
