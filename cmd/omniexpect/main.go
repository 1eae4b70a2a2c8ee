// Command omniexpect drives interactive terminal programs and HTTP services from Starlark scripts.
//
// There is one file for each subcommand; main finds the one that is asked for. What a subcommand does is in the
// packages it calls.
package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"omniexpect/internal/interp"
	"omniexpect/internal/sim"
	"omniexpect/internal/spell"
)

// command is a subcommand.
type command struct {
	name    string
	args    string
	summary string
	run     func(args []string) int
}

func commands() []command {
	return []command{
		{"run", "SCRIPT [--param value …] [ARGS…]", "run a script; - is standard input, -c 'CODE' a text", runCommand},
		{"repl", "[SCRIPT] [--param value …]", "type statements, see what they do; after SCRIPT, if one is given", replCommand},
		{"sim", "omnigent server|cli …", "the simulated omnigent", simCommand},
		{"check", "[--json] FILE…", "find mistakes without running anything", checkCommand},
		{"fmt", "[-d] [-w] [--check] [FILE…]", "format scripts; standard input without files", fmtCommand},
		{"docs", "[NAME…]", "what the builtins do; --search WORD finds, --man is the manual page", docsCommand},
		{"completion", "bash|zsh|fish", "print the script by which a shell completes our command line", completionCommand},
		{"lsp", "", "serve an editor, which starts it (Language Server Protocol)", lspCommand},
		{"version", "", "print the version", versionCommand},
	}
}

func main() {
	os.Exit(dispatch(os.Args))
}

func dispatch(argv []string) int {
	if strings.HasPrefix(filepath.Base(argv[0]), "omnigent") {
		return sim.CLI(context.Background(), argv[1:], os.Stdin, os.Stdout, os.Stderr)
	}
	args := argv[1:]
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, usage())
		return 2
	}
	switch args[0] {
	case "-h", "--help", "help":
		return help(args[1:])
	case "--version":
		return versionCommand(args[1:])
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run(args[1:])
		}
	}
	if isScript(args[0]) {
		return runCommand(args)
	}
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	fmt.Fprintf(os.Stderr, "omniexpect: usage: unknown command %q", args[0])
	if n := cmp.Or(spell.Nearest(args[0], names), interp.NearScript(args[0])); n != "" {
		fmt.Fprintf(os.Stderr, " (did you mean %s?)", n)
	}
	fmt.Fprintf(os.Stderr, "\nhint: omniexpect --help lists the commands; a script is a file, or @scripts//NAME.star\n")
	return 2
}

// help shows what there is, or the help of one command.
func help(args []string) int {
	if len(args) == 0 {
		return printed(usage())
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run([]string{"--help"})
		}
	}
	return usageError("help: unknown command %q: omniexpect docs %s searches the builtins", args[0], args[0])
}

// isScript reports whether the first argument stands for "run".
func isScript(arg string) bool {
	if arg == "-" || strings.HasPrefix(arg, "-") || strings.HasPrefix(arg, "@") || strings.HasSuffix(arg, ".star") {
		return true
	}
	st, err := os.Stat(arg)
	return err == nil && !st.IsDir()
}

func usage() string {
	var w strings.Builder
	fmt.Fprint(&w, "omniexpect drives terminal programs and HTTP services from Starlark scripts.\n\nusage:\n")
	for _, c := range commands() {
		fmt.Fprintf(&w, "  omniexpect %-8s %-34s %s\n", c.name, c.args, c.summary)
	}
	fmt.Fprintf(&w, "  omniexpect %-43s %s\n", "SCRIPT …", "the same as run")
	fmt.Fprint(&w, "\nomniexpect run --help shows the flags of a run; omniexpect run SCRIPT --help those of a script.\n")
	return w.String()
}
