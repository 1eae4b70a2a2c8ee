package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/term"

	"omniexpect/internal/interp"
	"omniexpect/internal/lsp"
	"omniexpect/internal/run"
)

// lspCommand serves an editor.
func lspCommand(args []string) int {
	set := newFlags("lsp")
	set.Bool("stdio", false, "talk over standard input and output, which it always does")
	if code := parsed(set, args, "usage: omniexpect lsp\n\nAn editor starts this command and talks to it over standard input and output, in the Language Server Protocol. Flags:\n"); code >= 0 {
		return code
	}
	switch {
	case set.NArg() > 0:
		return usageError("lsp: got the argument %q, want none: an editor says what it has open", set.Arg(0))
	case term.IsTerminal(int(os.Stdin.Fd())):
		return usageError("lsp: standard input is a terminal: an editor starts this command and talks to it over pipes")
	}
	cache, err := os.UserCacheDir()
	if err == nil {
		cache = filepath.Join(cache, "omniexpect", "modules")
	} else {
		cache = ""
	}
	in, restore := pollable(os.Stdin)
	defer restore()
	v := vocabulary()
	return lsp.Serve(context.Background(), in, os.Stdout, lsp.Config{
		Vocabulary: v,
		Values:     interp.Predeclare(v),
		Embedded:   run.Embedded(),
		Version:    version(),
		Cache:      cache,
		Log:        os.Stderr,
	})
}

// pollable returns a pipe or socket in a form in which closing it ends a read that waits. restore has to be called in the
// end, since others may have the same pipe.
func pollable(f *os.File) (g *os.File, restore func()) {
	fd := int(f.Fd())
	st, err := f.Stat()
	if err != nil || st.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) == 0 {
		return f, func() {}
	}
	other, err := syscall.Dup(fd)
	if err != nil {
		return f, func() {}
	}
	if err := syscall.SetNonblock(other, true); err != nil {
		syscall.Close(other)
		return f, func() {}
	}
	return os.NewFile(uintptr(other), f.Name()), func() { syscall.SetNonblock(fd, false) }
}
