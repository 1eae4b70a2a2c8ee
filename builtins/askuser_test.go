package builtins

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"omniexpect/internal/testbin"
	"omniexpect/internal/testneed"
)

// TestAskUser asks a person at a terminal, and pipes.
func TestAskUser(t *testing.T) {
	testneed.Programs(t, "bash", "sh", "cat", "sleep", "stty")
	program := testbin.Program(t)
	t.Run("a person", func(t *testing.T) {
		p := sitDown(t, program, `
user = ask_user("user: ")
word = ask_user("password: ", secret = True)
print("%s typed %s" % (user, word))
print("the right word" if run(["test", word, "=", "hunter22"]).ok else "another word")
`)
		p.see("user: ")
		p.typing("ada\n")
		p.see("password: ")
		p.typing("hunter22\n")
		p.see("the right word")
		p.leaves(0)
		if s := p.screen(); strings.Contains(s, "hunter22") || !strings.Contains(s, "ada typed ***") {
			t.Errorf("the screen shows %q", s)
		}
	})
	t.Run("interrupted", func(t *testing.T) {
		p := sitDown(t, program, `ask_user("password: ", secret = True)`)
		p.see("password: ")
		p.typing("\x03")
		p.leaves(130)
	})
	t.Run("too late", func(t *testing.T) {
		p := sitDown(t, program, `ask_user("password: ", secret = True, timeout = 0.2)`)
		p.see("no answer within 200ms")
		p.leaves(1)
	})
	t.Run("too late for the poll it is part of", func(t *testing.T) {
		p := sitDown(t, program, `poll_until(lambda: ask_user("name: ", timeout = None), timeout = 0.3, message = "a name")`)
		p.see(`poll_until a name: not true within 300ms (1 try); last error: ask_user "name: ": no answer within`)
		p.leaves(1)
	})
	t.Run("a pipe", func(t *testing.T) {
		cmd := exec.Command(program, "run", "-q", "-c", `
print(ask_user("one? "), ask_user("two? "), run("head -c 4", pty = False).ok)
ask_user("three? ")
`)
		cmd.Stdin = strings.NewReader("1\r\n2")
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		cmd.Run()
		if cmd.ProcessState.ExitCode() != 3 || stdout.String() != "1 2 True\n" || !strings.Contains(stderr.String(), "standard input has ended") ||
			strings.Contains(stderr.String(), "one? ") {
			t.Errorf("%v: stdout %q, stderr %q", cmd.ProcessState, stdout.String(), stderr.String())
		}
	})
}
