package proc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"omniexpect/internal/fault"
)

// kernelThread is PF_KTHREAD, the flag of a kernel thread in the process table.
const kernelThread = 0x00200000

// exitSignal is the field, counted after the name, of the signal that tells the parent of an end. Threads send none.
const exitSignal = 35

// scan reads the whole process table. A process that vanishes meanwhile is left out, as is one that the system hides.
func scan() ([]entry, error) {
	names, err := listed()
	if err != nil {
		return nil, fault.New(fault.Env, "cannot list the processes: %w", err)
	}
	rows := make([]entry, 0, len(names))
	var buf [1024]byte
	for _, name := range names {
		if name[0] < '1' || name[0] > '9' {
			continue
		}
		n, err := readSmall("/proc/"+name+"/stat", buf[:])
		if full(err) { // a table with holes is worse than none
			return nil, fault.New(fault.Env, "cannot list the processes: %w", err)
		}
		if err != nil {
			continue
		}
		if e, ok := parseStat(buf[:n]); ok {
			rows = append(rows, e)
		}
	}
	if len(rows) == 0 {
		return nil, fault.New(fault.Env, "cannot list the processes: /proc shows none, it may not be mounted")
	}
	return rows, nil
}

// listed returns the names in /proc, with its descriptor given back.
func listed() ([]string, error) {
	if err := ours(); err != nil {
		return nil, err
	}
	fd, err := open("/proc")
	if err != nil {
		return nil, err
	}
	dir := os.NewFile(uintptr(fd), "/proc")
	defer dir.Close()
	return dir.Readdirnames(-1)
}

// ours returns an error if /proc is that of another PID namespace, as after unshare --pid without a mount: its numbers are
// not those that we signal by.
func ours() error {
	var buf [20]byte
	n, err := unix.Readlink("/proc/self", buf[:])
	if err != nil {
		return err
	}
	if string(buf[:n]) != strconv.Itoa(os.Getpid()) {
		return errors.New("/proc is that of another PID namespace")
	}
	return nil
}

// scanOne reads one row, of a /proc that is ours. The error is errGone if there is no such process.
func scanOne(pid int) (entry, error) {
	var buf [1024]byte
	n, err := readSmall(fmt.Sprintf("/proc/%d/stat", pid), buf[:])
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ESRCH) {
		return entry{}, errGone
	}
	if err != nil {
		return entry{}, err
	}
	e, ok := parseStat(buf[:n])
	if !ok {
		return entry{}, fmt.Errorf("the state of process %d cannot be read", pid)
	}
	return e, nil
}

// fullTimeout bounds how long a descriptor is waited for when all are in use. Sessions that end at the same time give theirs
// back soon.
const fullTimeout = 300 * time.Millisecond

// open opens a file of /proc. It spares what os.File does for files that can wait: these never do, and there are hundreds
// of them.
func open(path string) (fd int, err error) {
	var until time.Time
	for {
		fd, err = unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		switch {
		case errors.Is(err, unix.EINTR):
		case !full(err):
			return fd, err
		case until.IsZero():
			until = time.Now().Add(fullTimeout)
		case time.Now().After(until):
			return fd, err
		default:
			time.Sleep(time.Millisecond)
		}
	}
}

// readSmall fills buf from a file.
func readSmall(path string, buf []byte) (int, error) {
	fd, err := open(path)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	for {
		n, err := unix.Read(fd, buf)
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// readAll returns what is in a file.
func readAll(path string) ([]byte, error) {
	fd, err := open(path)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), path)
	defer f.Close()
	return io.ReadAll(f)
}

// parseStat reads a line of /proc/PID/stat. The short name may hold blanks and brackets: the last bracket ends it.
func parseStat(line []byte) (entry, bool) {
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 2 || end < open {
		return entry{}, false
	}
	f := strings.Fields(string(line[end+1:]))
	if len(f) < 20 {
		return entry{}, false
	}
	num := func(i int) int {
		n, _ := strconv.Atoi(f[i])
		return n
	}
	pid, err := strconv.Atoi(string(line[:open-1]))
	if err != nil {
		return entry{}, false
	}
	start, _ := strconv.ParseUint(f[19], 10, 64)
	e := entry{
		Process: Process{
			PID: pid, PPID: num(1), PGID: num(2), SID: num(3), TTY: ttyName(uint32(num(4))),
			Name: string(line[open+1 : end]), Start: start,
		},
		foreground: num(5),
		stopped:    f[0] == "T" || f[0] == "t",
		kernel:     num(6)&kernelThread != 0,
		thread:     len(f) > exitSignal && f[exitSignal] == "-1",
	}
	// A first thread that has ended while others go on looks like a zombie, with company.
	switch f[0] {
	case "Z", "X", "x":
		e.dead = num(17) <= 1
	}
	return e, true
}

// ttyName returns the path of a terminal from its number in the process table.
func ttyName(number uint32) string {
	major := number >> 8 & 0xfff
	minor := number&0xff | number>>12&0xfff00
	switch {
	case number == 0:
		return ""
	case major >= 136 && major <= 143:
		return fmt.Sprintf("/dev/pts/%d", (major-136)<<8+minor)
	case major == 4 && minor < 64:
		return fmt.Sprintf("/dev/tty%d", minor)
	case major == 4:
		return fmt.Sprintf("/dev/ttyS%d", minor-64)
	case major == 5 && minor == 1:
		return "/dev/console"
	}
	return fmt.Sprintf("terminal %d:%d", major, minor)
}

// nameOf reads the command line of a process.
func nameOf(e *entry) string {
	var buf [1024]byte
	n, _ := readSmall(fmt.Sprintf("/proc/%d/cmdline", e.PID), buf[:])
	return commandName(buf[:max(n, 0)], e.Name)
}

// hasMarker reports whether the marker is in the environment that a process was started with.
func hasMarker(e *entry, marker string) bool {
	if e.kernel || e.dead {
		return false
	}
	path := fmt.Sprintf("/proc/%d/environ", e.PID)
	// A process that is just becoming another program has no environment for a moment.
	for range 3 {
		env, err := readAll(path)
		if err != nil {
			return false
		}
		if len(env) > 0 {
			return carries(env, marker)
		}
		time.Sleep(200 * time.Microsecond)
	}
	return false
}

// hasOpen reports whether a process has a descriptor of one of the files, as far as the system lets us see.
func hasOpen(e *entry, files []string) bool {
	if e.kernel {
		return false
	}
	dir := fmt.Sprintf("/proc/%d/fd", e.PID)
	fds, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, fd := range fds {
		if target, err := os.Readlink(dir + "/" + fd.Name()); err == nil && slices.Contains(files, target) {
			return true
		}
	}
	return false
}
