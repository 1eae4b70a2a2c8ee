// Package testneed is how a test says which programs it needs. Where one is missing the test is skipped and names it; where
// the environment promises the program, as CI does for what it installs, the test fails instead.
package testneed

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"omniexpect/internal/lazy"
)

// Promised is the environment variable that lists the programs that must be there, separated by blanks.
const Promised = "OMNIEXPECT_CI_PROGRAMS"

// Programs skips the test where one of the programs is not in PATH.
func Programs(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			missing(t, name, name+" is not installed")
		}
	}
}

// Has reports whether a program is in PATH, for a test that does with less. One that is promised has to be.
func Has(t testing.TB, name string) bool {
	t.Helper()
	_, err := exec.LookPath(name)
	if err != nil && promised(name) {
		t.Errorf("%s is not installed, although %s promises it", name, Promised)
	}
	return err == nil
}

// Script skips the test where a script needs a program that is not there: one that it starts by its plain name and that a
// plain system need not have, or one that a line "# needs: NAME…" lists.
func Script(t testing.TB, text string) {
	t.Helper()
	Programs(t, Needs(text)...)
}

var started = lazy.Regexp(`\b(?:spawn|run|shell)\(\s*\[?\s*"([\w.+-]+)`)

var declared = lazy.Regexp(`(?m)^# needs: (.*)$`)

// Needs returns the programs that Script asks for.
func Needs(text string) (names []string) {
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, m := range started().FindAllStringSubmatch(text, -1) {
		if slices.Contains(optional(), m[1]) {
			add(m[1])
		}
	}
	for _, m := range declared().FindAllStringSubmatch(text, -1) {
		for _, name := range strings.Fields(m[1]) {
			add(name)
		}
	}
	return names
}

var program = lazy.Regexp(`[\w.+-]+`)

// Skipped passes on that a script has skipped itself. Where the reason names a program that is promised, the test fails.
func Skipped(t testing.TB, reason string) {
	t.Helper()
	for _, word := range program().FindAllString(reason, -1) {
		if promised(word) {
			t.Fatalf("skipped: %s, although %s promises %s", reason, Promised, word)
		}
	}
	t.Skip(reason)
}

// optional are the programs that scripts of ours use and a plain system need not have.
func optional() []string {
	return []string{"python3", "zsh", "git", "tmux", "screen", "sqlite3", "expect", "less", "vim", "nano", "ssh", "sudo", "curl",
		"gdb", "strace", "openssl", "perl", "mksh", "ksh", "dash"}
}

func promised(name string) bool { return slices.Contains(strings.Fields(os.Getenv(Promised)), name) }

func missing(t testing.TB, name, why string) {
	t.Helper()
	if promised(name) {
		t.Fatalf("%s, although %s promises it", why, Promised)
	}
	t.Skip(why)
}
