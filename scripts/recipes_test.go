package scripts_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"omniexpect/internal/testneed"
)

// TestRecipes checks and runs each script of the recipes. The programs that a test cannot have stand first in PATH; those
// ask on their terminal as the real ones do.
func TestRecipes(t *testing.T) {
	text, err := os.ReadFile("../docs/recipes.md")
	if err != nil {
		t.Fatal(err)
	}
	testneed.Programs(t, "python3") // the programs of the recipes are written in it
	recipes := regexp.MustCompile("(?s)\n## ([^\n]+)\n.*?```python\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(recipes) < 6 {
		t.Fatalf("%d recipes, want at least 6", len(recipes))
	}
	bin := programs(t, "ssh", "sudo", "setup")
	if !testneed.Has(t, "sqlite3") {
		bin += ":" + programs(t, "sqlite3")
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	for _, r := range recipes {
		t.Run(strings.ReplaceAll(r[1], " ", "-"), func(t *testing.T) {
			t.Setenv("FAKE_HOME", t.TempDir())
			script := filepath.Join(t.TempDir(), "recipe.star")
			if err := os.WriteFile(script, []byte(r[2]), 0o644); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(binary, "check", script).CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("check: %v\n%s", err, out)
			}
			f := run(t, script)
			if f.code != 0 || len(f.left) > 0 {
				t.Errorf("status %d, left %v\n%s%s", f.code, f.left, f.stdout, f.stderr)
			}
		})
	}
}

// programs makes a directory in which the fakes have these names.
func programs(t *testing.T, names ...string) string {
	t.Helper()
	fakes, err := filepath.Abs("testdata/recipes/fakes.py")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range names {
		if err := os.Symlink(fakes, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestRecipesRefuse runs the ssh recipe with passwords that are wrong: each is tried once, and no secret is shown.
func TestRecipesRefuse(t *testing.T) {
	testneed.Programs(t, "python3")
	text, err := os.ReadFile("../docs/recipes.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", programs(t, "ssh", "sudo")+":"+os.Getenv("PATH"))
	t.Setenv("SSH_OLD_PASSWORD", "no horse at all")
	t.Setenv("SUDO_PASSWORD", "no horse at all")
	for title, says := range map[string]string{"Log in with ssh": "fail: no login", "Run something with sudo": "fail: sudo: no"} {
		t.Run(title, func(t *testing.T) {
			t.Setenv("FAKE_HOME", t.TempDir())
			_, rest, _ := strings.Cut(string(text), "\n## "+title+"\n")
			_, rest, _ = strings.Cut(rest, "```python\n")
			code, _, _ := strings.Cut(rest, "```")
			script := filepath.Join(t.TempDir(), "recipe.star")
			if err := os.WriteFile(script, []byte(code), 0o644); err != nil {
				t.Fatal(err)
			}
			f := run(t, script)
			if f.code != 1 || !strings.Contains(f.stderr, says) || strings.Contains(f.stdout+f.stderr, "no horse") {
				t.Errorf("status %d, want 1 and %q\n%s%s", f.code, says, f.stdout, f.stderr)
			}
		})
	}
}
