package linediff_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"

	"omniexpect/internal/linediff"
	"omniexpect/internal/testneed"
)

func unified(t testing.TB, a, b string) string {
	t.Helper()
	out, err := linediff.Unified("a", a, "b", b, func(int) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestInvisible shows what a person cannot see in lines that differ.
func TestInvisible(t *testing.T) {
	const head = "--- a\n+++ b\n@@ -1,1 +1,1 @@\n"
	for _, c := range [][3]string{
		{"a", "a\n", "-a\n\\ No newline at end of file\n+a\n"},
		{"a\r\n", "a\n", "-a\\r\n+a\n"},
		{"a \n", "a\n", "-a\\x20\n+a\n"},
		{"a\t\n", "a \t\n", "-a\\t\n+a\\x20\\t\n"},
		{"a\tb\n", "a b\n", "-a\tb\n+a b\n"},
		{"a\u00a0b\n", "a b\n", "-a\\u00a0b\n+a b\n"},
		{"a\u200bb\n", "ab", "-a\\u200bb\n+ab\n\\ No newline at end of file\n"},
		{"\x1b[2Jé\n", "\xff\ufffd\n", "-\\x1b[2Jé\n+\\xff\\ufffd\n"},
		{"a \r", "a\r", "-a\\x20\\r\n\\ No newline at end of file\n+a\\r\n\\ No newline at end of file\n"},
	} {
		if got := unified(t, c[0], c[1]); got != head+c[2] {
			t.Errorf("%q, %q: got\n%swant\n%s", c[0], c[1], got, head+c[2])
		}
	}
	if got, want := unified(t, "", "a\n"), "--- a\n+++ b\n@@ -0,0 +1,1 @@\n+a\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestEnds makes sure that a comparison ends when it is told to.
func TestEnds(t *testing.T) {
	long := strings.Repeat("a\n", 1000)
	for limit := 100; limit < 9000; limit += 700 {
		left, stop := limit, errors.New("stop")
		_, err := linediff.Unified("a", long, "b", long+"b\n", func(n int) error {
			if left -= n; left < 0 {
				return stop
			}
			return nil
		})
		if err != stop {
			t.Errorf("after %d lines: %v", limit, err)
		}
	}
}

// FuzzUnified compares with the library where nothing is invisible, and lets patch(1) make one text of the other.
func FuzzUnified(f *testing.F) {
	for _, pair := range [][2]string{{"", "a"}, {"a\nb\nc\nd\ne\nf\ng\nh\n", "a\nB\nc\nd\ne\nf\ng\nH"}, {"a\n\n\na\n", "\n\na\nb\n"}, {"1\n2\n3\n", "3\n2\n1\n"}} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		got := unified(t, a, b)
		if (got == "") != (a == b) {
			t.Fatalf("%q, %q: %q", a, b, got)
		}
		if strings.ContainsFunc(a+b, func(r rune) bool { return r != '\n' && (r <= ' ' || r >= 0x7f) }) {
			return
		}
		want := strings.TrimPrefix(string(diff.Diff("a", []byte(a), "b", []byte(b))), "diff a b\n")
		if got != want {
			t.Fatalf("%q, %q: got\n%s\nwant\n%s", a, b, got, want)
		}
	})
}

// TestPatch lets another program make one text of the other.
func TestPatch(t *testing.T) {
	testneed.Programs(t, "patch")
	for _, c := range [][2]string{{"a", "a\n"}, {"a\n", "a"}, {"1\n2\n3\n4\n5\n6\n7\n8\n9", "0\n1\n2\n4\n5\n6\n7\n8\n10\n"}} {
		file := filepath.Join(t.TempDir(), "a")
		if err := os.WriteFile(file, []byte(c[0]), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("patch", "-s", file)
		cmd.Stdin = strings.NewReader(unified(t, c[0], c[1]))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%q to %q: %v: %s", c[0], c[1], err, out)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != c[1] {
			t.Errorf("%q to %q: got %q, %v", c[0], c[1], got, err)
		}
	}
}
