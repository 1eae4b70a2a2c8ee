package proc

import (
	"context"
	"errors"
	"os"
	"slices"
	"syscall"
	"time"
)

// Strength describes how much of what a program started is killed with it.
type Strength string

// The strengths.
const (
	KillGroup Strength = "group" // the program's process group and its terminal's foreground group, as if a window were closed
	KillTree  Strength = "tree"  // its session and every living descendant
	KillAll   Strength = "all"   // also whatever carries the plan's marker
)

// Plan describes what to end and how patiently.
type Plan struct {
	PID      int      // the program: the leader of its own session or at least of its own group
	Start    uint64   // the program's Process.Start; 0 if unknown
	Marker   string   // a marker of its own in its environment's MarkerEnv
	Strength Strength // KillTree if empty

	// The time given after each signal; 0 takes the default: 500ms, 500ms, 1s.
	Hup, Term, Kill time.Duration

	Known []Process // descendants seen earlier; they are ended if they still live, except with KillGroup
	Table *Table    // shared with plans that end at the same time; may be nil
}

// The patience that a Plan has by default.
const (
	defaultHup  = 500 * time.Millisecond
	defaultTerm = 500 * time.Millisecond
	defaultKill = time.Second
)

// afterCancel is how long the killed are waited for when nobody wants to wait any more.
const afterCancel = 200 * time.Millisecond

// End ends what a plan names, and returns what still lives afterwards: what ignores even SIGKILL, or belongs to another
// user. It sends SIGHUP, SIGTERM and SIGKILL in turn, wakes what is stopped, and returns as soon as nothing of the set is
// left, in the best case before the first signal. The set is read anew before every signal, so that children started
// meanwhile belong to it; before the last one, its members are stopped first, so that none of them can start more.
// Never signalled are the calling process, its parents, and the members of its process group; what these have started is
// in the set only if it belongs there itself.
//
// The caller reaps the program; gone, which may be nil, is closed when that has happened, and its process id means
// nothing from then on. An ended context skips to SIGKILL. Calling End again does no harm.
func End(ctx context.Context, plan Plan, gone <-chan struct{}) (left []Process) {
	e := newEnding(plan, gone)
	steps := []struct {
		signal   syscall.Signal
		patience time.Duration
	}{
		{syscall.SIGHUP, orDefault(plan.Hup, defaultHup)},
		{syscall.SIGTERM, orDefault(plan.Term, defaultTerm)},
		{syscall.SIGKILL, orDefault(plan.Kill, defaultKill)},
	}
	for _, step := range steps {
		wait := ctx
		if step.signal == syscall.SIGKILL {
			wait = context.WithoutCancel(ctx)
			if ctx.Err() != nil {
				step.patience = min(step.patience, afterCancel)
			}
		} else if ctx.Err() != nil {
			continue
		}
		if e.step(wait, step.signal, step.patience) {
			return nil
		}
	}
	left = e.look()
	for i := range left {
		if left[i].Start != unknownStart {
			left[i].Name = nameOf(&entry{Process: left[i]})
		}
	}
	return left
}

// KillMarked kills whatever carries the marker, frozen or not, until nothing does any more or the time is over. It is for a
// caller that has no time for End.
func KillMarked(marker string, within time.Duration) {
	deadline := time.Now().Add(within)
	for {
		list := Marked(marker)
		for _, p := range list {
			sendSignal(p, marker, syscall.SIGKILL)
		}
		for _, p := range list {
			awaitExit(context.Background(), p, deadline)
		}
		if len(list) == 0 || !time.Now().Before(deadline) {
			return
		}
	}
}

// Remaining waits for processes to end by themselves, and returns those that have not.
func Remaining(ctx context.Context, list []Process, within time.Duration) (left []Process) {
	deadline := time.Now().Add(within)
	for _, p := range list {
		if !awaitExit(ctx, p, deadline) {
			left = append(left, p)
		}
	}
	return left
}

func orDefault(d, value time.Duration) time.Duration {
	if d == 0 {
		return value
	}
	return d
}

// id is what a process is known by.
type id struct {
	pid   int
	start uint64
}

func (p Process) id() id { return id{p.PID, p.Start} }

// ending is one call of End. It goes through these states, and leaves each of the first three for the end as soon as the set
// is empty:
//
//	state     what is done with the set                        until
//	hangup    SIGHUP to its members, and to those that join    all have ended, or Plan.Hup is over, or ctx has ended
//	term      SIGTERM, likewise                                all have ended, or Plan.Term is over, or ctx has ended
//	freeze    SIGSTOP, and again to what turns up              a reading finds nothing new and the one before found all stopped,
//	                                                           or freezeTimeout and freezeReads are over
//	kill      SIGKILL, children before parents                 all have ended, or Plan.Kill is over; then freeze again
//	left      named to the caller                              –
//
// Every state reads the set anew (look). An empty reading counts only if nothing went on in the program's session meanwhile
// (restless, see survey): a process that forks may be between two rows of the table.
type ending struct {
	plan   Plan
	gone   <-chan struct{}
	table  *Table
	seen   map[id]bool // processes that were in the set once: they still are, wherever they went
	groups map[int]bool

	starved time.Duration // how long there were no descriptors to read with

	// What the last reading found: the processes that only their marker puts into the set, and those that are stopped.
	marked, stopped map[id]bool

	// And about the program's session, see survey.
	present  bool         // the program is in the table
	whole    map[int]bool // process groups all of whose members are in the set
	dead     map[id]bool  // zombies of the reading before
	restless bool         // something in the session changes: the reading may have missed a process
	spotted  bool         // a member of the session carried the marker
}

func newEnding(plan Plan, gone <-chan struct{}) *ending {
	e := &ending{plan: plan, gone: gone, table: plan.Table, seen: map[id]bool{}, groups: map[int]bool{}}
	if e.table == nil {
		e.table = &Table{}
	}
	if e.plan.Strength == "" {
		e.plan.Strength = KillTree
	}
	if e.plan.Strength != KillGroup {
		for _, p := range plan.Known {
			e.seen[p.id()] = true
		}
	}
	return e
}

// step sends one signal to the set, and to what joins it, until the patience is over. It reports whether nothing is
// left.
func (e *ending) step(ctx context.Context, signal syscall.Signal, patience time.Duration) bool {
	deadline := time.Now().Add(patience)
	told := map[id]bool{}
	for {
		set := e.look()
		if len(set) == 0 {
			return true
		}
		if signal == syscall.SIGKILL {
			set = e.freeze(set)
			e.sendGroups(signal)
		}
		for _, p := range set {
			if !told[p.id()] {
				told[p.id()] = true
				e.send(p, signal)
			}
		}
		for _, p := range set {
			if !e.await(ctx, p, deadline) {
				return len(e.look()) == 0
			}
			delete(e.seen, p.id()) // it is nowhere any more
		}
		if ctx.Err() != nil || !time.Now().Before(deadline) {
			return len(e.look()) == 0
		}
	}
}

// await waits for a process to exit. The program's own exit is reported by its reaper through gone, so it needs no pidfd.
func (e *ending) await(ctx context.Context, p Process, deadline time.Time) bool {
	if p.PID != e.plan.PID || e.gone == nil {
		return awaitExit(ctx, p, deadline)
	}
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case <-e.gone:
		return true
	case <-ctx.Done():
	case <-timer.C:
	}
	return e.reaped()
}

// The bounds of freeze when the set does not come to rest: a time, but so many readings at least.
const (
	freezeTimeout = 200 * time.Millisecond
	freezeReads   = 6
)

// freeze stops the members of the set, and those that turn up meanwhile, so that none can start more. It returns them
// all, children before their parents: a parent that dies first makes the kernel wake its stopped children.
func (e *ending) freeze(set []Process) []Process {
	limit := time.Now().Add(freezeTimeout)
	told, stood := map[id]bool{}, false
	for reads := 0; ; reads++ {
		// A signal acts a little later, and until then a process may start one more. A reading takes its time as well:
		// what a process starts just before it stops may be missed by the very reading that finds it stopped. So the
		// set is complete when nothing is new in it although everything stood still in the reading before.
		fresh := false
		e.sendGroups(syscall.SIGSTOP)
		for _, p := range set {
			if !told[p.id()] {
				told[p.id()], fresh = true, true
				e.send(p, syscall.SIGSTOP)
			}
		}
		if stood && !fresh || reads >= freezeReads && time.Now().After(limit) {
			break
		}
		stood = !slices.ContainsFunc(set, func(p Process) bool { return !e.stopped[p.id()] })
		set = e.members()
	}
	return childrenFirst(set)
}

// childrenFirst orders processes so that none comes after its parent.
func childrenFirst(set []Process) []Process {
	parent := make(map[int]int, len(set))
	for _, p := range set {
		parent[p.PID] = p.PPID
	}
	depth := func(p Process) (n int) {
		for up, ok := parent[p.PID]; ok && n < len(set); up, ok = parent[up] {
			n++
		}
		return n
	}
	slices.SortStableFunc(set, func(a, b Process) int { return depth(b) - depth(a) })
	return set
}

// send signals one process if it is still the same one, and still marked if that is why it is in the set.
func (e *ending) send(p Process, signal syscall.Signal) {
	marker := ""
	if e.marked[p.id()] {
		marker = e.plan.Marker
	}
	sendSignal(p, marker, signal)
}

// members reads the set: the living processes that the plan names now.
func (e *ending) members() []Process {
	// Ask whether the program has been reaped before reading: its process id may be another program's later.
	reaped := e.reaped()
	rows, err := e.readPatiently(reaped)
	if err != nil {
		return e.programOnly(reaped)
	}
	ours, safe := e.owns(rows, reaped), protectedFrom(rows)
	e.present = slices.ContainsFunc(rows, func(r entry) bool { return r.PID == e.plan.PID })
	var in map[int]bool
	e.marked, e.stopped = map[id]bool{}, map[id]bool{}
	if e.plan.Strength == KillGroup {
		in = e.inGroups(rows, ours)
	} else {
		in = descend(rows, safe, func(r *entry) bool {
			return ours && (r.PID == e.plan.PID || r.SID == e.plan.PID && e.inherited(r)) || e.seen[r.id()]
		})
		if e.plan.Strength == KillAll && e.plan.Marker != "" {
			e.addMarked(rows, in, safe)
		}
	}
	var set []Process
	for i := range rows {
		if p := rows[i].Process; in[p.PID] && !rows[i].dead && !safe[p.PID] {
			set = append(set, p)
			e.stopped[p.id()] = rows[i].stopped
			if !e.marked[p.id()] {
				e.seen[p.id()] = true
			}
		}
	}
	e.survey(rows, in, safe, ours)
	return set
}

// readTimeout bounds how long one End tries to read the table, over and over, while all descriptors are in use. What cannot be
// read is not gone: giving up after the program has been reaped would take everything that it left behind for ended.
const readTimeout = 5 * time.Second

// readPatiently reads, and again while others have all the descriptors. Each try waits for one by itself (fullTimeout).
func (e *ending) readPatiently(reaped bool) ([]entry, error) {
	for {
		began := time.Now()
		rows, err := e.read(reaped)
		if err == nil || !full(err) || e.starved > readTimeout {
			return rows, err
		}
		e.starved += time.Since(began)
	}
}

// read reads the table, or only what can matter of it: the program, and what was started since.
func (e *ending) read(reaped bool) ([]entry, error) {
	rows, ok := since(e.plan.PID, e.plan.Start)
	if !ok {
		return e.table.read()
	}
	if !reaped {
		switch program, err := scanOne(e.plan.PID); err {
		case nil:
			rows = append(rows, program)
		case errGone:
		default:
			return e.table.read()
		}
	}
	return rows, nil
}

// full reports whether an error is that all descriptors are in use.
func full(err error) bool { return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) }

func (e *ending) reaped() bool {
	select {
	case <-e.gone: // never, if nil
		return true
	default:
		return false
	}
}

// owns reports whether the program's process id, and with it the session of that number, is still the program's.
// A number is not given away while a session or a group has it.
func (e *ending) owns(rows []entry, reaped bool) bool {
	if e.plan.PID <= 1 || e.plan.PID == os.Getpid() {
		return false
	}
	for i := range rows {
		if r := &rows[i]; r.PID == e.plan.PID {
			if e.plan.Start != 0 {
				return r.Start == e.plan.Start
			}
			return !reaped
		}
	}
	return true
}

// inherited reports whether a member of the session or group that has the program's number is the program's. While the
// program is in the table it is. After that the number may have been given to another program, which may be gone as well:
// then the marker decides, where there is one.
func (e *ending) inherited(r *entry) bool {
	return e.present || e.spotted || e.plan.Marker == "" || hasMarker(r, e.plan.Marker)
}

// inGroups returns the members of the program's process group and of its terminal's foreground group. A group that was
// in the foreground once stays in the set: the terminal forgets it when the program ends.
func (e *ending) inGroups(rows []entry, ours bool) map[int]bool {
	in := map[int]bool{}
	if !ours {
		return in
	}
	for i := range rows {
		if r := &rows[i]; r.SID == e.plan.PID && r.foreground > 1 {
			e.groups[r.foreground] = true
		}
	}
	for i := range rows {
		r := &rows[i]
		member := r.PGID == e.plan.PID || r.SID == e.plan.PID && e.groups[r.PGID]
		if r.PID == e.plan.PID || member && e.inherited(r) || e.seen[r.id()] {
			in[r.PID] = true
		}
	}
	return in
}

// addMarked adds what carries the marker to the set, and its descendants.
func (e *ending) addMarked(rows []entry, in, safe map[int]bool) {
	with := map[int]bool{}
	for i := range rows {
		r := &rows[i]
		// What was started before the program cannot have got its marker.
		if !in[r.PID] && r.Start >= e.plan.Start && hasMarker(r, e.plan.Marker) {
			with[r.PID] = true
			e.marked[r.id()] = true
		}
	}
	for pid := range descend(rows, safe, func(r *entry) bool { return with[r.PID] }) {
		in[pid] = true
	}
}

// programOnly is the set where no process table can be read: the program itself, while nobody has reaped it.
func (e *ending) programOnly(reaped bool) []Process {
	pid := e.plan.PID
	if reaped || pid <= 1 || pid == os.Getpid() || syscall.Kill(pid, 0) == syscall.ESRCH {
		return nil
	}
	return []Process{{PID: pid, PGID: pid, Name: "the program", Start: unknownStart}}
}

// unknownStart marks a process whose start cannot be read: it is signalled together with the group it leads.
const unknownStart = ^uint64(0)
