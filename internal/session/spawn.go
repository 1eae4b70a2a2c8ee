package session

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"omniexpect/internal/fault"
	"omniexpect/internal/proc"
	"omniexpect/internal/rawio"
)

// lookup finds the program as the child would: a name with a slash is relative to the child's directory, another one is
// looked up in the PATH that the child gets.
func lookup(c Config) (string, error) {
	if c.Dir != "" {
		switch st, err := os.Stat(c.Dir); {
		case strings.ContainsRune(c.Dir, 0):
			return "", fault.New(fault.Usage, "spawn %s: cwd %q: it contains NUL, which no path can have", c.Argv[0], c.Dir)
		case err != nil:
			return "", fault.New(fault.Env, "spawn %s: cwd %q: %w", c.Argv[0], c.Dir, fault.Reason(err))
		case !st.IsDir():
			return "", fault.New(fault.Env, "spawn %s: cwd %q: not a directory", c.Argv[0], c.Dir)
		}
	}
	name := c.Argv[0]
	if strings.Contains(name, "/") {
		at := name
		if !filepath.IsAbs(name) && c.Dir != "" {
			at = filepath.Join(c.Dir, name)
		}
		if err := executable(at); err != nil {
			return "", fault.New(fault.Env, "spawn %s: %w", name, err)
		}
		return filepath.Abs(at)
	}
	path, named := searchPath(c.Env)
	var why error
	for _, dir := range filepath.SplitList(path) {
		if dir == "" {
			dir = "."
		}
		if !filepath.IsAbs(dir) && c.Dir != "" {
			dir = filepath.Join(c.Dir, dir)
		}
		at := filepath.Join(dir, name)
		err := executable(at)
		if err == nil {
			return filepath.Abs(at)
		}
		if !os.IsNotExist(err) && why == nil {
			why = fmt.Errorf("%s: %w", at, err)
		}
	}
	if why != nil {
		return "", fault.New(fault.Env, "spawn %s: %w", name, why)
	}
	return "", fault.New(fault.Env, "spawn %s: program not found in %s", name, named)
}

func executable(path string) error {
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return fault.Reason(err)
	case st.IsDir():
		return fmt.Errorf("is a directory, not a program")
	case unix.Access(path, unix.X_OK) != nil:
		return fmt.Errorf("not executable: it lacks the x permission")
	}
	return nil
}

// defaultPath is where programs are looked up without a PATH, as the C library and the shells do.
const defaultPath = "/usr/bin:/bin"

// searchPath returns the PATH of an environment, and what a message calls it.
func searchPath(env []string) (path, named string) {
	path, named = defaultPath, defaultPath+", as PATH is not set"
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, "PATH="); ok {
			path, named = v, "PATH ("+v+")"
		}
	}
	if path == "" {
		named = "PATH, which is empty"
	}
	return path, named
}

// startPTY runs the program on a new terminal that has its size and modes before the program starts.
func (p *program) startPTY(cmd *exec.Cmd, c Config) error {
	master, tty, err := pty.Open()
	if err != nil {
		return fmt.Errorf("%w: %w", errTerminal, err)
	}
	defer tty.Close()
	p.tty = tty.Name()
	if err := pty.Setsize(tty, &pty.Winsize{Rows: uint16(c.Rows), Cols: uint16(c.Cols)}); err != nil {
		master.Close()
		return err
	}
	if err := setModes(tty, c.NoEcho, c.Raw); err != nil {
		master.Close()
		return err
	}
	p.File, err = rawio.Take(master)
	if err != nil {
		return err
	}
	p.in = p.File
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	return p.run(cmd)
}

// startPipes runs the program without a terminal.
func (p *program) startPipes(cmd *exec.Cmd) error {
	var ends [3]*os.File // the program's
	defer func() {
		for _, f := range ends {
			f.Close() // which is an error of no consequence where there is none
		}
	}()
	for i, ours := range []**rawio.File{&p.in, &p.File, &p.err} {
		theirs, other, err := os.Pipe()
		if err != nil {
			return err
		}
		if i > 0 { // we read what it writes
			theirs, other = other, theirs
			p.pipes = append(p.pipes, proc.PipeName(other))
		}
		ends[i] = theirs
		if *ours, err = rawio.Take(other); err != nil {
			return err
		}
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = ends[0], ends[1], ends[2]
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return p.run(cmd)
}
