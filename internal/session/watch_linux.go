package session

import (
	"os"
	"os/exec"

	"omniexpect/internal/rawio"
)

// prepareWatch asks for a pidfd, by which a program's end is known without a thread that waits for it.
func prepareWatch(cmd *exec.Cmd) {
	fd := -1
	cmd.SysProcAttr.PidFD = &fd
}

// takeWatch takes what prepareWatch asked for; nil if the system has none.
func takeWatch(cmd *exec.Cmd) *rawio.File {
	fd := *cmd.SysProcAttr.PidFD
	if fd < 0 {
		return nil
	}
	f, err := rawio.Take(os.NewFile(uintptr(fd), "pidfd"))
	if err != nil {
		return nil
	}
	cmd.Process.Release() // the process is ours to reap: os.Process keeps a descriptor of its own
	return f
}
