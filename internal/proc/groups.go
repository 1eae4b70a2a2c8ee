package proc

import (
	"syscall"
	"time"
)

// A program that starts a copy of itself and ends, again and again, has another process id whenever the table is read. A
// reading may show none of its copies alive, or one that is gone before its environment can be read. Its process group stays
// the same, though, and the kernel signals a group at once, with what is just being started in it.

// The bounds of look while something goes on in a set in which nothing is seen to live: a time, but so many readings at
// least, since a single one may take all of the time on a busy machine.
const (
	lookTimeout = 200 * time.Millisecond
	lookReads   = 20
)

// look reads the set, until it is known that nothing is left if nothing is seen.
func (e *ending) look() []Process {
	until := time.Now().Add(lookTimeout)
	for reads := 1; ; reads++ {
		set := e.members()
		if len(set) > 0 || !e.restless || reads >= lookReads && time.Now().After(until) {
			return set
		}
		if set = e.spot(); len(set) > 0 {
			return set
		}
	}
}

// spot looks for a member of the program's session among what was started last. One that carries the marker shows that the
// session still is the program's.
func (e *ending) spot() []Process {
	for _, r := range latest() {
		if r.SID != e.plan.PID || r.dead || e.plan.Strength == KillGroup && r.PGID != e.plan.PID {
			continue
		}
		if e.plan.Marker != "" && hasMarker(&r, e.plan.Marker) {
			e.spotted, e.seen[r.id()], e.whole[r.PGID] = true, true, true
			return []Process{r.Process}
		}
	}
	return nil
}

// survey notes of a reading which process groups are wholly in the set, and whether something goes on in the program's
// session although nothing in the set lives: somebody has died since the reading before, somebody is there whose environment
// could not be read, or the program's group is said to have members of which the table shows none.
func (e *ending) survey(rows []entry, in, safe map[int]bool, ours bool) {
	whole, dead, explained := map[int]bool{}, map[id]bool{}, false
	e.whole, e.restless = whole, false
	if !ours {
		return
	}
	for i := range rows {
		r := &rows[i]
		explained = explained || r.PGID == e.plan.PID
		switch {
		case r.SID != e.plan.PID:
		case !r.dead:
			other, known := whole[r.PGID]
			whole[r.PGID] = (other || !known) && in[r.PID] && !safe[r.PID]
			// With KillGroup, other groups stay by intention.
			concerns := e.plan.Strength != KillGroup || r.PGID == e.plan.PID
			e.restless = e.restless || concerns && !in[r.PID] && r.Start >= e.plan.Start
		case r.PID != e.plan.PID:
			dead[r.id()] = true
			e.restless = e.restless || !e.dead[r.id()]
		}
	}
	e.restless = e.restless || !explained && syscall.Kill(-e.plan.PID, 0) == nil
	e.dead = dead
}

// sendGroups signals the process groups that are wholly in the set.
func (e *ending) sendGroups(signal syscall.Signal) {
	for group, whole := range e.whole {
		if whole && group > 1 && group != syscall.Getpgrp() {
			syscall.Kill(-group, signal)
		}
	}
}
