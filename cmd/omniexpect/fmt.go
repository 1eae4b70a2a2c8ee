package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/rogpeppe/go-internal/diff"

	"omniexpect/internal/check"
	"omniexpect/internal/fault"
	"omniexpect/internal/format"
	"omniexpect/internal/newfile"
	"omniexpect/internal/vt"
)

// fmtFlags say what is done with what is not formatted.
type fmtFlags struct{ diff, write, check bool }

// fmtCommand formats scripts.
func fmtCommand(args []string) int {
	var f fmtFlags
	set := newFlags("fmt")
	set.BoolVar(&f.diff, "d", false, "show what would change")
	set.BoolVar(&f.write, "w", false, "write the files")
	set.BoolVar(&f.check, "check", false, "name files that are not formatted, and end with status 1 if there are any")
	if code := parsed(set, args, "usage: omniexpect fmt [-d] [-w] [--check] [FILE…]\n\nPrints the formatted scripts; without files it formats standard input.\nA byte order mark is dropped. Flags:\n"); code >= 0 {
		return code
	}
	if set.NArg() == 0 && f.write {
		return usageError("fmt: -w: no files to write: give some")
	}
	names := set.Args()
	if f.write && slices.Contains(names, "-") {
		return usageError("fmt: -w: standard input is not a file that can be written: leave -w out")
	}
	if len(names) == 0 {
		names = []string{"-"}
	}
	worst := 0
	for _, name := range names {
		worst = max(worst, f.file(name))
	}
	return worst
}

// file formats one file and returns the exit status for it.
func (f fmtFlags) file(name string) int {
	text, err := scriptText(name)
	var out string
	if err == nil {
		out, err = format.Source(name, text)
	}
	if err != nil {
		if found, ok := check.FromError(err); ok {
			complain("%s", found[0])
		} else {
			complain("omniexpect: %s: %v", fault.KindOf(err), err)
		}
		return fault.KindOf(err).ExitCode()
	}
	same, show := out == text, ""
	if f.diff {
		show = string(diff.Diff(name, []byte(text), name+" formatted", []byte(out)))
	}
	if f.check && !same {
		show += vt.Visible(name) + "\n"
	}
	if !f.diff && !f.write && !f.check {
		show = out
	}
	if code := printed(show); code != 0 {
		return code
	}
	if f.write && !same {
		if err := replace(name, text, out); err != nil {
			complain("omniexpect: env: fmt: %s is as it was: %v", name, fault.Reason(err))
			return 3
		}
	}
	if f.check && !same {
		return 1
	}
	return 0
}

// replace writes a file anew, with the mode it has. A script is never left half written: the new text is put beside it
// first, or where the folder does not allow that, the old one is put back.
func replace(name, old, text string) error {
	name, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	st, err := os.Stat(name)
	if err != nil {
		return err
	}
	err = newfile.Write(name, text, st.Mode().Perm(), func(f *os.File) {
		if own, ok := st.Sys().(*syscall.Stat_t); ok {
			f.Chown(int(own.Uid), int(own.Gid)) // only root can, and only root has to
		}
	})
	var none *newfile.NoRoom
	if errors.As(err, &none) {
		if err = os.WriteFile(name, []byte(text), 0o666); err != nil {
			os.WriteFile(name, []byte(old), 0o666)
		}
	}
	return err
}
