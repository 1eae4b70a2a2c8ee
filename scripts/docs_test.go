package scripts_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExamplesInTheDocs runs the scripts that README and the manual of the helpers show.
func TestExamplesInTheDocs(t *testing.T) {
	for file, args := range map[string][]string{"../README.md": {"--name", "bob"}, "../docs/omnigent/helpers.md": nil} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, ok := strings.Cut(string(text), "```python\n")
		code, _, ok2 := strings.Cut(rest, "```")
		if !ok || !ok2 {
			t.Fatalf("%s shows no script", file)
		}
		script := filepath.Join(t.TempDir(), "example.star")
		if err := os.WriteFile(script, []byte(code), 0o644); err != nil {
			t.Fatal(err)
		}
		f := run(t, append([]string{script}, args...)...)
		if f.code != 0 || len(f.left) > 0 {
			t.Errorf("%s: status %d, left %v\n%s%s", file, f.code, f.left, f.stdout, f.stderr)
		}
	}
}
