# Zsh. setup.go says how this text is typed; functions.sh follows it.

# Switches off what would get between: marks before the prompt, expansion of "!", job messages, a second prompt.
setopt prompt_subst no_prompt_cr no_prompt_sp no_bang_hist no_monitor no_notify;
RPS1=

# _od makes _op the prompt that there should be, as in bash.sh.
_od() {
	setopt prompt_subst no_prompt_cr no_prompt_sp;
	unset -f precmd || :;
	precmd_functions=();
	RPS1=;
	if builtin [ -t 3 ]; then
		_op='${_ot-}@half1@@half2@:$_oi:${_os:-%?}> ';
	else
		_op='$({ _oy; } 2>/dev/null)';
	fi;
}
