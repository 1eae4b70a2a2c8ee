package proc

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"omniexpect/internal/fault"
)

// The states of a process in the process table (sys/proc.h).
const (
	stateStopped = 4
	stateZombie  = 5
)

// scan reads the whole process table.
func scan() ([]entry, error) {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, fault.New(fault.Env, "cannot list the processes: %w", err)
	}
	rows := make([]entry, 0, len(list))
	for i := range list {
		rows = append(rows, row(&list[i]))
	}
	return rows, nil
}

// ours returns nil: the system answers for the processes that we signal.
func ours() error { return nil }

// scanOne reads one row. The error is errGone if there is no such process, which the system answers with nothing.
func scanOne(pid int) (entry, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if errors.Is(err, unix.EIO) || err == nil && int(info.Proc.P_pid) != pid {
		return entry{}, errGone
	}
	if err != nil {
		return entry{}, err
	}
	return row(info), nil
}

// row makes a row of what the system answers, which lacks the session: that is asked for apart.
func row(info *unix.KinfoProc) entry {
	pid := int(info.Proc.P_pid)
	sid, _ := unix.Getsid(pid)
	began := info.Proc.P_starttime
	return entry{
		Process: Process{
			PID: pid, PPID: int(info.Eproc.Ppid), PGID: int(info.Eproc.Pgid), SID: sid,
			TTY:   ttyName(uint32(info.Eproc.Tdev)),
			Name:  unix.ByteSliceToString(info.Proc.P_comm[:]),
			Start: uint64(began.Sec)*1e6 + uint64(began.Usec),
		},
		dead:       info.Proc.P_stat == stateZombie,
		stopped:    info.Proc.P_stat == stateStopped,
		kernel:     pid == 0,
		foreground: int(info.Eproc.Tpgid),
	}
}

// ttyName returns the path of a terminal from its device number: pseudo-terminals have major 16.
func ttyName(dev uint32) string {
	if dev == 0 || dev == ^uint32(0) {
		return ""
	}
	if dev>>24 == 16 {
		return fmt.Sprintf("/dev/ttys%03d", dev&0xffffff)
	}
	return fmt.Sprintf("terminal %d:%d", dev>>24, dev&0xffffff)
}

// nameOf reads the command line of a process.
func nameOf(e *entry) string {
	raw, _ := unix.SysctlRaw("kern.procargs2", e.PID)
	args, _ := splitArgs(raw)
	return commandName(args, e.Name)
}

// hasMarker reports whether the marker is in the environment that a process was started with.
func hasMarker(e *entry, marker string) bool {
	if e.dead || e.kernel {
		return false
	}
	raw, err := unix.SysctlRaw("kern.procargs2", e.PID)
	if err != nil {
		return false
	}
	_, env := splitArgs(raw)
	return carries(env, marker)
}

// hasOpen is always false: the system shows the descriptors of others only through a C library.
func hasOpen(*entry, []string) bool { return false }
