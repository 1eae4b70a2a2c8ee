// Package newfile replaces files as a whole: a reader sees the old text or the new one, and an error leaves the old one.
package newfile

import (
	"io/fs"
	"os"
	"path/filepath"
)

// NoRoom is the error of a folder that takes no new file beside the one that is to be replaced.
type NoRoom struct{ Err error }

func (e *NoRoom) Error() string { return e.Err.Error() }
func (e *NoRoom) Unwrap() error { return e.Err }

// Write replaces a file, or makes it. A link to a file is replaced, not the file. finish, if any, gives the new file what it
// is to have besides its mode before it takes the old one's place.
func Write(name, text string, mode fs.FileMode, finish func(*os.File)) error {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return &NoRoom{err}
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Chmod(mode)
	}
	if finish != nil {
		finish(f)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
