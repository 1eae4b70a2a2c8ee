package habit

import "strings"

// Tcl is what to write for a command of Tcl Expect, with its first flag, where a line with it is not Starlark.
func Tcl(command, flag, line string) string {
	if h := look("flag", command+" "+flag); flag != "" && h != "" {
		return h
	}
	switch command {
	case "set":
		return assignment(line)
	case "if", "while", "for", "else", "return", "exit":
		rest := strings.TrimSpace(strings.TrimPrefix(line, command))
		braced := strings.HasPrefix(rest, "{") || strings.HasPrefix(rest, "[") && strings.HasSuffix(rest, "{") || substituted(rest)
		if !strings.Contains(line, "$") && !braced {
			return "" // a line of Starlark, or nearly
		}
	}
	h := look("command", command)
	if h == "=" {
		return Name(command)
	}
	return h
}

// substituted reports whether a line begins with a command in brackets, whose words have blanks between them.
func substituted(rest string) bool {
	inner, bracket := strings.CutPrefix(rest, "[")
	words := strings.Fields(inner)
	return bracket && len(words) > 1 && !strings.ContainsAny(words[0], ",]+-*()") && words[1] != "for" && !strings.ContainsAny(words[1][:1], "+-*/%<>=,!&|")
}

// assignment is what to write for the set command.
func assignment(line string) string {
	words := strings.Fields(line)
	if len(words) < 2 {
		return ""
	}
	switch name := words[1]; {
	case name == "timeout":
		return "write spawn(…, timeout = 10) for all waits, expect(…, timeout = 10) for one, timeout = None for ever"
	case name == "spawn_id":
		return "write use(s), or s.expect(…)"
	case name == "send_slow", name == "send_human":
		return "write type_text(text, 0.1)"
	case strings.HasPrefix(name, "env("):
		return `write spawn(…, env = {"NAME": "value"})`
	case name == "stty_init":
		return "write spawn(…, echo = False, raw = True, rows = …, cols = …)"
	}
	return "a variable is set by name = value"
}
