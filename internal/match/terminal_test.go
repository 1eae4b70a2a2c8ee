package match

import (
	"os"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

const oNoCTTY = syscall.O_NOCTTY

// openTerminal returns the master of a new terminal, for the poller, and the name of its other side.
func openTerminal(t *testing.T) (master *os.File, name string) {
	t.Helper()
	m, tty, err := pty.Open()
	if err != nil {
		t.Skip("no terminal to be had: ", err)
	}
	defer m.Close()
	defer tty.Close()
	fd, err := syscall.Dup(int(m.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fd), "terminal"), tty.Name()
}
