package docs_test

import (
	"os/exec"
	"strings"
	"testing"

	"omniexpect/internal/docs"
	"omniexpect/internal/testneed"
)

func commands() []docs.Command {
	return []docs.Command{
		{Name: "run", Args: "SCRIPT", Summary: "run a script; it's [quick]: yes", Flags: []docs.Flag{{Name: "-q", Doc: "quiet"}}},
		{Name: "docs", Args: "[NAME…]", Summary: "what the builtins do", Flags: []docs.Flag{{Name: "--search", Doc: "look for 'words'"}}},
	}
}

// TestCompletionIsReadable has each shell that is installed read its script.
func TestCompletionIsReadable(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		text, err := docs.Completion(shell, commands(), vocabulary())
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"run", "docs", "q", "search", "expect"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q", shell, want)
			}
		}
		if !testneed.Has(t, shell) {
			t.Logf("%s is not installed: its completion is not read", shell)
			continue
		}
		cmd := exec.Command(shell, "-n")
		cmd.Stdin = strings.NewReader(text)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s does not read its completion: %v\n%s", shell, err, out)
		}
	}
	if _, err := docs.Completion("tcsh", commands(), vocabulary()); err == nil {
		t.Error("a shell that is not known got a completion")
	}
}

// TestBashCompletes asks bash what it would offer.
func TestBashCompletes(t *testing.T) {
	testneed.Programs(t, "bash")
	text, err := docs.Completion("bash", commands(), vocabulary())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ words, want string }{
		{"omniexpect ru", "run"}, {"omniexpect run -", "-q"}, {"omniexpect docs expect_e", "expect_eof"},
	} {
		words := strings.Fields(c.words)
		script := text + "COMP_WORDS=(" + c.words + "); COMP_CWORD=" + string(rune('0'+len(words)-1)) +
			"; _omniexpect; printf '%s\\n' \"${COMPREPLY[@]}\"\n"
		cmd := exec.Command("bash")
		cmd.Stdin = strings.NewReader(script)
		out, err := cmd.Output()
		if got := strings.Fields(string(out)); err != nil || len(got) == 0 || got[0] != c.want {
			t.Errorf("%s: bash offers %q, %v, want %s", c.words, got, err, c.want)
		}
	}
}

func TestManPage(t *testing.T) {
	text := docs.Man(commands(), vocabulary())
	for _, want := range []string{".TH OMNIEXPECT 1", ".SS run", `.B \-q`, ".SH EXIT STATUS", ".B expect(pattern"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the manual page", want)
		}
	}
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") && !strings.HasPrefix(line, ".S") && !strings.HasPrefix(line, ".T") && !strings.HasPrefix(line, ".B") && line != ".br" {
			t.Errorf("%q would be read as a request", line)
		}
	}
}
