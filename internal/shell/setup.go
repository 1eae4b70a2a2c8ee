package shell

import (
	"embed"
	"strings"
)

// setups are the texts that a shell is set up with. They can be read and checked as they are: what stands between two @ is
// put in when a shell starts.
//
//go:embed setup
var setups embed.FS

// noteStatus has a command note its status. No trace and no trap of the shell's shows it.
const noteStatus = "{ _os=$?; } >/dev/null 2>&1"

// posixSetup returns the set-up of a POSIX shell as it is typed; own is how it calls a command of its own.
func posixSetup(name, own string) func(word string) string {
	return func(word string) string { return filled(typed(read(name)+"\n\n"+read("functions.sh")), word, own) }
}

func pythonSetup(word string) string { return filled(read("python.py"), word, "") }

// filled puts a word into a text, in halves: no text that is sent has the prompt in one piece.
func filled(text, word, own string) string {
	half := len(word) / 2
	return strings.NewReplacer("@half1@", word[:half], "@half2@", word[half:], "@own@", own, "@note@", "\n"+noteStatus).Replace(text)
}

// read returns a text without its comments.
func read(name string) string {
	text, err := setups.ReadFile("setup/" + name)
	if err != nil {
		panic(err) // it is a part of the program
	}
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(strings.TrimLeft(line, " \t"), "#") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// typed returns a shell text as it is typed: each paragraph is one line, so that the shell shows no second prompt in the
// middle of one, and no tab is a key.
func typed(text string) string {
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		var line []string
		for part := range strings.Lines(paragraph) {
			if part = strings.Trim(part, " \t\n"); part != "" {
				line = append(line, part)
			}
		}
		if len(line) > 0 {
			lines = append(lines, strings.Join(line, " "))
		}
	}
	return strings.Join(lines, "\n")
}
