package proc

import (
	"bytes"
	"errors"
	"fmt"
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

// scan reads the whole process table. A process that vanishes meanwhile is left out.
func scan() ([]entry, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fault.New(fault.Env, "cannot list the processes: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
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

// scanOne reads one row.
func scanOne(pid int) (entry, bool) {
	var buf [1024]byte
	n, err := readSmall(fmt.Sprintf("/proc/%d/stat", pid), buf[:])
	if err != nil {
		return entry{}, false
	}
	return parseStat(buf[:n])
}

// readSmall fills buf from a file. It spares what os.File does for files that can wait: these never do, and there are
// hundreds of them.
func readSmall(path string, buf []byte) (int, error) {
	for {
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return 0, err
		}
		n, err := unix.Read(fd, buf)
		unix.Close(fd)
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
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
		env, err := os.ReadFile(path)
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
