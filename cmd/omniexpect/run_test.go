package main

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"omniexpect/internal/check"
	"omniexpect/internal/param"
)

// TestOwnFlagsAreReserved keeps the names of our flags from the parameters of scripts.
func TestOwnFlagsAreReserved(t *testing.T) {
	new(runFlags).set().VisitAll(func(f *flag.Flag) {
		if !slices.Contains(param.Reserved(), strings.ReplaceAll(f.Name, "-", "_")) {
			t.Errorf("a script can have a parameter named %s", f.Name)
		}
	})
}

// TestNothingForNothing keeps what an empty script does not need out of its way, and only that.
func TestNothingForNothing(t *testing.T) {
	for _, tt := range []struct {
		code                 string
		asked, interruptible bool
	}{
		{"", false, false},
		{"x = [1, 2]\nif x:\n    y = x + [3]", false, false},
		{"while 1:\n    pass", false, true},
		{"[x for x in [1, 2]]", false, true},
		{"print(1)", true, true},
		{"f = len", true, true},
		{"f = expect", true, true},
		{`load("@lib//omnigent.star", "omnigent")`, true, true},
	} {
		r := newRunner(runFlags{scale: 1})
		src, _, err := r.open(tt.code, []string{os.DevNull})
		if err == nil {
			err = check.NewFor(r.words).Errors(src)
		}
		if err != nil {
			t.Errorf("%q: %v", tt.code, err)
			continue
		}
		if r.asked != tt.asked || r.interruptible(src) != tt.interruptible {
			t.Errorf("%q: asked %v, interruptible %v; want %v, %v", tt.code, r.asked, r.interruptible(src), tt.asked, tt.interruptible)
		}
		if done := r.run0.Closers != nil; done != tt.asked {
			t.Errorf("%q: closes sessions: %v, want %v", tt.code, done, tt.asked)
		}
	}
}
