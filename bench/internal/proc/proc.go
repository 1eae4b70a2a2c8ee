// Package proc looks at another process from outside: memory, threads, file descriptors, CPU time, descendants.
//
// The figures are of that one process. Its children are never counted, whether it has waited for them or not, which is
// why the resource usage that wait(2) reports is of no use here. Only Linux shows all this; elsewhere the package builds
// and every figure is zero.
package proc

import (
	"strconv"
	"strings"
	"time"
)

// Usage is what a process holds at one moment.
type Usage struct {
	RSS     int64 // bytes in memory now
	Peak    int64 // bytes in memory at most, so far
	Threads int
	FDs     int
}

// Stat is what is of use here of /proc/PID/stat.
type Stat struct {
	State  byte
	Parent int
	Ticks  int64 // CPU time, user and system, in clock ticks
}

// parseStat reads /proc/PID/stat. The program's name, in parentheses, may itself hold blanks and parentheses.
func parseStat(text string) (Stat, bool) {
	_, rest, _ := strings.Cut(text, "(")
	end := strings.LastIndexByte(rest, ')')
	if end < 0 {
		return Stat{}, false
	}
	fields := strings.Fields(rest[end+1:])
	if len(fields) < 13 {
		return Stat{}, false
	}
	parent, err1 := strconv.Atoi(fields[1])
	user, err2 := strconv.ParseInt(fields[11], 10, 64)
	system, err3 := strconv.ParseInt(fields[12], 10, 64)
	if err1 != nil || err2 != nil || err3 != nil {
		return Stat{}, false
	}
	return Stat{State: fields[0][0], Parent: parent, Ticks: user + system}, true
}

// parseStatus reads /proc/PID/status.
func parseStatus(text string) Usage {
	var u Usage
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(line, ":")
		fields := strings.Fields(value)
		if len(fields) == 0 {
			continue
		}
		n, err := strconv.ParseInt(fields[0], 10, 64)
		if err != nil {
			continue
		}
		switch name {
		case "VmRSS":
			u.RSS = n << 10
		case "VmHWM":
			u.Peak = n << 10
		case "Threads":
			u.Threads = int(n)
		}
	}
	return u
}

// descendants returns the children of root, their children and so on, given every process's parent.
func descendants(root int, parents map[int]int) []int {
	var found []int
	for pid := range parents {
		for up, steps := pid, 0; up > 1 && steps < len(parents); steps++ {
			up = parents[up]
			if up == root {
				found = append(found, pid)
				break
			}
		}
	}
	return found
}

// tick is the unit of Stat.Ticks; Linux shows user programs hundredths of a second on every architecture Go runs on.
const tick = 10 * time.Millisecond
