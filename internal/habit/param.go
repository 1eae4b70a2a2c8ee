package habit

import (
	"cmp"
	"strings"
)

// Instead is what to write for a parameter that a function does not have, "" if nothing is known about it.
func Instead(function, name string) string {
	h := cmp.Or(look("argument", function+"."+name), look("parameter", name))
	if why, ok := strings.CutPrefix(h, "nothing: "); ok {
		return "leave it out: " + why
	}
	if h != "" {
		h = "write " + h
	}
	return h
}
