package session

import (
	"runtime"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sigaction is the kernel's struct of rt_sigaction. What follows the handler differs between machines, and is passed on.
type sigaction struct {
	handler uintptr
	rest    [7]uintptr
}

// SIG_DFL and SIG_IGN.
const (
	sigDefault = 0
	sigIgnore  = 1
)

// changing is held while what signals do is changed: that is of the whole process, not of one run.
var changing sync.Mutex

// cleanSignals gives what is started now, on this goroutine, no blocked signals and the default for those of job control,
// until back is called. Go neither looks at the latter nor lets a child have anything but what this process was started
// with. To catch them for good, as others are, will not do: a process in the background that catches SIGTTOU goes round in
// circles where one that ignores it goes on.
func cleanSignals() (back func()) {
	changing.Lock()
	// All threads have the signals blocked that the first one had, so that any of them will do.
	var blocked unix.Sigset_t
	masked := unix.PthreadSigmask(unix.SIG_SETMASK, nil, &blocked) == nil && blocked != unix.Sigset_t{}
	changed := ignored()
	if !masked && len(changed) == 0 {
		changing.Unlock()
		return func() {}
	}
	runtime.LockOSThread()
	if masked {
		unix.PthreadSigmask(unix.SIG_SETMASK, &unix.Sigset_t{}, nil)
	}
	for _, sig := range changed {
		action(sig, &sigaction{handler: sigDefault}, nil)
	}
	return func() {
		for _, sig := range changed {
			action(sig, &sigaction{handler: sigIgnore}, nil)
		}
		if masked {
			unix.PthreadSigmask(unix.SIG_SETMASK, &blocked, nil)
		}
		runtime.UnlockOSThread()
		changing.Unlock()
	}
}

// ignored returns the signals of job control that are ignored.
func ignored() (all []syscall.Signal) {
	for _, sig := range []syscall.Signal{syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU, syscall.SIGCONT} {
		var now sigaction
		if action(sig, nil, &now) && now.handler == sigIgnore {
			all = append(all, sig)
		}
	}
	return all
}

// action changes or reads what a signal does.
func action(sig syscall.Signal, set, get *sigaction) bool {
	const size = 8 // of a set of signals
	_, _, err := syscall.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(set)),
		uintptr(unsafe.Pointer(get)), size, 0, 0)
	return err == 0
}
