// Before runs the scripts of the commit before with the program of this one, and fails where one comes out differently and
// CHANGELOG.md does not say so.
//
//	go run ./e2e/before             the commit before is $OMNIEXPECT_BEFORE, or else HEAD^
//
// Scripts are scripts/*.star and what stands between ```python and ``` in README.md and the pages of docs, as they were. Each is run by
// the old program and by the new one. What counts is the exit status, the kind of failure, and what it printed, numbers and
// temporary names apart. A script that differs has to be named, as this program names it and in backticks, in a line that
// CHANGELOG.md has gained since.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// limit is how long a script may take. The longest take some seconds.
const limit = 2 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "before:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	commit := os.Getenv("OMNIEXPECT_BEFORE")
	if commit == "" {
		commit = "HEAD^"
	}
	hash, err := git(ctx, "rev-parse", "--verify", "--quiet", commit+"^{commit}")
	if err != nil {
		if os.Getenv("OMNIEXPECT_BEFORE") == "" {
			fmt.Println("there is no commit before this one, or it was not cloned: nothing to compare")
			return nil
		}
		return fmt.Errorf("OMNIEXPECT_BEFORE: %q is no commit of this repository", commit)
	}
	dir, err := os.MkdirTemp("", "omniexpect-before-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	old := filepath.Join(dir, "old")
	if err := unpack(ctx, hash, old); err != nil {
		return err
	}
	p := pair{dir: dir, tree: old}
	if p.old, err = build(ctx, old, filepath.Join(dir, "before")); err != nil {
		return err
	}
	if p.new, err = build(ctx, ".", filepath.Join(dir, "now")); err != nil {
		return err
	}
	list, err := scripts(old)
	if err != nil {
		return err
	}
	differ := p.compareAll(ctx, list)
	if err := ctx.Err(); err != nil {
		return err
	}
	added, err := git(ctx, "diff", "--unified=0", hash, "--", "CHANGELOG.md")
	if err != nil {
		return err
	}
	unsaid := 0
	for _, d := range differ {
		if named(added, d.name) {
			fmt.Printf("%s differs, as CHANGELOG.md says\n", d.name)
			continue
		}
		unsaid++
		fmt.Printf("%s differs:\n%s", d.name, d)
	}
	fmt.Printf("%d scripts of %.12s: %d differ, %d of them are not in CHANGELOG.md\n", len(list), hash, len(differ), unsaid)
	if unsaid > 0 {
		return fmt.Errorf("name what differs in CHANGELOG.md: before, after, what to write, and the script in backticks")
	}
	return nil
}

func git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}

func unpack(ctx context.Context, hash, dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if _, err := git(ctx, "archive", "-o", dir+".tar", hash); err != nil {
		return err
	}
	if out, err := exec.CommandContext(ctx, "tar", "-xf", dir+".tar", "-C", dir).CombinedOutput(); err != nil {
		return fmt.Errorf("tar: %w: %s", err, out)
	}
	return os.Remove(dir + ".tar")
}

func build(ctx context.Context, dir, exe string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "build", "-o", exe, "./cmd/omniexpect")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build in %s: %w: %s", dir, err, out)
	}
	return exe, nil
}

// pair is the two programs.
type pair struct{ dir, tree, old, new string }

// difference is a script that does not come out as before.
type difference struct {
	name     string
	old, new outcome
}

func (d difference) String() string {
	return fmt.Sprintf("  before: %s\n  now:    %s\n", d.old, d.new)
}

func (p pair) compareAll(ctx context.Context, list []script) []difference {
	found := make([]*difference, len(list))
	slots := make(chan struct{}, 2)
	var wg sync.WaitGroup
	for i, s := range list {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			found[i] = p.compare(ctx, s)
		})
	}
	wg.Wait()
	var out []difference
	for _, d := range found {
		if d != nil {
			out = append(out, *d)
		}
	}
	return out
}

// compare runs a script with both programs. What differs is run again: a script that differs from itself proves nothing,
// and neither does a difference that was there once.
func (p pair) compare(ctx context.Context, s script) *difference {
	var olds []outcome
	var last difference
	for range 3 {
		last = difference{s.name, p.play(ctx, p.old, s), p.play(ctx, p.new, s)}
		olds = append(olds, last.old)
		if same(olds, last.new) || ctx.Err() != nil {
			return nil
		}
	}
	return &last
}

// same reports whether the new outcome is one of the old ones. Where the old program prints something else each time, its
// status and kind of failure are what is left to compare.
func same(olds []outcome, now outcome) bool {
	unsteady := false
	for _, o := range olds {
		unsteady = unsteady || o != olds[0]
	}
	for _, o := range olds {
		if o == now || unsteady && o.status == now.status && o.kind == now.kind {
			return true
		}
	}
	return false
}

// play runs a script in a folder and a home of its own.
func (p pair) play(ctx context.Context, exe string, s script) outcome {
	dir, err := os.MkdirTemp(p.dir, "run-")
	if err != nil {
		return outcome{status: -1, printed: err.Error()}
	}
	defer os.RemoveAll(dir)
	path := s.path
	if path == "" {
		path = filepath.Join(dir, "script.star")
		if err := os.WriteFile(path, []byte(s.text), 0o644); err != nil {
			return outcome{status: -1, printed: err.Error()}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, "run", path)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "TMPDIR="+dir)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if ctx.Err() != nil {
		return outcome{status: -1, kind: "not done in time"}
	}
	if err != nil && cmd.ProcessState == nil {
		return outcome{status: -1, printed: err.Error()}
	}
	return outcome{cmd.ProcessState.ExitCode(), kind(stderr.String()), steady(stdout.String(), dir)}
}
