package builtins

import (
	"fmt"
	"regexp"
	"strings"
)

// posixInit switches off what would get between: job messages, mail, editors of lines, in bash also history, expansion of "!", and
// commands before the prompt. Shells that are no more than POSIX asks for drop the rest of a line at many an error, so the
// prompt finds the terminal by itself.
func posixInit(half1, half2 string) string {
	return "unset MAIL MAILPATH; set +m; for _op in emacs gmacs vi multiline viraw; do (set +o $_op) 2>/dev/null && set +o $_op; done" + functions(half1, half2, "command", "", "_op='"+promptAnywhere+"'; ")
}

// bashInit also has an empty command run after each: where a quote of a command was not closed, bash would show the prompt
// before the last one again, and take the next line for the rest of something else.
func bashInit(half1, half2 string) string {
	return "unset PROMPT_COMMAND PS0 MAIL MAILPATH; set +o history; set +H; set +m" +
		functions(half1, half2, "builtin", "eval ''; unset PROMPT_COMMAND PS0 || :; shopt -s promptvars; ",
			promptFor(half1, half2, "$?"))
}

func zshInit(half1, half2 string) string {
	return "setopt prompt_subst no_prompt_cr no_prompt_sp no_bang_hist no_monitor no_notify; RPS1=" +
		functions(half1, half2, "builtin", "setopt prompt_subst no_prompt_cr no_prompt_sp; unset -f precmd || :; precmd_functions=(); RPS1=; ",
			promptFor(half1, half2, "%?"))
}

// promptFor chooses the prompt by where standard error goes, which is the descriptor 3 then.
func promptFor(half1, half2, status string) string {
	return "if builtin [ -t 3 ]; then _op='" + promptText(half1, half2, status) + "'; else _op='" + promptAnywhere + "'; fi; "
}

// promptText is the prompt as a shell's variable. It begins with what ends a string of the terminal's, a title for example,
// that the output has left unfinished: terminals, and the text view, would take the prompt for a part of that.
func promptText(half1, half2, status string) string {
	return "${_ot-}" + half1 + half2 + ":$_oi:${_os:-" + status + "}> "
}

// promptAnywhere is a prompt that shows nothing and has _oy show it, for shells that write their prompt to a standard error
// that goes elsewhere.
const promptAnywhere = "$({ _oy; } 2>/dev/null)"

// functions defines what precedes and what follows each command. _ox prints the number, _oz makes the prompt what it was,
// which a command may have changed, as those do that activate an environment, and _ow gives the status back. Where a command
// has made the prompt read-only, _oz prints it itself: assigning to it would end the rest of the line, so a subshell tries
// first. None writes anything else where the shell traces its commands, or runs what the script has named like a command of
// the shell's own. The status is the one that was noted, or else the shell's: errors end the line before it can be noted.
// With errexit the command notes it itself, or the shell would end with a command that may fail, as "! true" may. _or says
// that nothing can be redirected any more.
func functions(half1, half2, own, reset, prompt string) string {
	return fmt.Sprintf("\n"+`_ot=$(%[3]s printf '\033\\'); _or() { %[3]s printf '\n%%s%%s!\n' %[1]s %[2]s; }`+"\n"+
		`_ox() { _oi=$1 _os= _oe=; case $- in *e*) _oe='`+"\n"+noteStatus+`';; esac; `+
		`%[3]s printf '\033\\%%s%%s<%%s>\n' %[1]s %[2]s "$1" >/dev/tty || _or; return "$2"; }`+"\n"+
		`_oy() { _oq=$?; %[3]s printf '\033\\%%s%%s:%%s:%%s> ' %[1]s %[2]s "$_oi" "${_os:-$_oq}" >/dev/tty; return "$_oq"; }`+"\n"+
		`_oz() { %[4]scase "${PS2-x}" in '') ;; *) (PS2=) 2>/dev/null && PS2=;; esac; %[5]s`+
		`case "${PS1-}" in "$_op") ;; *) if (PS1=) 2>/dev/null; then PS1=$_op; else _oy; fi;; esac; return 0; }`+"\n"+
		`_oc() { _oq=$?; %[3]s printf "\\$1"; return "$_oq"; }`+"\n"+
		`_ow() { return "$_os"; }; _ox 0 0; _os=0; _oz 3>&2`,
		half1, half2, own, reset, prompt)
}

// noteStatus has a command note its status. No trace and no trap of the shell's shows it.
const noteStatus = "{ _os=$?; } >/dev/null 2>&1"

// pieceLength is the longest piece of a command that goes into one line: terminals take lines of 1,024 bytes at least.
// A piece may be longer if it is a secret.
const (
	pieceLength = 400
	pieceMost   = 900
)

// posixLine quotes a command for eval, so that it is read as a whole before any of it runs: broken off commands, several
// lines and syntax errors all come back to the prompt. Long lines are continued. The line begins with a blank, because bash
// loses the first byte that it reads after a Ctrl-C at its prompt.
func posixLine(id int, text string, pieces piecer, spell bool) string {
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
	case setsErrexit(text):
		b.WriteString("'\n" + noteStatus + "'")
	default:
		b.WriteString(`"$_oe"`)
	}
	return b.String() + "; { _os=${_os:-$?}; } >/dev/null 2>&1; { _oz; } 3>&2 >/dev/null 2>&1 || { _oz; } 3>/dev/null >/dev/null 2>&1 || _or; " +
		"{ _ow && :; } >/dev/null 2>&1"
}

// controls are the characters that a terminal may take for keys.
func controls() *regexp.Regexp { return regexp.MustCompile(`[\x01-\x09\x0b-\x1f\x7f]`) }

// setsErrexit says whether a command may have the shell end with the next one that fails.
func setsErrexit(text string) bool { return errexit().MatchString(text) }

func errexit() *regexp.Regexp { return regexp.MustCompile(`\bset\s+(?:-\S+\s+)*-\w*e|\berrexit\b`) }

// open says whether a line after a command might become a part of it.
func open(text string) bool {
	text = strings.TrimRight(text, " \t\n")
	last := text[strings.LastIndexByte(text, '\n')+1:]
	if text == "" || strings.HasPrefix(strings.TrimLeft(last, " \t"), "#") || strings.ContainsRune("\\|&)", rune(text[len(text)-1])) {
		return true
	}
	return strings.Contains(text, "<<") || regexp.MustCompile(`(?:^|[\s;])(?:for|select|function)\s[^\n;]*$`).MatchString(text)
}
