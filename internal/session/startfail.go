package session

import (
	"errors"
	"os"
	"strings"
	"syscall"

	"omniexpect/internal/fault"
)

// startError returns why a program that is there could not be started.
func startError(name, path string, err error) error {
	interpreter := interpreterOf(path)
	switch {
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return fault.New(fault.Env, "spawn %s: too many open files: close sessions, or raise `ulimit -n`", name)
	case errors.Is(err, syscall.EAGAIN):
		return fault.New(fault.Env, "spawn %s: too many processes: end some, or raise `ulimit -u`", name)
	case errors.Is(err, syscall.E2BIG):
		return fault.New(fault.Env, "spawn %s: arguments and environment are too long", name)
	case errors.Is(err, errTerminal):
		return fault.New(fault.Env, "spawn %s: %w; with pty=False it runs without one", name, err)
	case errors.Is(err, syscall.ENOEXEC) && interpreter == "":
		return fault.New(fault.Env, "spawn %s: not a program: it has no #! line and is not an executable of this system", path)
	case errors.Is(err, syscall.ENOENT) && strings.HasSuffix(interpreter, "\r"):
		return fault.New(fault.Env, "spawn %s: its interpreter %q (#! line) does not exist: the file has Windows line endings, want \\n", path, interpreter)
	case errors.Is(err, syscall.ENOENT) && interpreter != "":
		return fault.New(fault.Env, "spawn %s: its interpreter %q (#! line) does not exist", path, interpreter)
	case errors.Is(err, syscall.ENOENT):
		return fault.New(fault.Env, "spawn %s: its loader does not exist: is it built for another system?", path)
	case interpreter != "":
		return fault.New(fault.Env, "spawn %s: its interpreter %q (#! line): %w", path, interpreter, fault.Reason(err))
	}
	return fault.New(fault.Env, "spawn %s: %w", name, fault.Reason(err))
}

// errTerminal is that there is no terminal to run a program on.
var errTerminal = errors.New("no terminal available")

// interpreterOf returns the program that a script's first line names; "" if there is none.
func interpreterOf(path string) string {
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() { // a FIFO would keep us waiting
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	var head [256]byte // the kernel does not read more of the line either
	n, _ := f.Read(head[:])
	line, script := strings.CutPrefix(string(head[:n]), "#!")
	if !script {
		return ""
	}
	line, _, _ = strings.Cut(line, "\n")
	line = strings.TrimLeft(line, " \t")
	if i := strings.IndexAny(line, " \t"); i >= 0 {
		line = line[:i]
	}
	return line
}
