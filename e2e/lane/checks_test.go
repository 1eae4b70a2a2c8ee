package main

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
)

func TestVerdict(t *testing.T) {
	ended := func(script string) error { return exec.Command("sh", "-c", script).Run() }
	red := check{want: 1, says: "(?i)not remember"}
	for _, test := range []struct {
		name   string
		check  check
		output string
		err    error
		want   string
	}{
		{"green", check{}, "", ended("exit 0"), ""},
		{"failed", check{}, "", ended("exit 1"), "ended with 1, want 0"},
		{"red as wanted", red, "the model does not remember", ended("exit 1"), ""},
		{"a red control that is green", red, "the model does not remember", ended("exit 0"), "ended with 0, want 1"},
		{"red for another reason", red, "timed out", ended("exit 1"), "did not say (?i)not remember"},
		{"red for want of a server", red, "the model does not remember", ended("exit 3"), "ended with 3, want 1"},
		{"killed", check{}, "", ended("kill -9 $$"), "ended with -1, want 0"},
		{"too long", red, "the model does not remember", errors.New("stopped after 4m0s"), "stopped after 4m0s"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := verdict(test.check, []byte(test.output), test.err)
			if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestLasting(t *testing.T) {
	for command, want := range map[string]bool{
		"/x/venv/bin/python -m omnigent.cli server --port 1":              true,
		"/x/venv/bin/python -P -m omnigent.host._daemon_entry --server u": false,
		"/x/venv/bin/python -P -m omnigent.runner._zygote":                false,
		"/x/venv/bin/python /x/venv/bin/omnigent claude --server u":       false,
		"tmux -S /x/s new-session":                                        false,
		"claude --resume 1":                                               false,
	} {
		if lasting(command) != want {
			t.Errorf("%s: got %v", command, !want)
		}
	}
}

// TestTriesKeepTheirLogs fails when a try that passes hides why the one before did not.
func TestTriesKeepTheirLogs(t *testing.T) {
	l := &lane{dir: "dir"}
	c := check{name: "claude warm"}
	if first, second := l.logs(c, 1), l.logs(c, 2); first != "dir/lane/claude-warm" || second != "dir/lane/claude-warm-try-2" {
		t.Errorf("got %s and %s", first, second)
	}
}
