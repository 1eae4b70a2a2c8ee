package testneed_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"omniexpect/internal/testneed"
)

// seen is a test that is looked at: what would have become of it.
type seen struct {
	testing.TB
	said []string
}

func (s *seen) Helper() {}

func (s *seen) Skip(args ...any) {
	s.said = append(s.said, "skip: "+fmt.Sprint(args...))
	runtime.Goexit()
}

func (s *seen) Fatalf(format string, args ...any) {
	s.said = append(s.said, "fail: "+fmt.Sprintf(format, args...))
	runtime.Goexit()
}

func (s *seen) Errorf(format string, args ...any) {
	s.said = append(s.said, "fail: "+fmt.Sprintf(format, args...))
}

func watch(test func(testing.TB)) string {
	s := &seen{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		test(s)
		s.said = append(s.said, "run")
	}()
	<-done
	return strings.Join(s.said, ", ")
}

func TestMissingProgramsSkipAndPromisedOnesFail(t *testing.T) {
	const absent, other = "no-such-program-1", "no-such-program-2"
	for _, c := range []struct {
		promised string
		test     func(testing.TB)
		want     string
	}{
		{"", func(t testing.TB) { testneed.Programs(t, "go") }, "run"},
		{"go", func(t testing.TB) { testneed.Programs(t, "go") }, "run"},
		{"", func(t testing.TB) { testneed.Programs(t, "go", absent) }, "skip: no-such-program-1 is not installed"},
		{other, func(t testing.TB) { testneed.Programs(t, absent) }, "skip: no-such-program-1 is not installed"},
		{other + " " + absent, func(t testing.TB) { testneed.Programs(t, absent) },
			"fail: no-such-program-1 is not installed, although OMNIEXPECT_CI_PROGRAMS promises it"},
		{"", func(t testing.TB) { testneed.Script(t, "# needs: "+absent+"\nprint(1)\n") }, "skip: no-such-program-1 is not installed"},
		{absent, func(t testing.TB) { testneed.Script(t, "# needs: go "+absent+"\nprint(1)\n") },
			"fail: no-such-program-1 is not installed, although OMNIEXPECT_CI_PROGRAMS promises it"},
		{"", func(t testing.TB) { testneed.Has(t, absent) }, "run"},
		{absent, func(t testing.TB) { testneed.Has(t, absent) },
			"fail: no-such-program-1 is not installed, although OMNIEXPECT_CI_PROGRAMS promises it, run"},
		{"zsh", func(t testing.TB) { testneed.Skipped(t, "needs git and less") }, "skip: needs git and less"},
		{"git", func(t testing.TB) { testneed.Skipped(t, "needs git and less") },
			"fail: skipped: needs git and less, although OMNIEXPECT_CI_PROGRAMS promises git"},
	} {
		t.Setenv(testneed.Promised, c.promised)
		if got := watch(c.test); got != c.want {
			t.Errorf("promised %q: %s\nwant %s", c.promised, got, c.want)
		}
	}
}

func TestNeedsOfAScript(t *testing.T) {
	for text, want := range map[string]string{
		`s = spawn(["python3", "-c", "1"])`:                       "python3",
		`py = shell("python3")`:                                   "python3",
		"r = run(\"git log -1\")\nrun([\n  \"git\", \"diff\"])":   "git",
		`spawn(["sh", "-c", "echo python3"])`:                     "",
		`spawn("cat")`:                                            "",
		"# needs: tmux less\nspawn(\"sh -c tmux\")":               "tmux less",
		`say("run(the tests) of python3"); shell("zsh", cwd="/")`: "zsh",
	} {
		if got := strings.Join(testneed.Needs(text), " "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if !slices.Equal(testneed.Needs(`run("git a"); run("git b")`), []string{"git"}) {
		t.Error("a program is asked for twice")
	}
}
