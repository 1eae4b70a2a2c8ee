# Shells that are no more than POSIX asks for: sh, dash, ash, ksh, mksh. setup.go says how this text is typed; functions.sh
# follows it.

# Switches off what would get between: job messages, mail, editors of lines.
unset MAIL MAILPATH;
set +m;
for _op in emacs gmacs vi multiline viraw; do
	(set +o $_op) 2>/dev/null && set +o $_op;
done

# _od makes _op the prompt that there should be. These shells drop the rest of a line at many an error, so _od may not have
# run when standard error goes elsewhere: the prompt shows nothing, and has _oy show it on the terminal.
_od() { _op='$({ _oy; } 2>/dev/null)'; }
