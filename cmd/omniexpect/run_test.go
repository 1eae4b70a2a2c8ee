package main

import (
	"flag"
	"slices"
	"strings"
	"testing"

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
