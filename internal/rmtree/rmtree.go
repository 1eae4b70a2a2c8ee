// Package rmtree removes a tree of files whatever is in it, and names what it could not remove.
package rmtree

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Remove removes a tree of ours; its error names what is left of it: it goes on after what cannot be removed.
//
// A folder that its owner may not write to is made writable. Folders are moved up before they are emptied, so that a deep
// tree takes no more descriptors than a flat one, and so that nothing below a mount is touched: the kernel does not move one.
// No link is followed.
func Remove(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !info.IsDir():
		return os.Remove(dir)
	case err == nil && info.Mode()&0o700 != 0o700:
		err = chmodOwn(dir, info)
	}
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	r := remover{root: root, was: map[string]string{}}
	for range 4 { // a program that is ending may still write
		r.left, r.more, r.queued = nil, 0, map[string]bool{}
		r.empty(".")
		for len(r.waiting) > 0 {
			next := r.waiting[len(r.waiting)-1]
			r.waiting = r.waiting[:len(r.waiting)-1]
			r.empty(next)
			if err := root.Remove(next); err != nil && !errors.Is(err, fs.ErrNotExist) {
				r.fail(next, err)
			}
		}
		if err = os.Remove(dir); err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	if len(r.left) == 0 {
		return err
	}
	return &leftover{dir, r.left, r.more}
}

// chmodOwn lets the owner of a folder into it, by way of the folder around it, so that no link is followed.
func chmodOwn(dir string, info fs.FileInfo) error {
	around, err := os.OpenRoot(filepath.Dir(dir))
	if err != nil {
		return err
	}
	defer around.Close()
	return around.Chmod(filepath.Base(dir), info.Mode().Perm()|0o700)
}

// leftover describes what could not be removed of a tree.
type leftover struct {
	dir  string
	left []string
	more int
}

// Error names some of it.
func (l *leftover) Error() string {
	text := l.dir + ": " + strings.Join(l.left, ", ")
	if l.more > 0 {
		text += fmt.Sprintf(" and %d more", l.more)
	}
	return text
}

// maxLeft is how many names of what is left a message has.
const maxLeft = 4

// remover empties one tree.
type remover struct {
	root    *os.Root
	number  int
	was     map[string]string // of folders that were moved up, where they were
	waiting []string          // those that are still to be emptied
	queued  map[string]bool   // those that are or were waiting, this time
	left    []string
	more    int
}

// fail notes what is left, and why.
func (r *remover) fail(name string, err error) {
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		err = pe.Err
	case errors.As(err, &le):
		err = le.Err
	}
	if errors.Is(err, syscall.ENOTEMPTY) && len(r.left) > 0 {
		return // what is inside is named
	}
	if len(r.left) == maxLeft {
		r.more++
		return
	}
	top, rest, _ := strings.Cut(name, string(filepath.Separator))
	text := name
	if was := r.was[top]; was != "" {
		text = fmt.Sprintf("%s (it was %s)", name, filepath.Join(was, rest))
	}
	r.left = append(r.left, fmt.Sprintf("%s: %v", text, err))
}

// empty removes the files of a folder, and moves the folders in it up.
func (r *remover) empty(name string) {
	if info, err := r.root.Lstat(name); err == nil && info.Mode()&0o700 != 0o700 {
		r.root.Chmod(name, info.Mode().Perm()|0o700) // if not, the next step says so
	}
	f, err := r.root.Open(name)
	if err != nil {
		r.fail(name, err)
		return
	}
	defer f.Close()
	for {
		entries, err := f.ReadDir(256)
		for _, e := range entries {
			inside := filepath.Join(name, e.Name())
			switch {
			case !e.IsDir():
				if err := r.root.Remove(inside); err != nil && !errors.Is(err, fs.ErrNotExist) {
					r.fail(inside, err)
				}
			case name == "." && r.was[e.Name()] != "":
				r.wait(e.Name())
			default:
				r.moveUp(inside)
			}
		}
		if err != nil {
			if err != io.EOF {
				r.fail(name, err)
			}
			return
		}
	}
}

// moveUp makes a folder inside of another one wait for its turn, unless it is empty.
func (r *remover) moveUp(name string) {
	if r.root.Remove(name) == nil {
		return
	}
	if info, err := r.root.Lstat(name); err == nil && info.IsDir() && info.Mode()&0o700 != 0o700 {
		r.root.Chmod(name, info.Mode().Perm()|0o700)
	}
	for {
		r.number++
		up := fmt.Sprintf(".removed-%d", r.number)
		if _, err := r.root.Lstat(up); err == nil {
			continue
		}
		was := filepath.Dir(name)
		if err := r.root.Rename(name, up); err != nil {
			r.fail(name, err)
			return
		}
		top, rest, _ := strings.Cut(was, string(filepath.Separator))
		if before := r.was[top]; before != "" {
			was = filepath.Join(before, rest)
		}
		r.was[up] = filepath.Join(was, filepath.Base(name))
		r.wait(up)
		return
	}
}

// wait makes a folder that was moved up wait, if it does not already.
func (r *remover) wait(name string) {
	if !r.queued[name] {
		r.queued[name] = true
		r.waiting = append(r.waiting, name)
	}
}
