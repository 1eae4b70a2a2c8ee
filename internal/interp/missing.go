package interp

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"omniexpect/internal/fault"
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
	return fault.New(fault.Usage, "%s: %w%s", shown, fault.Reason(err), near)
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
	if near := Nearest(stem, scripts); near != "" {
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
