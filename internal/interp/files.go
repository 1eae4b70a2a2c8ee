package interp

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"omniexpect/internal/fault"
	"omniexpect/internal/spell"
)

// missing is the error of a script or module that cannot be read; one that is not there gets the nearest that is.
func missing(name string, err error) error {
	shown := name
	if name == "" {
		shown = `""`
	}
	near := ""
	if errors.Is(err, fs.ErrNotExist) {
		near = NearScript(name)
	}
	if near != "" {
		near = " (did you mean " + near + "?)"
	}
	kind := fault.Usage
	for _, e := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EIO, syscall.ESTALE} {
		if errors.Is(err, e) {
			kind = fault.Env // the name may be right
		}
	}
	return fault.New(kind, "%s: %w%s", shown, fault.Reason(err), near)
}

// NearScript returns the script that a name of none may stand for, or "".
func NearScript(name string) string {
	dir, base := filepath.Split(name)
	entries, err := os.ReadDir(filepath.Clean(dir))
	if err != nil || base == "" {
		return ""
	}
	var scripts []string
	for _, e := range entries {
		if !e.IsDir() && filepath.Ext(e.Name()) == ".star" {
			scripts = append(scripts, strings.TrimSuffix(e.Name(), ".star"))
		}
	}
	stem := strings.TrimSuffix(base, filepath.Ext(base))
	if slices.Contains(scripts, stem) { // it is the end of the name that is wrong
		return dir + stem + ".star"
	}
	if near := spell.Nearest(stem, scripts); near != "" {
		return dir + near + ".star"
	}
	return ""
}

// behindLink returns the module beside the file that a link to a script leads to, if it is there, or "": a link in a folder
// of PATH has no modules beside it.
func behindLink(from, label string) string {
	file, err := filepath.EvalSymlinks(from)
	if err != nil || file == filepath.Clean(from) {
		return ""
	}
	target := filepath.Join(filepath.Dir(file), label)
	if _, err := os.Stat(target); err != nil {
		return ""
	}
	return target
}

// maxScript is how long a script can be: what is longer is something else, and may have no end.
const maxScript = 64 << 20

// ReadText reads a script to its end.
func ReadText(r io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxScript+1))
	if err == nil && len(b) > maxScript {
		err = fmt.Errorf("more than %d MiB, which is too large for a script", maxScript>>20)
	}
	return b, err
}

// readFile reads a script's file.
func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadText(f)
}
