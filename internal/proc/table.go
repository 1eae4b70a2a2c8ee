package proc

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// entry is a row of the process table: what a Process shows and what finding and ending it needs besides.
type entry struct {
	Process         // Name is the short name until it is filled in
	dead       bool // a zombie, or about to be removed
	stopped    bool // by a signal or a debugger
	thread     bool // not the first of its process
	kernel     bool // a kernel thread: nobody's child, no environment
	foreground int  // the foreground process group of its terminal
}

// errGone is that there is no such process.
var errGone = errors.New("no such process")

// Table reads the process table, once for all who ask at the same time: a hundred sessions that end together do not
// read it a hundred times. The zero value is ready, and the copy that a caller gets is never older than its question.
type Table struct {
	mu      sync.Mutex
	reading *reading // the last one that began, too old for a caller that asks now
	next    *reading // the one after it, which all callers that ask now will share
}

type reading struct {
	done chan struct{}
	rows []entry
	err  error
}

// read returns the living and the dead of a reading that begins after the call. The rows are shared: they are not to be
// changed.
func (t *Table) read() ([]entry, error) {
	t.mu.Lock()
	if r := t.next; r != nil {
		t.mu.Unlock()
		<-r.done
		return r.rows, r.err
	}
	r, before := &reading{done: make(chan struct{})}, t.reading
	t.next = r
	t.mu.Unlock()
	runtime.Gosched() // a caller that is about to ask may join
	if before != nil {
		<-before.done
	}
	t.mu.Lock()
	t.reading, t.next = r, nil
	t.mu.Unlock()
	r.rows, r.err = scan()
	close(r.done)
	return r.rows, r.err
}

// List returns every living process that the system shows.
func List() ([]Process, error) {
	rows, err := scan()
	if err != nil {
		return nil, err
	}
	return named(rows, func(*entry) bool { return true }), nil
}

// single reads one process's row without scanning the table.
func single(pid int) (entry, error) {
	if err := ours(); err != nil {
		return entry{}, err
	}
	return scanOne(pid)
}

// Lookup returns the process with an id, if it lives.
func Lookup(pid int) (Process, bool) {
	e, err := single(pid)
	if err != nil || e.dead {
		return Process{}, false
	}
	e.Name = nameOf(&e)
	return e.Process, true
}

// Stopped returns the process with an id, if a signal or a debugger has stopped it.
func Stopped(pid int) (Process, bool) {
	e, err := single(pid)
	if err != nil || e.dead || !e.stopped {
		return Process{}, false
	}
	e.Name = nameOf(&e)
	return e.Process, true
}

// StartOf returns when a process was started, also that of a child that has ended and was not reaped yet.
func StartOf(pid int) (uint64, bool) {
	e, err := single(pid)
	return e.Start, err == nil
}

// Tree returns the living members of the session that pid leads or led, and every living descendant of pid and of
// them, also those that changed their group or session. It works when pid itself is gone, for what its session still
// holds.
func Tree(pid int) []Process {
	rows, err := scan()
	if err != nil || pid <= 1 {
		return nil
	}
	in := descend(rows, nil, func(e *entry) bool { return e.PID == pid || e.SID == pid })
	return named(rows, func(e *entry) bool { return in[e.PID] })
}

// Marked returns the living processes whose environment holds the marker, never the calling one.
func Marked(marker string) []Process {
	if marker == "" {
		return nil
	}
	self := os.Getpid()
	start, _ := StartOf(self)
	rows, ok := since(self, start) // a process that has the marker got it from this one
	if !ok {
		rows, _ = scan()
	}
	return named(rows, func(e *entry) bool { return e.PID != self && hasMarker(e, marker) })
}

// HoldersOf returns the living processes that have one of several files open, or as their controlling terminal, except the
// calling one. A file is the path of a terminal, or the name of a pipe as PipeName has it.
func HoldersOf(files ...string) []Process {
	files = slices.DeleteFunc(slices.Clone(files), func(f string) bool { return f == "" })
	if len(files) == 0 {
		return nil
	}
	rows, err := scan()
	if err != nil {
		return nil
	}
	self := os.Getpid()
	return named(rows, func(e *entry) bool {
		return e.PID != self && (slices.Contains(files, e.TTY) || hasOpen(e, files))
	})
}

// PipeName is what the system calls a pipe when it lists what a process has open; "" if that is not known.
func PipeName(f *os.File) string {
	var st unix.Stat_t
	if unix.Fstat(int(f.Fd()), &st) != nil {
		return ""
	}
	return fmt.Sprintf("pipe:[%d]", st.Ino)
}

// named returns the living processes of rows that are wanted, with their names.
func named(rows []entry, want func(*entry) bool) []Process {
	var list []Process
	for i := range rows {
		e := &rows[i]
		if e.dead || !want(e) {
			continue
		}
		p := e.Process
		p.Name = nameOf(e)
		list = append(list, p)
	}
	return list
}

// descend returns the ids of the roots and of all their descendants, without what is safe and what only descends from that.
func descend(rows []entry, safe map[int]bool, root func(*entry) bool) map[int]bool {
	children := make(map[int][]int, len(rows))
	in := map[int]bool{}
	var todo []int
	for i := range rows {
		e := &rows[i]
		children[e.PPID] = append(children[e.PPID], e.PID)
		if e.PID > 1 && !safe[e.PID] && root(e) {
			in[e.PID] = true
			todo = append(todo, e.PID)
		}
	}
	for len(todo) > 0 {
		pid := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, child := range children[pid] {
			if child > 1 && !in[child] && !safe[child] {
				in[child] = true
				todo = append(todo, child)
			}
		}
	}
	return in
}

// protectedFrom returns the processes that must never be signalled: the calling one, its parents, and whatever shares
// its process group, such as the rest of the pipeline it was started in.
func protectedFrom(rows []entry) map[int]bool {
	parent := make(map[int]int, len(rows))
	group := syscall.Getpgrp()
	safe := map[int]bool{0: true, 1: true}
	for i := range rows {
		parent[rows[i].PID] = rows[i].PPID
		if rows[i].PGID == group {
			safe[rows[i].PID] = true
		}
	}
	// A reading takes its time, so that the parents in it may form a circle.
	for pid, n := os.Getpid(), 0; pid > 1 && n <= len(rows); pid, n = parent[pid], n+1 {
		safe[pid] = true
	}
	return safe
}
