package docs_test

import (
	"os"
	"testing"

	"omniexpect/internal/testhome"
)

// TestMain runs every example in a home of canaries.
func TestMain(m *testing.M) { os.Exit(testhome.Run(m.Run)) }
