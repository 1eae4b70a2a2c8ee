package docs

import (
	"fmt"
	"strings"

	"omniexpect/internal/dsl"
)

// Command is a subcommand as completion and the manual page show it.
type Command struct {
	Name    string
	Args    string
	Summary string
	Flags   []Flag
}

// Flag is a flag of a subcommand; Name has its dashes.
type Flag struct{ Name, Doc string }

// Completion returns the script that completes our command line in a shell: bash, zsh or fish.
func Completion(shell string, commands []Command, v *dsl.Vocabulary) (string, error) {
	switch shell {
	case "bash":
		return bash(commands, v), nil
	case "zsh":
		return zsh(commands, v), nil
	case "fish":
		return fish(commands, v), nil
	}
	return "", fmt.Errorf("completion for %q: want bash, zsh or fish", shell)
}

func flagNames(c Command) string {
	var names []string
	for _, f := range c.Flags {
		names = append(names, f.Name)
	}
	return strings.Join(names, " ")
}

func commandNames(commands []Command) string {
	var names []string
	for _, c := range commands {
		names = append(names, c.Name)
	}
	return strings.Join(names, " ")
}

func bash(commands []Command, v *dsl.Vocabulary) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# bash completion: source <(omniexpect completion bash)
_omniexpect() {
    local word=${COMP_WORDS[COMP_CWORD]} flags= names=
    if [ "$COMP_CWORD" -eq 1 ]; then names="%s"; fi
    case ${COMP_WORDS[1]} in
`, commandNames(commands))
	for _, c := range commands {
		fmt.Fprintf(&b, "    %s) flags=\"%s\"", c.Name, flagNames(c))
		if c.Name == "docs" {
			fmt.Fprintf(&b, "; names=\"%s\"", strings.Join(Names(v), " "))
		}
		if c.Name == "completion" {
			b.WriteString("; names=\"bash zsh fish\"")
		}
		b.WriteString(" ;;\n")
	}
	b.WriteString(`    esac
    [ "$COMP_CWORD" -eq 1 ] && flags=
    case $word in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;;
    *) COMPREPLY=($(compgen -W "$names" -- "$word") $(compgen -d -S / -- "$word") $(compgen -f -X '!*.star' -- "$word")) ;;
    esac
    case $COMPREPLY in
    */) compopt -o nospace 2>/dev/null ;;
    esac
}
complete -F _omniexpect omniexpect
`)
	return b.String()
}

// quote puts a text into single quotes, as all three shells and zsh's descriptions take it.
func quote(s string) string {
	s = strings.NewReplacer("'", "", "[", "(", "]", ")", ":", ",").Replace(s)
	return "'" + s + "'"
}

func zsh(commands []Command, v *dsl.Vocabulary) string {
	var b strings.Builder
	b.WriteString("#compdef omniexpect\n# zsh completion: omniexpect completion zsh > a folder of $fpath/_omniexpect\n_omniexpect() {\n  local -a commands flags\n  commands=(\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "    '%s:%s'\n", c.Name, strings.Trim(quote(c.Summary), "'"))
	}
	b.WriteString("  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    _files -g '*.star'\n    return\n  fi\n  case $words[2] in\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "  %s)\n", c.Name)
		if len(c.Flags) > 0 {
			b.WriteString("    flags=(\n")
			for _, f := range c.Flags {
				fmt.Fprintf(&b, "      '%s:%s'\n", f.Name, strings.Trim(quote(f.Doc), "'"))
			}
			b.WriteString("    )\n    [[ $words[CURRENT] == -* ]] && _describe flag flags\n")
		}
		if c.Name == "docs" {
			fmt.Fprintf(&b, "    compadd -- %s\n", strings.Join(Names(v), " "))
		} else {
			b.WriteString("    _files -g '*.star'\n")
		}
		b.WriteString("    ;;\n")
	}
	b.WriteString("  esac\n}\ncompdef _omniexpect omniexpect\n")
	return b.String()
}

func fish(commands []Command, v *dsl.Vocabulary) string {
	var b strings.Builder
	b.WriteString("# fish completion: omniexpect completion fish | source\ncomplete -c omniexpect -f\n")
	b.WriteString("complete -c omniexpect -k -a '(__fish_complete_suffix .star)'\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "complete -c omniexpect -n __fish_use_subcommand -a %s -d %s\n", c.Name, quote(c.Summary))
		for _, f := range c.Flags {
			kind, name := "-l", strings.TrimPrefix(f.Name, "--")
			if !strings.HasPrefix(f.Name, "--") {
				kind, name = "-o", strings.TrimPrefix(f.Name, "-")
			}
			fmt.Fprintf(&b, "complete -c omniexpect -n '__fish_seen_subcommand_from %s' %s %s -d %s\n", c.Name, kind, name, quote(f.Doc))
		}
	}
	fmt.Fprintf(&b, "complete -c omniexpect -n '__fish_seen_subcommand_from docs' -a '%s'\n", strings.Join(Names(v), " "))
	return b.String()
}

// Man returns the manual page, in the language of man(7).
func Man(commands []Command, v *dsl.Vocabulary) string {
	var b strings.Builder
	b.WriteString(".TH OMNIEXPECT 1\n.SH NAME\nomniexpect \\- drive terminal programs and HTTP services from Starlark scripts\n.SH SYNOPSIS\n")
	for _, c := range commands {
		fmt.Fprintf(&b, ".B omniexpect %s\n%s\n.br\n", c.Name, roff(c.Args))
	}
	b.WriteString(".SH COMMANDS\n")
	for _, c := range commands {
		fmt.Fprintf(&b, ".SS %s\n%s\n", roff(c.Name), roff(c.Summary))
		for _, f := range c.Flags {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(f.Name), roff(f.Doc))
		}
	}
	b.WriteString(`.SH EXIT STATUS
.TP
.B 0
passed, or skipped
.TP
.B 1
a wait, a status, an assertion or fail() failed
.TP
.B 2
the command line or the script is wrong
.TP
.B 3
the environment: program not found, connection refused, no terminal
.TP
.B 130, 143
interrupted by Ctrl-C, ended by SIGTERM
.SH BUILTINS
`)
	for _, g := range groups(v) {
		fmt.Fprintf(&b, ".SS %s\n", roff(g.name))
		for _, f := range g.funcs {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(f.Signature()), roff(f.Summary()))
		}
	}
	return b.String()
}

func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}
