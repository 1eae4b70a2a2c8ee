# Bash. setup.go says how this text is typed; functions.sh follows it.

# Switches off what would get between: commands before the prompt, mail, history, expansion of "!", job messages.
unset PROMPT_COMMAND PS0 MAIL MAILPATH;
set +o history;
set +H;
set +m

# _od makes _op the prompt that there should be.
#
# It also runs an empty command: where a quote of a command was not closed, bash would show the prompt before the last one
# again, and take the next line for the rest of something else.
#
# Bash writes its prompt to standard error, which is the descriptor 3 here. If that is not the terminal, the prompt shows
# nothing, and has _oy show it. The prompt begins with what ends a string of the terminal's, a title for example, that the
# output has left unfinished: terminals, and the text view, would take the prompt for a part of that.
_od() {
	eval '';
	unset PROMPT_COMMAND PS0 || :;
	shopt -s promptvars;
	if builtin [ -t 3 ]; then
		_op='${_ot-}@half1@@half2@:$_oi:${_os:-$?}> ';
	else
		_op='$({ _oy; } 2>/dev/null)';
	fi;
}
