package session

import (
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"omniexpect/internal/match"
	"omniexpect/internal/proc"
)

// TestSignalsAreClean has this process ignore the signals of job control and block others, as one that was started so: a
// program has neither, and this process still does.
func TestSignalsAreClean(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTSTP, syscall.SIGTTOU} {
		var was sigaction
		if !action(sig, nil, &was) || !action(sig, &sigaction{handler: sigIgnore}, nil) {
			t.Fatal("signals cannot be changed")
		}
		defer action(sig, &was, nil)
	}
	for _, pipes := range []bool{false, true} {
		var s *Session
		blocking(t, func() {
			s = start(t, "signals", proc.KillTree, func(c *Config) {
				c.Argv, c.Pipes = []string{"grep", "-E", "SigBlk|SigIgn", "/proc/self/status"}, pipes
			})
		})
		text := see(t, s, match.Regexp, `SigIgn:\s+\w+`)
		if got := text.Before.String() + text.Text; strings.Count(got, "\t0000000000000000") != 2 {
			t.Errorf("pipes %v: a program has signals that are blocked or ignored:\n%s", pipes, got)
		}
	}
	var now sigaction
	if action(syscall.SIGTTOU, nil, &now); now.handler != sigIgnore {
		t.Errorf("this process has not what it had: handler %d", now.handler)
	}
}

// blocking has f run on a thread that has signals blocked, which f leaves so. The thread is f's alone: coroutines, as waits
// have, are not made on a goroutine that is tied to one.
func blocking(t *testing.T, f func()) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	blocked := unix.Sigset_t{}
	blocked.Val[0] = 1<<(syscall.SIGUSR1-1) | 1<<(syscall.SIGWINCH-1)
	var before, after unix.Sigset_t
	if err := unix.PthreadSigmask(unix.SIG_BLOCK, &blocked, &before); err != nil {
		t.Fatal(err)
	}
	defer unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil)
	f()
	unix.PthreadSigmask(unix.SIG_SETMASK, nil, &after)
	if after.Val[0]&blocked.Val[0] != blocked.Val[0] {
		t.Errorf("this thread has not what it had: blocked %x", after.Val[0])
	}
}
