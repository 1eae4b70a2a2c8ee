// Package habit knows what people write who come from Python, pexpect or Tcl Expect, and what it is called here. The check
// before a run, the failure of a run and the help say it where a name, an attribute, a parameter or a command is not there.
package habit

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed habits.txt
var text string

// phrases has the hints of habits.txt by section and name.
var phrases = sync.OnceValue(func() map[[2]string]string { return parse(text) })

func look(section, name string) string { return phrases()[[2]string{section, name}] }

// parse reads the format that the head of habits.txt tells.
func parse(text string) map[[2]string]string {
	out, section := map[[2]string]string{}, ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		names, hint, ok := strings.Cut(line, ": ")
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			section = strings.Trim(line, "[]")
		case ok:
			for name := range strings.SplitSeq(names, ", ") {
				out[[2]string{section, name}] = hint
			}
		}
	}
	return out
}

// Name is what to write in place of a name, "" if nothing is known about it.
func Name(name string) string {
	if h := look("name", name); h != "" {
		return h
	}
	if ordinary(name) {
		return ""
	}
	if h := look("session", name); h != "" {
		return h
	}
	if rest, ok := strings.CutPrefix(name, "exp_"); ok && rest != "" {
		if h := Name(rest); h != "" {
			return h
		}
	}
	return ""
}

// Known is Name, or the same for the attribute of a session, as in "s.sendintr" or "logfile_read".
func Known(name string) string {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		name = name[i+1:]
	}
	name = strings.TrimLeft(name, "-") // a flag of Tcl Expect
	if h := Name(name); h != "" {
		return h
	}
	if h := look("session", name); h != "" {
		return h
	}
	return Instead("", name)
}

// ordinary reports whether a name that pexpect has at a session is as likely a variable that is missing.
func ordinary(name string) bool {
	switch name {
	case "name", "args", "argv", "command", "code", "login", "logout", "options", "display", "screen", "child", "poll", "env", "echo", "cwd", "closed",
		"status", "prompt", "press", "encoding", "proc", "detach", "stdin", "stdout", "stderr", "match", "buffer", "write", "pid":
		return true
	}
	return false
}
