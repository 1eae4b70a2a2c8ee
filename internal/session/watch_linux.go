package session

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// prepareWatch asks for a pidfd, through which the exit can be awaited in the poller instead of in a thread.
func prepareWatch(cmd *exec.Cmd) {
	fd := -1
	cmd.SysProcAttr.PidFD = &fd
}

// watch waits for the program's exit in the background.
func (s *Session) watch(cmd *exec.Cmd) error {
	fd := *cmd.SysProcAttr.PidFD
	if fd < 0 || unix.SetNonblock(fd, true) != nil {
		go s.waitBlocking()
		return nil
	}
	// The process is ours to reap: os.Process keeps a second descriptor, which is given up.
	cmd.Process.Release()
	f := os.NewFile(uintptr(fd), "pidfd")
	rc, err := f.SyscallConn()
	if err != nil {
		f.Close()
		go s.waitBlocking()
		return nil
	}
	go func() {
		defer f.Close()
		var ws syscall.WaitStatus
		err := rc.Read(func(uintptr) bool {
			pid, err := syscall.Wait4(s.PID, &ws, syscall.WNOHANG, nil)
			return pid == s.PID || err != nil && err != syscall.EINTR
		})
		if err != nil {
			s.waitBlocking()
			return
		}
		s.ended(statusOf(ws))
	}()
	return nil
}
