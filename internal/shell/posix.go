package shell

import (
	"fmt"
	"strings"

	"omniexpect/internal/lazy"
)

// posixLine quotes a command for eval, so that it is read as a whole before any of it runs: broken off commands, several
// lines and syntax errors all come back to the prompt. Long lines are continued. The line begins with a blank, because bash
// loses the first byte that it reads after a Ctrl-C at its prompt.
func posixLine(id int, text string, pieces func(line string) []string, spell bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, ` { _ox %d "$?" && :; } >/dev/null 2>&1; \eval `, id)
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteString("\"\n\"\\\n") // a quote after the last one would be part of the text in zsh with rc_quotes
		}
		for j, piece := range pieces(line) {
			if j > 0 {
				b.WriteString("\\\n")
			}
			piece = strings.ReplaceAll(piece, "'", `'\''`)
			if spell {
				piece = controls().ReplaceAllStringFunc(piece, func(c string) string { return fmt.Sprintf(`'"$({ _oc %03o; } 2>/dev/null)"'`, c[0]) })
			}
			b.WriteString("'" + piece + "'")
		}
	}
	switch {
	case open(text):
	case SetsErrexit(text):
		b.WriteString("'\n" + noteStatus + "'")
	default:
		b.WriteString(`"$_oe"`)
	}
	return b.String() + "; { _os=${_os:-$?}; } >/dev/null 2>&1; { _oz; } 3>&2 >/dev/null 2>&1 || { _oz; } 3>/dev/null >/dev/null 2>&1 || _or; " +
		"{ _ow && :; } >/dev/null 2>&1"
}

// controls are the characters that a terminal may take for keys.
var controls = lazy.Regexp(`[\x01-\x09\x0b-\x1f\x7f]`)

// SetsErrexit reports whether a command may have the shell end with the next one that fails.
func SetsErrexit(text string) bool { return errexit().MatchString(text) }

var errexit = lazy.Regexp(`\bset\s+(?:-\S+\s+)*-\w*e|\berrexit\b`)

// open reports whether a line after a command might become a part of it.
func open(text string) bool {
	text = strings.TrimRight(text, " \t\n")
	last := text[strings.LastIndexByte(text, '\n')+1:]
	if text == "" || strings.HasPrefix(strings.TrimLeft(last, " \t"), "#") || strings.ContainsRune("\\|&)", rune(text[len(text)-1])) {
		return true
	}
	return strings.Contains(text, "<<") || opened().MatchString(text)
}

// opened matches the beginning of a compound command at the end of a line.
var opened = lazy.Regexp(`(?:^|[\s;])(?:for|select|function)\s[^\n;]*$`)
