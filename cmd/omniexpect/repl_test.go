package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"omniexpect/internal/testneed"
)

// TestRepl runs the scripts of testdata/repl, which sit at the prompt as a person would.
func TestRepl(t *testing.T) {
	testneed.Programs(t, "sh", "cat", "sleep", "stty")
	scripts, err := filepath.Glob("testdata/repl/*.star")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	slots := make(chan struct{}, 3)
	for _, name := range scripts {
		base := strings.TrimSuffix(filepath.Base(name), ".star")
		if base == "kit" {
			continue
		}
		t.Run(base, func(t *testing.T) {
			t.Parallel()
			slots <- struct{}{}
			defer func() { <-slots }()
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			tmp := t.TempDir()
			cmd := exec.CommandContext(ctx, "omniexpect", "run", "-q", name)
			cmd.Env = append(os.Environ(), "TMPDIR="+tmp, "HOME="+tmp)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			left, _ := filepath.Glob(tmp + "/*")
			if len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}
