package builtins

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"omniexpect/internal/fault"
	"omniexpect/internal/proc"
	"omniexpect/internal/session"
)

// cleanEnv is what clean_env leaves.
var cleanEnv = []string{"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "TMPDIR", "SHELL", "TZ"}

// variables is an environment in the form in which programs get it: name=value, each name once.
type variables []string

// inherited returns our own environment.
func inherited() variables {
	own := os.Environ()
	vars := make(variables, 0, len(own)+4)
	for _, e := range own {
		if strings.Index(e, "=") > 0 {
			vars = append(vars, e)
		}
	}
	return vars
}

func (v variables) index(name string) int {
	return slices.IndexFunc(v, func(e string) bool {
		return len(e) > len(name) && e[len(name)] == '=' && e[:len(name)] == name
	})
}

func (v variables) get(name string) string {
	if i := v.index(name); i >= 0 {
		return v[i][len(name)+1:]
	}
	return ""
}

func (v *variables) set(name, value string) {
	if i := v.index(name); i >= 0 {
		(*v)[i] = name + "=" + value
		return
	}
	*v = append(*v, name+"="+value)
}

// drop removes the variables with the names that match.
func (v *variables) drop(match func(name string) bool) {
	*v = slices.DeleteFunc(*v, func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return match(name)
	})
}

// environ builds the whole environment of a program.
func (st *State) environ(who string, cfg *session.Config, a spawnArgs) error {
	vars := inherited()
	if a.CleanEnv {
		vars.drop(func(name string) bool { return !slices.Contains(cleanEnv, name) })
	}
	gone := []string{"LINES", "COLUMNS"}
	if a.StripEnv != nil {
		for v := range a.StripEnv.Elements() {
			k, ok := starlark.AsString(v)
			if !ok {
				return fault.New(fault.Usage, "%s: strip_env: got %s, want names", who, v.Type())
			}
			gone = append(gone, k)
		}
	}
	vars.drop(func(name string) bool { return slices.Contains(gone, name) })
	if term := vars.get("TERM"); term == "" || term == "dumb" && !a.CleanEnv {
		vars.set("TERM", "xterm-256color")
	}
	if err := st.setVars(who, &vars, a.Env, cfg); err != nil {
		return err
	}
	if cfg.Rows == 0 {
		cfg.Rows = 24
	}
	if cfg.Cols == 0 {
		cfg.Cols = 80
	}
	// The run's marker finds what is left of it. The session's own marker limits kill="all" to this session.
	st.spawned++
	cfg.Marker = fmt.Sprintf("%s.%d", st.Marker, st.spawned)
	marks := proc.AddMarker(os.Getenv(proc.MarkerEnv), st.Marker)
	if st.scope.marker != "" {
		marks = proc.AddMarker(marks, st.scope.marker)
	}
	vars.set(proc.MarkerEnv, proc.AddMarker(marks, cfg.Marker))
	cfg.Env = vars
	return nil
}

func (st *State) setVars(who string, vars *variables, env *starlark.Dict, cfg *session.Config) error {
	if env == nil {
		return nil
	}
	for _, kv := range env.Items() {
		k, ok := starlark.AsString(kv[0])
		if !ok || k == "" || strings.ContainsAny(k, "=\x00") {
			return fault.New(fault.Usage, "%s: env: %v is not a variable name", who, kv[0])
		}
		if kv[1] == starlark.None {
			vars.drop(func(name string) bool { return name == k })
			continue
		}
		v := st.Mask.Resolve(plain(kv[1]))
		if strings.Contains(v, "\x00") {
			return fault.New(fault.Usage, "%s: env: the value of %s contains NUL", who, k)
		}
		vars.set(k, v)
		if n, err := strconv.Atoi(v); err == nil && n > 0 && n <= 65535 {
			if k == "LINES" && cfg.Rows == 0 {
				cfg.Rows = n
			}
			if k == "COLUMNS" && cfg.Cols == 0 {
				cfg.Cols = n
			}
		}
	}
	return nil
}
