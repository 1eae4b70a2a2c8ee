package newfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	for _, text := range []string{"old", "new"} {
		finished := false
		if err := Write(name, text, 0o640, func(*os.File) { finished = true }); err != nil || !finished {
			t.Fatalf("%v, finished: %v", err, finished)
		}
		if got, err := os.ReadFile(name); string(got) != text {
			t.Errorf("the file has %q (%v), want %q", got, err, text)
		}
	}
	if st, err := os.Stat(name); err != nil || st.Mode().Perm() != 0o640 {
		t.Errorf("the file's mode is %v (%v)", st.Mode(), err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(dir, "folder"), "x", 0o600, nil); err == nil {
		t.Error("a folder was replaced")
	}
	var none *NoRoom
	if err := Write(filepath.Join(dir, "none", "a"), "x", 0o600, nil); !errors.As(err, &none) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a folder that there is not: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
