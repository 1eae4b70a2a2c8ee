package match

import (
	"os"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

const oNoCTTY = syscall.O_NOCTTY

// openTerminal returns the master of a new terminal, and the name of its other side.
func openTerminal(t *testing.T) (master *os.File, name string) {
	t.Helper()
	m, tty, err := pty.Open()
	if err != nil {
		t.Skip("no terminal available: ", err)
	}
	tty.Close()
	return m, tty.Name()
}
