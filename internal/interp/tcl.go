package interp

import (
	"strings"

	"omniexpect/internal/habit"
	"omniexpect/internal/lazy"
)

// tclCommand matches a line that begins with a command and its words, as Tcl has them, after the end of a block or not.
var tclCommand = lazy.Regexp(`^[\s}]*([a-z_]\w*)\s*(?:$|\s(-[a-z]+\b)?\s*(?:[-"'{\[$\w]|$))`)

// ofTcl is what to write for a line of Tcl Expect, "" if it looks like none.
func ofTcl(line string) string {
	m := tclCommand().FindStringSubmatch(line)
	if m == nil {
		return ""
	}
	if h := habit.Tcl(m[1], m[2], strings.TrimLeft(line, " \t}")); h != "" {
		return h
	}
	if strings.ContainsAny(line, "${") && !strings.HasSuffix(strings.TrimSpace(line), ":") {
		if h := habit.Name(m[1]); h != "" {
			return h
		}
	}
	return ""
}
