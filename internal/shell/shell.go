// Package shell knows the shells that run commands between prompts that occur in no output: how each is started, set up, and
// told to run a command.
//
// The prompt is "word:number:status> " with a random word, and the number of the command that it follows. Each command is
// preceded by the line "word<number>", which the shell prints itself: what stands between is the command's output, however
// its echo looked. No text that is sent or that the shell's variables hold has these in one piece.
package shell

import (
	"fmt"
	"strings"
)

// Dialect is a kind of shell.
type Dialect struct {
	Name   string
	Args   []string
	Env    map[string]string
	Python bool

	Edits  bool // it may edit its lines itself
	Spells bool // it takes control characters for keys, also quoted ones

	// Setup is the text that makes the prompt.
	Setup func(word string) string

	// Line is what is typed for a command, whose lines pieces cuts; spell has control characters written by their numbers.
	Line func(id int, text string, pieces func(line string) []string, spell bool) string
}

// DialectOf returns the dialect of a program, by its name.
func DialectOf(program string) (Dialect, error) {
	base := program[strings.LastIndexByte(program, '/')+1:]
	posix := Dialect{Name: base, Setup: posixSetup("posix.sh", "command"), Line: posixLine}
	switch {
	case base == "bash":
		posix.Args = []string{"--norc", "--noprofile", "--noediting", "-i"}
		posix.Setup = posixSetup("bash.sh", "builtin")
	case base == "zsh":
		posix.Args = []string{"-f", "-o", "no_zle", "-i"}
		posix.Setup = posixSetup("zsh.sh", "builtin")
	case base == "sh" || base == "dash" || base == "ash" || base == "ksh" || base == "mksh":
		posix.Args = []string{"-i"}
		posix.Edits = base == "ash" // it has no option for that
		posix.Spells = base == "ash" || base == "ksh"
		if base == "ksh" {
			// In the C locale its editor takes more than the line that switches it off, and the set-up loses a line.
			posix.Args = append(posix.Args, "+o", "emacs")
		}
	case strings.HasPrefix(base, "python"):
		return Dialect{Name: base, Python: true, Edits: true, Env: map[string]string{"PYTHON_BASIC_REPL": "1"}, Setup: pythonSetup, Line: pythonLine}, nil
	default:
		return posix, fmt.Errorf("%q: want bash, sh, zsh or python3; for another program use spawn and cmd(…, prompt=…)", program)
	}
	return posix, nil
}

// Command returns the shell's command line. Python gets its set-up that way, the others get it typed.
func (d Dialect) Command(argv []string, setup string) []string {
	words := append([]string{argv[0]}, d.Args...)
	words = append(words, argv[1:]...)
	if d.Python {
		words = append(words, "-q", "-i", "-c", setup)
	}
	return words
}

// Prompt is a regular expression for what comes after a command. Its second group is what comes instead where the shell
// cannot redirect its output.
func Prompt(word, id string) string { return word + "(?::" + id + ":(\\d+)> |(!)\n)" }

// Begin is a regular expression for what comes before the output of a command, with the same second group.
func Begin(word, id string) string { return word + "(?:(<)" + id + ">|(!))\n" }

// AnyPrompt is a regular expression for the prompt, whatever command it follows.
func AnyPrompt(word string) string { return word + `:\d+:\d+> ` }

// CannotRedirect is what is wrong with a shell that cannot redirect its output.
const CannotRedirect = "redirects no output, as restricted shells do not (set -r) and those that may open no more files, and so it cannot " +
	"tell where a command begins and ends: use spawn and cmd(…, prompt=…)"

// UserFiles are the variables that would make a shell read files of the user's, or change its prompt.
func UserFiles() []string {
	return []string{"ENV", "BASH_ENV", "PROMPT_COMMAND", "PS0", "PS1", "PS2", "PYTHONSTARTUP", "PYTHONINSPECT"}
}
