package scripts_test

import (
	"regexp"
	"strings"
	"testing"

	"omniexpect/internal/testneed"
)

// TestTeardown plays the product's server and host daemon. A stop comes before the end of the terminal, the daemon is ended
// only where this run started it and nobody else needs it, and what stays is named.
func TestTeardown(t *testing.T) {
	testneed.Programs(t, "ps") // by which the library finds host daemons
	const order, again = "asked: stop_session, delete", "asked: stop_session, start, stop_session, delete"
	for _, c := range []struct {
		args    []string
		says    string
		stopped bool
		left    string // a regexp, "" for nothing
	}{
		{[]string{"--daemon", "none"}, order, false, ``},
		{[]string{"--daemon", "ours"}, order, true, ``},
		{[]string{"--daemon", "ours", "--other", "old"}, order, true, ``},
		{[]string{"--daemon", "ours", "--other", "new"}, order, false, `left: host daemon \d+, 0 runners`},
		{[]string{"--daemon", "ours", "--other", "busy"}, order, false, `left: host daemon \d+, 1 runner`},
		{[]string{"--daemon", "before"}, order, false, `left: host daemon \d+, which was there before, 0 runners`},
		{[]string{"--daemon", "none", "--stop", "once more"}, again, false, ``},
		{[]string{"--daemon", "none", "--stop", "stays"}, again, false, `left: 1 runner, of this run's 0123456789abcdef0123456789abcdef`},
		{[]string{"--daemon", "before", "--stop", "refused"}, again, false,
			`left: host daemon \d+, which was there before, 1 runner, of this run's 0123456789abcdef0123456789abcdef`},
	} {
		t.Run(regexp.MustCompile(`--\w+ ?`).ReplaceAllString(strings.Join(c.args, " "), ""), func(t *testing.T) {
			t.Parallel()
			f := run(t, append([]string{"testdata/teardown.star"}, c.args...)...)
			want := `(?s)` + c.says + `\n`
			if c.left != "" {
				want += c.left + `\n`
			}
			want += map[bool]string{true: `host stop: True\n`, false: `host stop: False\n`}[c.stopped]
			if f.code != 0 || !regexp.MustCompile(want).MatchString(f.stdout) {
				t.Errorf("status %d, stdout:\n%s\nwant %s\nstderr:\n%s", f.code, f.stdout, want, f.stderr)
			}
		})
	}
}
