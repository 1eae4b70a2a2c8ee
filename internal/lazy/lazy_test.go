package lazy_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestOneWay looks for fixed expressions that are compiled in another way.
func TestOneWay(t *testing.T) {
	fixed := regexp.MustCompile("regexp\\.MustCompile\\((`[^`]*`|\"[^\"]*\")\\)")
	files := 0
	err := filepath.WalkDir("../..", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "bench" || d.Name() == "testdata"):
			return fs.SkipDir // other tools' own ways
		case !strings.HasSuffix(name, ".go"), strings.HasSuffix(name, "_test.go"):
			return nil
		}
		files++
		text, err := os.ReadFile(name)
		for _, found := range fixed.FindAllString(string(text), -1) {
			t.Errorf("%s: %s: make it a variable, lazy.Regexp(…)", name, found)
		}
		return err
	})
	if err != nil || files < 100 {
		t.Errorf("%d files, %v", files, err)
	}
}
