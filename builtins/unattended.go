package builtins

import "go.starlark.net/starlark"

// unattended is the environment of a program that run or shell starts: nobody is there to press a key for a pager, and what
// it does is not part of the person's history. It replaces what is inherited, so that a script does the same on every
// machine; the script's own env= comes after it.
//
// An empty HISTFILE is not a file for every shell. Without that variable bash takes ~/.bash_history, and cuts it to 500 lines
// when nobody has told it of another length. No value is /dev/null but psql's, which knows it: libedit, as root, would
// change the permissions of that file.
func unattended(given *starlark.Dict) (*starlark.Dict, error) {
	env := starlark.NewDict(16)
	for _, v := range histories {
		env.SetKey(starlark.String(v[0]), starlark.String(v[1]))
	}
	asked, set := false, starlark.Value(nil)
	if given != nil {
		set, asked, _ = given.Get(starlark.String("PAGER"))
		asked = asked && set != starlark.None
	}
	for _, name := range pagers {
		if asked { // the one that it asks for is for all that have no other
			env.SetKey(starlark.String(name), starlark.None)
			continue
		}
		env.SetKey(starlark.String(name), starlark.String("cat"))
	}
	if given == nil {
		return env, nil
	}
	for _, kv := range given.Items() {
		if err := env.SetKey(kv[0], kv[1]); err != nil {
			return nil, err
		}
	}
	return env, nil
}

var (
	// histories say where programs keep what was typed.
	histories = [...][2]string{{"HISTFILE", ""}, {"LESSHISTFILE", "-"}, {"NODE_REPL_HISTORY", ""}, {"SQLITE_HISTORY", ""}, {"PSQL_HISTORY", "/dev/null"}}
	// pagers name what shows a long output page by page. A program takes its own before PAGER.
	pagers = [...]string{"PAGER", "GIT_PAGER", "MANPAGER", "SYSTEMD_PAGER", "PSQL_PAGER", "GH_PAGER", "AWS_PAGER", "BAT_PAGER", "DELTA_PAGER", "PERLDOC_PAGER", "APT_PAGER"}
)
