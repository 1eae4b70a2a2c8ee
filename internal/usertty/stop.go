package usertty

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// stopDelay is how long a stop may take to come. Where there is nobody who could let us go on, it never does.
const stopDelay = 200 * time.Millisecond

// StopProcess stops us until somebody lets us go on, like SIGTSTP. A process is not stopped yet when it has sent itself the
// signal: another one of its threads may take it.
func StopProcess() {
	back := make(chan os.Signal, 1)
	signal.Notify(back, syscall.SIGCONT)
	defer signal.Stop(back)
	syscall.Kill(os.Getpid(), syscall.SIGTTIN)
	select {
	case <-back:
	case <-time.After(stopDelay):
	}
}
