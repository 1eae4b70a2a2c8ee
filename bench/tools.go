package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Tool is a program under test and how to make it ready.
type Tool struct {
	Name  string
	About string
	Env   []string
	Ours  bool // omniexpect in some version: its driver is a script
	// Prepare builds or finds the driver and returns its command line up to the driver's own arguments.
	Prepare func(ctx context.Context, p places) ([]string, error)
	// Version says what was prepared.
	Version func(ctx context.Context, p places) string
}

// places are the directories of a run.
type places struct {
	root  string // of the repository
	peers string // what is built and installed; ignored by git
}

func (p places) bin(name string) string   { return filepath.Join(p.peers, "bin", name) }
func (p places) bench(name string) string { return filepath.Join(p.root, "bench", name) }

func tools() []Tool {
	tuned := []string{"TUNED=1"}
	raw := peer("raw", "github.com/creack/pty")
	goexpect := peer("goexpect", "github.com/google/goexpect")
	netflix := peer("netflix", "github.com/Netflix/go-expect")
	return []Tool{
		{Name: floorTool, About: "creack/pty and bytes.Contains: the floor", Prepare: raw.prepare, Version: raw.version},
		{Name: "raw-tuned", About: "the same, one search buffer for all waits", Env: tuned, Prepare: raw.prepare, Version: raw.version},
		{Name: "expect", About: "Tcl Expect as it comes", Prepare: prepareTcl, Version: versionTcl},
		{Name: "expect-tuned", About: "match_max 100000", Env: tuned, Prepare: prepareTcl, Version: versionTcl},
		{Name: "pexpect", About: "pexpect as it comes", Prepare: preparePexpect, Version: versionPexpect},
		{Name: "pexpect-tuned", About: "searchwindowsize=200, maxread=65536, no built-in sleeps", Env: tuned,
			Prepare: preparePexpect, Version: versionPexpect},
		{Name: "goexpect", About: "google/goexpect as it comes", Prepare: goexpect.prepare, Version: goexpect.version},
		{Name: "goexpect-tuned", About: "64 KiB buffer, a check every 5 ms, partial matches", Env: tuned,
			Prepare: goexpect.prepare, Version: goexpect.version},
		{Name: "go-expect", About: "Netflix/go-expect as it comes", Prepare: netflix.prepare, Version: netflix.version},
		{Name: "expectrl", About: "expectrl as it comes", Prepare: prepareExpectrl,
			Version: func(context.Context, places) string { return "expectrl 0.9.0" }},
		{Name: mainTool, Ours: true, About: "omniexpect.star: $OMNIEXPECT, or built from cmd/omniexpect", Prepare: prepareOurs,
			Version: func(ctx context.Context, p places) string {
				return firstLine(ctx, p.root, ours(p), "version")
			}},
	}
}

// goPeer is a driver of the module bench/peers.
type goPeer struct{ name, module string }

func peer(name, module string) goPeer { return goPeer{name, module} }

func (g goPeer) prepare(ctx context.Context, p places) ([]string, error) {
	out := p.bin(g.name)
	return []string{out}, do(ctx, p.bench("peers"), nil, "go", "build", "-o", out, "./"+g.name)
}

func (g goPeer) version(ctx context.Context, p places) string {
	return firstLine(ctx, p.bench("peers"), "go", "list", "-m", g.module)
}

func prepareTcl(_ context.Context, p places) ([]string, error) {
	exe, err := exec.LookPath("expect")
	if err != nil {
		return nil, errors.New("not installed (Debian package expect)")
	}
	return []string{exe, p.bench("peers/tcl/driver.exp")}, nil
}

func versionTcl(ctx context.Context, p places) string { return firstLine(ctx, p.root, "expect", "-v") }

func preparePexpect(ctx context.Context, p places) ([]string, error) {
	python := filepath.Join(p.peers, "venv", "bin", "python")
	command := []string{python, p.bench("peers/pexpect/driver.py")}
	if exec.CommandContext(ctx, python, "-c", "import pexpect").Run() == nil {
		return command, nil
	}
	if err := do(ctx, p.root, nil, "python3", "-m", "venv", filepath.Join(p.peers, "venv")); err != nil {
		return nil, err
	}
	return command, do(ctx, p.root, nil, python, "-m", "pip", "install", "--quiet", "pexpect==4.9.0")
}

func versionPexpect(ctx context.Context, p places) string {
	python := filepath.Join(p.peers, "venv", "bin", "python")
	return "pexpect " + firstLine(ctx, p.root, python, "-c", "import pexpect; print(pexpect.__version__)")
}

func prepareExpectrl(ctx context.Context, p places) ([]string, error) {
	if _, err := exec.LookPath("cargo"); err != nil {
		return nil, errors.New("not built (no cargo)")
	}
	dir := filepath.Join(p.peers, "cargo")
	err := do(ctx, p.bench("peers/expectrl"), []string{"CARGO_TARGET_DIR=" + dir}, "cargo", "build", "--release", "--locked")
	return []string{filepath.Join(dir, "release", "expectrl-driver")}, err
}

// ours is the path of the omniexpect under test.
func ours(p places) string {
	if path := os.Getenv("OMNIEXPECT"); path != "" {
		if abs, err := filepath.Abs(path); err == nil {
			return abs
		}
	}
	return p.bin(mainTool)
}

func prepareOurs(ctx context.Context, p places) ([]string, error) {
	exe := ours(p)
	command := []string{exe, "run", p.bench("omniexpect.star")}
	if os.Getenv("OMNIEXPECT") != "" {
		_, err := os.Stat(exe)
		return command, err
	}
	if _, err := os.Stat(filepath.Join(p.root, "cmd", mainTool)); err != nil {
		return nil, errors.New("not built (no cmd/omniexpect yet)")
	}
	return command, build(ctx, p.root, exe)
}

// build makes omniexpect from the sources in a directory, static and stripped.
func build(ctx context.Context, dir, exe string) error {
	return do(ctx, dir, []string{"CGO_ENABLED=0"}, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", exe, "./cmd/"+mainTool)
}

// do runs one step of a preparation; its output is part of the error.
func do(ctx context.Context, dir string, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, args[0], err, lastLine(out))
	}
	return nil
}

func lastLine(out []byte) string {
	lines := strings.Split(string(bytes.TrimSpace(out)), "\n")
	return lines[len(lines)-1]
}

func firstLine(ctx context.Context, dir, name string, args ...string) string {
	out, err := output(ctx, dir, name, args...)
	if err != nil {
		return name + ": version unknown"
	}
	line, _, _ := strings.Cut(out, "\n")
	return line
}

// output is what a command prints, without the blanks around it.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}
