// Package lib holds the Starlark modules that scripts load as "@lib//name.star".
package lib

import "embed"

// Files are the modules.
//
//go:embed *.star
var Files embed.FS
