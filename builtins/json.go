package builtins

import "omniexpect/internal/starjson"

// jsonEncode is json.encode.
var jsonEncode = starjson.Encode()

// jsonDecode is json.decode.
var jsonDecode = starjson.Decode()

// jsonIndent is json.indent.
var jsonIndent = starjson.Indent()
