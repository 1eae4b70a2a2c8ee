package proc

import (
	"bytes"
	"strconv"

	"golang.org/x/sys/unix"
)

// The bounds of since: what may have been started meanwhile, and how long that may be ago, in hundredths of a second. In
// that time no system gets through all its process ids and begins anew.
const (
	maxSince = 128
	sinceAge = 50
)

// since returns the rows of what was started after a process, if that is little: Linux gives process ids away in order,
// and returns which was the last. Most programs end without having started anything, and reading a whole table for that
// would take longer than running them.
func since(pid int, start uint64) (rows []entry, ok bool) {
	if now := Now(); start == 0 || now < start || now-start > sinceAge || ours() != nil {
		return nil, false
	}
	last := lastPID()
	if last < pid || last-pid > maxSince {
		return nil, false
	}
	for p := pid + 1; p <= last; p++ {
		// A thread's number has a row too, which the listing of the table does not show.
		e, err := scanOne(p)
		if err != nil && err != errGone {
			return nil, false
		}
		if err == nil && !e.thread {
			rows = append(rows, e)
		}
	}
	return rows, true
}

// latest returns the rows of what was started last.
func latest() (rows []entry) {
	if ours() != nil {
		return nil
	}
	last := lastPID()
	for p := max(last-4, 2); p <= last+1; p++ {
		if e, err := scanOne(p); err == nil && !e.thread {
			rows = append(rows, e)
		}
	}
	return rows
}

// Now returns the Start that a process has which is started now; 0 where that is not known.
func Now() uint64 {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &now) != nil {
		return 0
	}
	return uint64(now.Sec)*100 + uint64(now.Nsec)/1e7
}

// procMagic is PROC_SUPER_MAGIC, by which statfs knows /proc.
const procMagic = 0x9fa0

// lastPID returns the process id that was given away last, or 0. In a container another file system may lie over the file,
// which says it seconds later.
func lastPID() int {
	fd, err := open("/proc/loadavg")
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	var fs unix.Statfs_t
	if unix.Fstatfs(fd, &fs) != nil || fs.Type != procMagic {
		return 0
	}
	var buf [128]byte
	n, err := unix.Read(fd, buf[:])
	if err != nil {
		return 0
	}
	f := bytes.Fields(buf[:n])
	if len(f) < 5 {
		return 0
	}
	pid, _ := strconv.Atoi(string(f[4]))
	return pid
}
