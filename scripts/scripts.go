// Package scripts holds the scripts that run from the binary alone, as "@scripts//name.star".
package scripts

import "embed"

// Files are the scripts.
//
//go:embed *.star
var Files embed.FS
