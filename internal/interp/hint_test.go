package interp_test

import (
	"strings"
	"testing"

	"omniexpect/internal/interp"
)

// TestHintOfRun answers what only a run can find: the check does not know what a function is called with.
func TestHintOfRun(t *testing.T) {
	lib := interp.NewLibrary(nil, nil)
	for msg, want := range map[string]string{
		"Session has no .sendintr field or method (did you mean .sendline?)": `s.keys("ctrl-c")`,
		"can't assign to .logfile_read field of Session":                     "s.mirror()",
		"can't assign to .timeout field of Session":                          "timeout = 5",
		"Match has no .group field or method":                                "m[1]",
		"Session has no .nothing field or method":                            "",
	} {
		if h := lib.Hint(msg); !strings.Contains(h, want) || (want == "") != (h == "") {
			t.Errorf("%s: %q, want %q", msg, h, want)
		}
	}
}

// TestTclLines answers lines of Tcl Expect, and leaves those of Starlark alone.
func TestTclLines(t *testing.T) {
	lib := interp.NewLibrary(nil, []string{"x", "f"})
	for text, want := range map[string]string{
		"set timeout -1":              "timeout = None",
		"set spawn_id $id":            "use(s)",
		"set env(TERM) vt100":         "env = {",
		"expect -i $id x":             "expect_any",
		"send -h \"x\"":               "type_text",
		"if {$argc < 1} {":            "if x == 1:",
		"while {1} {":                 "while x < 3:",
		"  } elseif {$x} {":           "elif",
		"timeout { exit 1 }":          "TIMEOUT: lambda",
		"exit [lindex [wait] 3]":      "exit(3)",
		"foreach x $list {":           "for x in list:",
		"expect_user -re \"(.*)\\n\"": "ask_user(",
		"spawn -open $fd":             "socat",
		"if x = 1:\n    f()":          "== compares",
	} {
		_, err := lib.Parse("main.star", text)
		if h := strings.Join(hintsOf(err), "\n"); err == nil || !strings.Contains(h, want) {
			t.Errorf("%q: hints %q, want %q (%v)", text, h, want, err)
		}
	}
}
