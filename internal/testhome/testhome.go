// Package testhome gives tests a home directory with a person's files in it, and finds out afterwards whether all of them
// are what they were: the programs that tests and examples start must not write there.
package testhome

import (
	"fmt"
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Tests are tests that run in a home of canaries, for what wants an *testing.M: goleak and testscript.
type Tests struct{ M interface{ Run() int } }

// Run runs them.
func (t Tests) Run() int { return Run(t.M.Run) }

// Run runs tests in a home of canaries. What it returns is their exit status, or 1 if a file was touched.
func Run(tests func() int) int {
	home, err := New()
	if err != nil {
		fmt.Fprintln(os.Stderr, "testhome:", err)
		return 1
	}
	defer os.RemoveAll(home.dir)
	code := tests()
	for _, touched := range home.Touched() {
		fmt.Fprintln(os.Stderr, "testhome: a program that the tests started", touched)
		code = max(code, 1)
	}
	return code
}

// Home is a home directory.
type Home struct {
	dir   string
	files map[string]string
}

// New makes a home and has the programs that are started from now on take it for theirs.
func New() (*Home, error) {
	for name, value := range goDirs() { // of the go command, which tests may run
		if os.Getenv(name) == "" && value != "" {
			os.Setenv(name, value)
		}
	}
	dir, err := os.MkdirTemp("", "home-")
	if err != nil {
		return nil, err
	}
	h := &Home{dir: dir, files: canaries()}
	for name, text := range h.files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"HISTFILE", "HISTFILESIZE", "HISTSIZE", "LESSHISTFILE", "PYTHON_HISTORY", "NODE_REPL_HISTORY",
		"SQLITE_HISTORY", "PSQL_HISTORY", "INPUTRC", "ZDOTDIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"} {
		os.Unsetenv(name)
	}
	return h, os.Setenv("HOME", dir)
}

// Touched describes each file that was changed, deleted or made since.
func (h *Home) Touched() (list []string) {
	left := map[string]bool{}
	filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(h.dir, path)
		if err != nil || d.IsDir() || strings.HasPrefix(name, filepath.Join(".config", "go")) { // the go command counts what it does
			return nil
		}
		left[name] = true
		was, known := h.files[name]
		if !known {
			list = append(list, "made ~/"+name)
		} else if now, _ := os.ReadFile(path); string(now) != was {
			list = append(list, fmt.Sprintf("changed ~/%s: %d lines, and %d before", name, strings.Count(string(now), "\n"), strings.Count(was, "\n")))
		}
		return nil
	})
	for name := range h.files {
		if !left[name] {
			list = append(list, "deleted ~/"+name)
		}
	}
	return list
}

// canaries are a person's files: the histories that programs write, longer than their factory settings keep.
func canaries() map[string]string {
	history := strings.Repeat("echo a command of some day\n", 5000)
	files := map[string]string{".bashrc": "HISTSIZE=100000\nHISTFILESIZE=100000\nshopt -s histappend\n"}
	for _, name := range []string{".bash_history", ".sh_history", ".zsh_history", ".ash_history", ".history", ".python_history",
		".sqlite_history", ".node_repl_history", ".psql_history", ".mysql_history", ".gdb_history", ".lesshst", ".viminfo"} {
		files[name] = history
	}
	return files
}

// goDirs returns where the go command keeps its files if HOME is what it was.
func goDirs() map[string]string {
	dirs := map[string]string{"GOPATH": build.Default.GOPATH}
	if cache, err := os.UserCacheDir(); err == nil {
		dirs["GOCACHE"] = filepath.Join(cache, "go-build")
	}
	if config, err := os.UserConfigDir(); err == nil {
		dirs["GOENV"] = filepath.Join(config, "go", "env")
	}
	return dirs
}
