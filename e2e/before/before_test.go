package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestScriptsOfATree(t *testing.T) {
	tree := t.TempDir()
	for name, text := range map[string]string{
		"scripts/a.star":   "print(1)\n",
		"README.md":        "# One\n```python\nx = 1\n```\n",
		"docs/page.md":     "# P\n## `glob`\n```python\nglob(text) → pattern\n```\n```python\nglob(\"*\")\n```\n```sh\nls\n```\n```python\n# two\n```\n## Other\n```python\ny = 2\n```\n",
		"docs/sub/page.md": "# Q\n```python\nz = 3\n```\n",
	} {
		file := filepath.Join(tree, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list, err := scripts(tree)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range list {
		got = append(got, s.name+"="+strings.TrimSpace(s.text))
	}
	want := `scripts/a.star=|docs/page.md: glob, 1=glob("*")|docs/page.md: glob, 2=# two|docs/page.md: Other, 1=y = 2|docs/sub/page.md: Q, 1=z = 3|README.md: One, 1=x = 1`
	if strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
}

func TestSteady(t *testing.T) {
	const dir = "/tmp/x-123"
	a := steady("/tmp/x-123/f took 12ms, pid 40122, ff01-2233-44aa\n", dir)
	b := steady("/tmp/x-123/f took 8ms, pid 7, 0101-2233-44ab\n", dir)
	if a != b || !strings.Contains(a, "DIR/f took 0ms") {
		t.Errorf("%q and %q", a, b)
	}
	if steady("passed\n", dir) == steady("failed\n", dir) {
		t.Error("words are the same")
	}
}

func TestKind(t *testing.T) {
	for text, want := range map[string]string{
		"a.star:3:10: timeout: expect \"x\": nothing\n    3 | x\n": "timeout",
		"step one\n/tmp/a/b.star:1:1: env: spawn x: not found\n":   "env",
		"": "", "a note: of nothing\n": "",
	} {
		if got := kind(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestSame(t *testing.T) {
	ok, other, failed := outcome{0, "", "a"}, outcome{0, "", "b"}, outcome{1, "timeout", "a"}
	for _, c := range []struct {
		olds []outcome
		now  outcome
		want bool
	}{
		{[]outcome{ok}, ok, true}, {[]outcome{ok}, other, false}, {[]outcome{ok}, failed, false},
		{[]outcome{ok, other}, outcome{0, "", "c"}, true}, {[]outcome{ok, other}, failed, false},
		{[]outcome{failed, failed}, outcome{1, "eof", "a"}, false}, {[]outcome{failed, ok}, ok, true},
	} {
		if got := same(c.olds, c.now); got != c.want {
			t.Errorf("%v and %v: %v", c.olds, c.now, got)
		}
	}
}

func TestNamedInTheChangelog(t *testing.T) {
	diff := "--- a/CHANGELOG.md\n+++ b/CHANGELOG.md\n@@ -1 +1 @@\n-- `scripts/old.star` was\n+- expect: `scripts/a.star` and `docs/http.md: Cookies, 1` print more\n"
	for name, want := range map[string]bool{
		"scripts/a.star": true, "docs/http.md: Cookies, 1": true, "docs/http.md: Cookies, 2": false, "scripts/old.star": false, "a.star": false,
	} {
		if got := named(diff, name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestDifferenceIsShown(t *testing.T) {
	d := difference{"scripts/a.star", outcome{0, "", "ok\n"}, outcome{1, "timeout", ""}}
	want := "  before: status 0, printed \"ok\\n\"\n  now:    status 1 (timeout), printed \"\"\n"
	if got := fmt.Sprint(d); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
