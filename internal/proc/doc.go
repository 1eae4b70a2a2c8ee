// Package proc finds, names and ends the processes that belong to a spawned program.
//
// A program that is started on a terminal is the leader of a session of its own, and most of what it starts stays in
// that session. What leaves it is found in two more ways: by its chain of parents, as long as that is alive, and by a
// marker, MarkerEnv, that every program of a run has in its environment and that children inherit. A daemon that left
// the session and lost its parents has only the marker left. A run inside of another one's program carries both markers.
//
// A process id alone names nobody: it may have been given to another process since. A Process therefore carries the
// time it was started, and nothing is signalled before that time has been read again. On Linux this happens behind a
// pidfd, so that no process can slip in between the reading and the signal; the same pidfd tells the exit, and no wait
// costs a thread. Where the kernel has no pidfd, reading again and then kill is the next best thing.
//
// Ends happen in steps, see End. A zombie counts as gone: only its parent can do more about it, and the direct child's
// parent is the caller, who reaps it.
//
// What the systems can show:
//
//	                          Linux               macOS
//	session, group, parents   /proc               sysctl
//	marker                    own user's          own user's; the system hides it for its own protected programs
//	holders of a terminal     descriptors too     only whose controlling terminal it is
//	signal                    pidfd               read again, then kill
//	exit of others            pidfd               read again every few milliseconds
//
// Where no process table can be read at all (a /proc that is missing), only the program's own process group is
// signalled, and only while the caller has not reaped the program.
package proc

import (
	"fmt"
	"strings"
	"unicode"
)

// MarkerEnv is the environment variable that marks every process of a run, with several markers where runs are nested.
const MarkerEnv = "OMNIEXPECT_RUN"

// Process is one process as the process table showed it.
type Process struct {
	PID, PPID, PGID, SID int
	TTY                  string // path of the controlling terminal, "" without one
	Name                 string // the command line on one line, shortened
	Start                uint64 // when it was started, in the system's unit: not the same process if it differs
}

// String returns the process as messages name it.
func (p Process) String() string { return fmt.Sprintf("%s (pid %d)", p.Name, p.PID) }

// Same reports whether q is the same process, and not only the same process id.
func (p Process) Same(q Process) bool { return p.PID == q.PID && p.Start == q.Start }

// Names returns processes in one line: the first few by name, the rest as a number.
func Names(list []Process) string {
	const most = 4
	var b strings.Builder
	for i, p := range list {
		if i == most && len(list) > most+1 {
			fmt.Fprintf(&b, " and %d more", len(list)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.String())
	}
	return b.String()
}

// nameLimit is how many characters of a command line are worth their place in a message.
const nameLimit = 60

// commandName makes a name of NUL-separated arguments, or of the program's short name where there are none.
func commandName(args []byte, short string) string {
	text := strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, string(args))
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return "[" + short + "]"
	}
	if runes := []rune(text); len(runes) > nameLimit {
		text = string(runes[:nameLimit-1]) + "…"
	}
	return text
}
