package scripts_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// blocks returns what stands between ```LANGUAGE and ``` in a page.
func blocks(t *testing.T, file, language string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range regexp.MustCompile("(?s)\n```"+language+"\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		out = append(out, m[1])
	}
	if len(out) == 0 {
		t.Fatalf("%s has no block ```%s", file, language)
	}
	return out
}

// TestExamplesInTheDocs runs the scripts that README and the manual of the helpers show first.
func TestExamplesInTheDocs(t *testing.T) {
	for file, args := range map[string][]string{"../README.md": {"--name", "bob"}, "../docs/omnigent/helpers.md": nil} {
		script := filepath.Join(t.TempDir(), "example.star")
		if err := os.WriteFile(script, []byte(blocks(t, file, "python")[0]), 0o644); err != nil {
			t.Fatal(err)
		}
		f := run(t, append([]string{script}, args...)...)
		if f.code != 0 || len(f.left) > 0 {
			t.Errorf("%s: status %d, left %v\n%s%s", file, f.code, f.left, f.stdout, f.stderr)
		}
	}
}

// TestFailureInReadme runs README's second script, which fails, and compares with what README shows of that.
func TestFailureInReadme(t *testing.T) {
	code, want := blocks(t, "../README.md", "python")[1], blocks(t, "../README.md", "text")[0]
	t.Chdir(t.TempDir())
	if err := os.WriteFile("update.star", []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	f := run(t, "update.star")
	if f.code != 1 || f.stdout != "" || f.stderr != want || len(f.left) > 0 {
		t.Errorf("status %d, want 1; left %v; stdout %q\ngot\n%s\nwant\n%s", f.code, f.left, f.stdout, f.stderr, want)
	}
}

// shown are the command lines of ours in a page: lines that are indented by four blanks, and `code`.
var shown = regexp.MustCompile("(?m)(?:^    |`)((?:go run \\./cmd/)?omniexpect [a-z-][^`\n]+)")

// commandLines returns the command lines that the pages show, with the page of each.
func commandLines(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"../README.md", "../docs/*.md", "../docs/*/*.md", "../e2e/*.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range shown.FindAllStringSubmatch(string(text), -1) {
				line, _, _ := strings.Cut(m[1], " #")
				line = strings.TrimPrefix(line, "go run ./cmd/")
				out[strings.TrimSpace(strings.TrimPrefix(line, "omniexpect "))] = file
			}
		}
	}
	return out
}

// helpOf returns what a command says of itself, and whether there is such a command.
func helpOf(args ...string) (string, bool) {
	out, err := exec.Command(binary, append(args, "--help")...).CombinedOutput()
	return string(out), err == nil
}

// TestCommandLinesInTheDocs looks at each command line of ours in the pages: the command, its flags, and the parameters of a
// script in the binary have to exist.
func TestCommandLinesInTheDocs(t *testing.T) {
	lines := commandLines(t)
	if len(lines) < 25 {
		t.Errorf("%d command lines, want at least 25", len(lines))
	}
	flag := regexp.MustCompile(`^--?([a-z][a-z-]*)`)
	for line, file := range lines {
		words := strings.Fields(line)
		if strings.HasPrefix(words[0], "-") {
			continue
		}
		text, ok := helpOf(words[0])
		if !ok {
			t.Errorf("%s: omniexpect %s: no such command", file, line)
			continue
		}
		for _, w := range words[1:] {
			if own, found := strings.CutPrefix(w, "@scripts//"); found {
				text, _ = helpOf("run", "@scripts//"+own)
				continue
			}
			if own, found := strings.CutPrefix(w, "scripts/"); found {
				text, _ = helpOf("run", "@scripts//"+own)
				continue
			}
			if strings.HasSuffix(w, ".star") || w == "SCRIPT" {
				break // what follows belongs to a script of the reader's
			}
			if m := flag.FindStringSubmatch(w); m != nil && m[1] != "help" && !regexp.MustCompile(`(?m)^\s+--?`+m[1]+`\b`).MatchString(text) {
				t.Errorf("%s: omniexpect %s: no flag %s in\n%s", file, line, w, text)
			}
		}
	}
}

// TestCommandsInTheDocsRun runs those that need no server, no terminal and no name of the reader's.
func TestCommandsInTheDocsRun(t *testing.T) {
	dir := t.TempDir()
	for name, page := range map[string]string{"hello.star": "../README.md", "try.star": "../docs/tutorial.md"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(blocks(t, page, "python")[0]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	runs := []string{"run hello.star --name bob", "run hello.star --help", "check hello.star", "check try.star", "fmt -w try.star",
		"docs expect", "run -v try.star", "completion bash", "docs --search WORD", "version"}
	lines := commandLines(t)
	for _, line := range runs {
		if lines[line] == "" {
			t.Errorf("no page shows omniexpect %s: leave it out here", line)
		}
		cmd := exec.Command(binary, strings.Fields(strings.ReplaceAll(line, "WORD", "deadline"))...)
		cmd.Dir = dir
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Run(); err != nil {
			t.Errorf("%s: omniexpect %s: %v\n%s", lines[line], line, err, out.String())
		}
	}
}
