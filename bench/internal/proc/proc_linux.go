package proc

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// Sample looks at a process; ok is false when it is gone.
func Sample(pid int) (u Usage, ok bool) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return Usage{}, false
	}
	u = parseStatus(string(status))
	if fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid)); err == nil {
		u.FDs = len(fds)
	}
	return u, u.Threads > 0
}

// WaitEnd waits until a child of this process has ended and leaves it to be reaped, so that CPU can still be asked.
func WaitEnd(pid int) error {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err
		}
	}
}

// CPU is the CPU time of all threads of a process, ended ones too, as long as the process has not been reaped.
func CPU(pid int) time.Duration {
	// A process's own clock counts in nanoseconds, /proc in hundredths of a second. How its number is made from the
	// process id is part of the kernel's interface; clock_getcpuclockid(3) of the C library does the same.
	const schedClock = 2
	var ts unix.Timespec
	if unix.ClockGettime(int32(^pid)<<3|schedClock, &ts) == nil {
		return time.Duration(ts.Nano())
	}
	st, _ := stat(pid)
	return time.Duration(st.Ticks) * tick
}

// Descendants are the process ids of all living children of a process, their children and so on.
func Descendants(pid int) []int {
	parents := map[int]int{}
	for _, p := range all() {
		if st, ok := stat(p); ok {
			parents[p] = st.Parent
		}
	}
	return descendants(pid, parents)
}

// Running are the processes that run the program at the path.
func Running(path string) []int {
	var found []int
	for _, p := range all() {
		if exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", p)); err == nil && exe == path {
			found = append(found, p)
		}
	}
	return found
}

func stat(pid int) (Stat, bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return Stat{}, false
	}
	return parseStat(string(text))
}

func all() []int {
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var pids []int
	for _, d := range dirs {
		if pid, err := strconv.Atoi(d.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
