package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"omniexpect/builtins"
	"omniexpect/internal/docs"
	"omniexpect/internal/dsl"
	"omniexpect/internal/habit"
	"omniexpect/internal/mask"
	"omniexpect/internal/spell"
)

// vocabulary declares all builtins for looking at them only.
func vocabulary() *dsl.Vocabulary {
	return (&builtins.State{Marker: "none", Mask: mask.New()}).Vocabulary()
}

// docsCommand shows the documentation of the builtins, or writes what is generated from it.
func docsCommand(args []string) int {
	set := newFlags("docs")
	search := set.Bool("search", false, "list what mentions all of the words")
	write := set.Bool("write", false, "write docs/names.md, docs/reference.md and docs/stubs below this folder")
	shell := set.String("completion", "", "print the completion script for `SHELL`: bash, zsh or fish")
	man := set.Bool("man", false, "print the manual page")
	if code := parsed(set, args, "usage: omniexpect docs [NAME…]\n\nNAME is a builtin, a type or a method: expect, Session, Session.close. Flags:\n"); code >= 0 {
		return code
	}
	switch {
	case set.NFlag() > 1:
		return usageError("docs: one flag at a time")
	case set.NFlag() > 0 && !*search && set.NArg() > 0:
		return usageError("docs: unexpected argument %q: only names without a flag, or the words of --search", set.Arg(0))
	}
	v := vocabulary()
	switch {
	case *write:
		return writeDocs(v)
	case *shell != "":
		return printCompletion("docs", *shell)
	case *man:
		return printed(docs.Man(documented(), v))
	case *search && set.NArg() == 0:
		return usageError("docs: --search: no words: give one, as in omniexpect docs --search timeout")
	case *search:
		return searchDocs(v, set.Args())
	case set.NArg() == 0:
		return printed(docs.Overview(v))
	default:
		return showDocs(v, set.Args())
	}
}

// completionCommand prints what a shell reads to complete our command line.
func completionCommand(args []string) int {
	if asksHelp(args) {
		return printed("usage: omniexpect completion bash|zsh|fish\n\nbash: source <(omniexpect completion bash), in ~/.bashrc. zsh: omniexpect completion zsh > a folder of $fpath/_omniexpect. fish: omniexpect completion fish | source.\n")
	}
	if len(args) != 1 {
		return usageError("completion: want one shell: bash, zsh or fish, as in omniexpect completion bash")
	}
	return printCompletion("completion", args[0])
}

func printCompletion(command, shell string) int {
	text, err := docs.Completion(shell, documented(), vocabulary())
	if err != nil {
		return usageError("%s: %v", command, err)
	}
	return printed(text)
}

func showDocs(v *dsl.Vocabulary, names []string) int {
	var out strings.Builder
	for i, name := range names {
		found := docs.Find(v, name)
		if len(found) == 0 {
			printed(out.String())
			fmt.Fprintf(os.Stderr, "omniexpect: usage: docs: nothing is called %q", name)
			if h := habit.Known(name); h != "" {
				fmt.Fprintf(os.Stderr, "\nhint: %s\n", h)
				return 2
			}
			if near := spell.Nearest(name, docs.Names(v)); near != "" {
				fmt.Fprintf(os.Stderr, " (did you mean %s?)", near)
			}
			fmt.Fprintf(os.Stderr, "\nhint: omniexpect docs lists all names, omniexpect docs --search WORD looks into the texts\n")
			return 2
		}
		for j, e := range found {
			if i+j > 0 {
				out.WriteString("\n")
			}
			out.WriteString(docs.Text(v, e))
		}
	}
	return printed(out.String())
}

func searchDocs(v *dsl.Vocabulary, words []string) int {
	found := docs.Search(v, words...)
	var out strings.Builder
	for _, e := range found {
		fmt.Fprintf(&out, "%-26s %s\n", e.Name, docs.Summary(e))
	}
	if len(found) == 0 {
		complain("omniexpect: docs: nothing mentions %s", strings.Join(words, " and "))
		return 1
	}
	return printed(out.String())
}

// writeDocs writes everything that is generated, below the current folder.
func writeDocs(v *dsl.Vocabulary) int {
	if _, err := os.Stat("docs/reference.md"); err != nil {
		return usageError("docs: --write: no docs/reference.md here: run it in the top folder of the source")
	}
	for _, f := range docs.Files(v) {
		err := os.MkdirAll(filepath.Dir(f.Path), 0o755)
		if err == nil {
			err = os.WriteFile(f.Path, []byte(f.Text), 0o644)
		}
		if err != nil {
			complain("omniexpect: env: docs: %v", err)
			return 3
		}
		fmt.Println(f.Path)
	}
	return 0
}

// documented describes the subcommands for completion and the manual page.
func documented() []docs.Command {
	flags := map[string][]docs.Flag{
		"run": {
			{Name: "-c", Doc: "run this code instead of a file"}, {Name: "-q", Doc: "say nothing but failures"},
			{Name: "-v", Doc: "show what sessions write, as it comes"}, {Name: "-d", Doc: "show every attempt to match"},
			{Name: "-timeout-scale", Doc: "multiply every timeout by this, for slow machines"},
			{Name: "-secret-env", Doc: "hide the value of this variable wherever it shows up"},
		},
		"repl": {
			{Name: "-timeout-scale", Doc: "multiply every timeout by this, for slow machines"},
			{Name: "-secret-env", Doc: "hide the value of this variable wherever it shows up"},
			{Name: "-no-history", Doc: "keep nothing of what is typed"},
		},
		"docs": {
			{Name: "--search", Doc: "list what mentions all of the words"}, {Name: "--write", Doc: "write the generated documentation"},
			{Name: "--completion", Doc: "print the completion script for bash, zsh or fish"}, {Name: "--man", Doc: "print the manual page"},
		},
		"check": {{Name: "--json", Doc: "print findings as JSON, for editors"}},
		"lsp":   {{Name: "--stdio", Doc: "talk over standard input and output, which it always does"}},
		"fmt": {
			{Name: "-w", Doc: "write the files"}, {Name: "-d", Doc: "show what would change"},
			{Name: "--check", Doc: "name files that are not formatted, and end with status 1"},
		},
	}
	var out []docs.Command
	for _, c := range commands() {
		out = append(out, docs.Command{Name: c.name, Args: c.args, Summary: c.summary, Flags: flags[c.name]})
	}
	return out
}
