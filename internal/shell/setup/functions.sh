# What precedes and what follows each command, in every POSIX shell. None of it writes anything else where the shell traces
# its commands, or runs what the script has named like a command of the shell's own: @own@ is "command" or "builtin".
#
# _oi is the number of the command, _os its status once that was noted, _op the prompt, _ot the end of a terminal's string.
# _oe is what a command is followed by. The status is the one that was noted, or else the shell's: errors end the line
# before it can be noted. With errexit the command notes it itself, or the shell would end with a command that may fail, as
# "! true" may.

# _or reports that nothing can be redirected any more.
_ot=$(@own@ printf '\033\\');
_or() { @own@ printf '\n%s%s!\n' @half1@ @half2@; }

# _ox comes before a command. It takes the command's number and the status that the shell had, and prints the number.
_ox() {
	_oi=$1 _os= _oe=;
	case $- in
	*e*) _oe='@note@';;
	esac;
	@own@ printf '\033\\%s%s<%s>\n' @half1@ @half2@ "$1" >/dev/tty || _or;
	return "$2";
}

# _oy shows the prompt on the terminal.
_oy() {
	_oq=$?;
	@own@ printf '\033\\%s%s:%s:%s> ' @half1@ @half2@ "$_oi" "${_os:-$_oq}" >/dev/tty;
	return "$_oq";
}

# _oz makes the prompt what it was, which a command may have changed, as those do that activate an environment. Where a
# command has made the prompt read-only, _oz shows it itself: assigning to it would end the rest of the line, so a subshell
# tries first.
_oz() {
	_od;
	case "${PS2-x}" in
	'') ;;
	*) (PS2=) 2>/dev/null && PS2=;;
	esac;
	case "${PS1-}" in
	"$_op") ;;
	*) if (PS1=) 2>/dev/null; then PS1=$_op; else _oy; fi;;
	esac;
	return 0;
}

# _oc prints a control character by its number in octal.
_oc() { _oq=$?; @own@ printf "\\$1"; return "$_oq"; }

# _ow gives the status back.
_ow() { return "$_os"; };
_ox 0 0;
_os=0;
_oz 3>&2
