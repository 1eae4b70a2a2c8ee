package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// runLine runs a command line and returns its exit status and what it wrote.
func runLine(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	dir := t.TempDir()
	files := make([]*os.File, 2)
	for i, name := range []string{"out", "err"} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files[i] = f
	}
	oldOut, oldErr := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = files[0], files[1]
	code = dispatch(append([]string{"omniexpect"}, args...))
	os.Stdout, os.Stderr = oldOut, oldErr
	var texts [2]string
	for i, f := range files {
		b, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(b)
	}
	return code, texts[0], texts[1]
}

func script(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "s.star")
	if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestCheckCommand(t *testing.T) {
	if code, out, errs := runLine(t, "check", script(t, "spawn(\"true\")\nexpect_eof()\n")); code != 0 || out+errs != "" {
		t.Errorf("a script that works: status %d, %q %q", code, out, errs)
	}
	if code, out, _ := runLine(t, "check", script(t, "spawn(\"true\")\nexpect(r\"\\d+\")\n")); code != 0 || !strings.Contains(out, "s.star:2:8: warning:") {
		t.Errorf("a warning: status %d, %q", code, out)
	}
	if code, out, errs := runLine(t, "check", script(t, "spwan(\"true\")\n")); code != 2 || !strings.Contains(out, "did you mean spawn?") || errs != "1 error, 0 warnings\n" {
		t.Errorf("an error: status %d, %q %q", code, out, errs)
	}
	if code, _, errs := runLine(t, "check", "no/such.star"); code != 2 || !strings.Contains(errs, "no such file") {
		t.Errorf("no file: status %d, %q", code, errs)
	}
	code, out, _ := runLine(t, "check", "--json", script(t, "spawn(\"true\", timout = 3)\n"))
	var found []struct {
		File, Severity, Rule, Message, Hint string
		Line, Column                        int
	}
	if err := json.Unmarshal([]byte(out), &found); err != nil || code != 2 || len(found) != 1 {
		t.Fatalf("--json: status %d, %v: %s", code, err, out)
	}
	if f := found[0]; f.Line != 1 || f.Column != 15 || f.Severity != "error" || f.Rule != "arguments" || !strings.Contains(f.Message, "timout") {
		t.Errorf("--json: %+v", f)
	}
}

// TestRunChecksFirst runs a script with a mistake in a branch that never runs: nothing of it may happen.
func TestRunChecksFirst(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "mark")
	code, _, errs := runLine(t, "run", script(t, "run([\"touch\", \""+mark+"\"])\nif False:\n    expect(\"x\", timout = 3)\n"))
	if code != 2 || !strings.Contains(errs, "s.star:3:17: script: expect has no parameter \"timout\"") {
		t.Errorf("status %d, %q", code, errs)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("the script was run")
	}
}

func TestFmtCommand(t *testing.T) {
	name := script(t, "x=1 # one\n")
	const want = "x = 1  # one\n"
	if code, out, _ := runLine(t, "fmt", name); code != 0 || out != want {
		t.Errorf("status %d, %q", code, out)
	}
	if code, out, _ := runLine(t, "fmt", "--check", name); code != 1 || out != name+"\n" {
		t.Errorf("--check: status %d, %q", code, out)
	}
	if code, out, _ := runLine(t, "fmt", "-d", name); code != 0 || !strings.Contains(out, "-x=1 # one\n+x = 1  # one\n") {
		t.Errorf("-d: status %d, %q", code, out)
	}
	if code, _, _ := runLine(t, "fmt", "-w", name); code != 0 {
		t.Errorf("-w: status %d", code)
	}
	text, _ := os.ReadFile(name)
	if st, err := os.Stat(name); err != nil || string(text) != want || st.Mode().Perm() != 0o755 {
		t.Errorf("-w wrote %q, %v, %v", text, st.Mode(), err)
	}
	if code, _, _ := runLine(t, "fmt", "--check", name); code != 0 {
		t.Errorf("--check after -w: status %d", code)
	}
	if code, out, errs := runLine(t, "fmt", "-w", script(t, "x = = 1\n")); code != 2 || out != "" || !strings.Contains(errs, "s.star:1:5") {
		t.Errorf("no script: status %d, %q %q", code, out, errs)
	}
}

// TestFmtKeepsScripts has a disk that takes no more: the script stays as it was. A link stays a link.
func TestFmtKeepsScripts(t *testing.T) {
	old := "x=1\n" + strings.Repeat("# a line of a script that is long\n", 1000)
	name := script(t, old)
	cmd := exec.Command("bash", "-c", `trap "" XFSZ; ulimit -f 4; exec omniexpect fmt -w "$1"`, "bash", name)
	out, _ := cmd.CombinedOutput()
	if text, _ := os.ReadFile(name); string(text) != old || cmd.ProcessState.ExitCode() != 3 ||
		!strings.Contains(string(out), "omniexpect: env: fmt: "+name+" is as it was: file too large") {
		t.Errorf("status %d, %d of %d bytes left: %s", cmd.ProcessState.ExitCode(), len(text), len(old), out)
	}
	if left, _ := os.ReadDir(filepath.Dir(name)); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	link := filepath.Join(t.TempDir(), "link.star")
	if err := os.Symlink(name, link); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := runLine(t, "fmt", "-w", link); code != 0 {
		t.Errorf("status %d, %s", code, errs)
	}
	if st, err := os.Lstat(link); err != nil || st.Mode().Type() != os.ModeSymlink {
		t.Errorf("the link has become %v, %v", st, err)
	}
	if text, _ := os.ReadFile(name); !strings.HasPrefix(string(text), "x = 1\n") {
		t.Errorf("through the link: %.20q", text)
	}
}

func TestDocsCommand(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, 0, "current session"}, {[]string{"expect"}, 0, "parameters:"}, {[]string{"Session.close", "EOF"}, 0, "Pattern: the program has ended"},
		{[]string{"--search", "deadline"}, 0, "poll_until"}, {[]string{"--completion", "bash"}, 0, "complete -F _omniexpect"}, {[]string{"--man"}, 0, ".SS check"},
		{[]string{"exepct"}, 2, "did you mean expect?"}, {[]string{"--completion", "tcsh"}, 2, "want bash"}, {[]string{"--search"}, 2, "give one"},
	} {
		code, out, errs := runLine(t, append([]string{"docs"}, c.args...)...)
		if code != c.code || !strings.Contains(out+errs, c.want) {
			t.Errorf("docs %q: status %d, want %d and %q:\n%s%s", c.args, code, c.code, c.want, out, errs)
		}
	}
}

// TestDocumentedFlags compares the flags that completion and the manual page list with those that --help lists.
func TestDocumentedFlags(t *testing.T) {
	for _, c := range documented() {
		if len(c.Flags) == 0 {
			continue
		}
		_, help, _ := runLine(t, c.Name, "--help")
		n := 0
		for _, line := range strings.Split(help, "\n") {
			name, ok := strings.CutPrefix(line, "  -")
			if !ok {
				continue
			}
			n++
			name, _, _ = strings.Cut(strings.Fields(name)[0], "\t")
			found := false
			for _, f := range c.Flags {
				found = found || strings.TrimLeft(f.Name, "-") == name
			}
			if !found {
				t.Errorf("%s: the flag -%s is in --help and not among the documented ones", c.Name, name)
			}
		}
		if n != len(c.Flags) {
			t.Errorf("%s: --help lists %d flags, documented are %d", c.Name, n, len(c.Flags))
		}
	}
}

// TestFullDisk writes to a device that is always full: no command calls that a success, and each says why.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("needs /dev/full")
	}
	defer full.Close()
	name := script(t, "x=1\nprint(x)\nexpect(\"a*\")\n")
	for _, args := range [][]string{
		{"fmt", name}, {"fmt", "-d", name}, {"fmt", "--check", name}, {"check", name}, {"check", "--json", name}, {"docs"},
		{"docs", "expect"}, {"docs", "--search", "timeout"}, {"docs", "--man"}, {"docs", "--completion", "bash"}, {"run", name},
		{"run", "-c", "defer(print, 1)"}, {"run", "-c", "catch(print, 1)"}, {"run", "-c", "parallel([lambda: print(1)])"},
		{"--help"}, {"help", "run"}, {"run", "--help"}, {"run", name, "--help"}, {"--version"}, {"version", "--help"}, {"check", "--help"},
		{"sim", "--help"}, {"sim", "omnigent", "--help"}, {"sim", "omnigent", "server", "--help"},
	} {
		cmd := exec.Command("omniexpect", args...)
		var errs strings.Builder
		cmd.Stdout, cmd.Stderr = full, &errs
		cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != 3 || !strings.Contains(errs.String(), "standard output: no space left on device") {
			t.Errorf("%q: status %d, %q", args, code, errs.String())
		}
	}
}
