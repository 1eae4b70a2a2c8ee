package builtins

import (
	"os"
	"sort"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"omniexpect/internal/fault"
	"omniexpect/internal/proc"
	"omniexpect/internal/session"
)

// cleanEnv is what clean_env leaves.
var cleanEnv = []string{"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "TMPDIR", "SHELL", "TZ"}

// environ builds the whole environment of a program.
func (st *State) environ(cfg *session.Config, a spawnArgs) error {
	vars := map[string]string{}
	for _, e := range os.Environ() {
		if k, v, ok := strings.Cut(e, "="); ok && k != "" {
			vars[k] = v
		}
	}
	if a.CleanEnv {
		kept := map[string]string{}
		for _, k := range cleanEnv {
			if v, ok := vars[k]; ok {
				kept[k] = v
			}
		}
		vars = kept
	}
	delete(vars, "LINES")
	delete(vars, "COLUMNS")
	if a.StripEnv != nil {
		for i := range a.StripEnv.Len() {
			k, ok := starlark.AsString(a.StripEnv.Index(i))
			if !ok {
				return fault.New(fault.Usage, "spawn: strip_env: got %s, want names", a.StripEnv.Index(i).Type())
			}
			delete(vars, k)
		}
	}
	if vars["TERM"] == "" || vars["TERM"] == "dumb" && !a.CleanEnv {
		vars["TERM"] = "xterm-256color"
	}
	if err := st.setVars(vars, a.Env, cfg); err != nil {
		return err
	}
	if cfg.Rows == 0 {
		cfg.Rows = 24
	}
	if cfg.Cols == 0 {
		cfg.Cols = 80
	}
	vars[proc.MarkerEnv] = st.Marker
	for k, v := range vars {
		cfg.Env = append(cfg.Env, k+"="+v)
	}
	sort.Strings(cfg.Env)
	return nil
}

func (st *State) setVars(vars map[string]string, env *starlark.Dict, cfg *session.Config) error {
	if env == nil {
		return nil
	}
	for _, kv := range env.Items() {
		k, ok := starlark.AsString(kv[0])
		if !ok || k == "" || strings.ContainsAny(k, "=\x00") {
			return fault.New(fault.Usage, "spawn: env: %v is no name of a variable", kv[0])
		}
		if kv[1] == starlark.None {
			delete(vars, k)
			continue
		}
		v := st.Mask.Resolve(plain(kv[1]))
		if strings.Contains(v, "\x00") {
			return fault.New(fault.Usage, "spawn: env: the value of %s has a NUL in it", k)
		}
		vars[k] = v
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
