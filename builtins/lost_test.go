package builtins_test

import (
	"regexp"
	"testing"

	"omniexpect/internal/run"
)

// TestDroppedOutputIsNoted: whatever hands output to a script without a part of it says so, once.
func TestDroppedOutputIsNoted(t *testing.T) {
	for _, tt := range []struct{ name, script, want string }{
		{"cmd of a shell", `sh = shell("sh", buffer = 4096)
for i in range(3):
    assert.true(sh.cmd("seq 1 5000").lost > 0)`,
			`note: cmd in sh: the first [0-9]+ bytes of the output were dropped: .*buffer=`},
		{"cmd at a prompt", `s = spawn(["sh", "-c", "printf '> '; while read l; do seq 1 5000; printf '> '; done"], buffer = 4096)
for i in range(3):
    assert.true(s.cmd("x", prompt = "> ").lost > 0)`,
			`note: cmd in sh: the first [0-9]+ bytes of the output were dropped: .*buffer=`},
		{"standard error of run", `r = run(["sh", "-c", "seq 1 5000 >&2"], pty = False, history = 4096)
assert.eq(r.stdout, "")
assert.eq(len(r.stderr), 4096)`,
			`note: run sh: the first [0-9]+ bytes of its standard error were dropped: history=… keeps more`},
		{"a stream of lines", `s = http_serve({"/": {"chunks": [("x" * 99 + "\n") * 100000, "END\n"]}})
log = http_lines(s.url)
poll_until(lambda: not log.open)
assert.true(len(log.expect("END").before) < 5000000)
log2 = log.lines[-1]`,
			`note: expect from http://[^ ]+: [0-9]+ bytes of unread text before it were dropped, for more than 4194304 were unread`},
		{"a stream of events", `s = http_serve({"/": {"chunks": [("data: " + "x" * 99 + "\n\n") * 100000, "data: END\n\n"], "headers": {"Content-Type": "text/event-stream"}}})
log = sse(s.url)
poll_until(lambda: not log.open)
assert.true(len(log.expect("END").before) < 5000000)`,
			`note: expect from http://[^ ]+: [0-9]+ bytes of unread text before it were dropped, for more than 4194304 were unread`},
		{"nothing", `sh = shell("sh", buffer = 8192)
sh.cmd("seq 1 1000")
run(["sh", "-c", "seq 1 1000 >&2"], pty = False, history = 8192)`, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(run.Options{})
			o := r.execute(t, t.Context(), "lost.star", tt.script)
			if o.err != nil {
				t.Fatal(o.report)
			}
			want := 1
			if tt.want == "" {
				tt.want, want = "dropped", 0
			}
			if n := len(regexp.MustCompile(tt.want).FindAllString(o.report, -1)); n != want {
				t.Errorf("%d notes, want %d:\n%s", n, want, o.report)
			}
		})
	}
}
