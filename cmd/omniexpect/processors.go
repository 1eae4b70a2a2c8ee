package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"
)

// firstCollection is how far the heap of a run may grow before memory is collected for the first time, in multiples of
// the runtime's 4 MB.
const firstCollection = 3

// processors sets the Go runtime up for what a run does; what the user set in the environment wins.
//
// All Starlark of a run is under one lock, and a session's reader and the script take turns. With two processors the
// runtime wakes the other one at each turn, to look for work that is not there, and where the machine has no more than
// two, that is taken from the program under test: a round trip takes longer for it (docs/benchmarks.md). So on such a
// machine a run that drives programs has one processor, unless branches work at the same time.
type processors struct {
	once      sync.Once
	mu        sync.Mutex
	branching bool
}

// program is told of every program that is started. Setting the runtime up stops it for a moment, which a script that
// starts none is spared.
func (p *processors) program() {
	p.once.Do(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if !p.branching && os.Getenv("GOMAXPROCS") == "" && runtime.NumCPU() <= 2 {
			runtime.GOMAXPROCS(1)
		}
		if os.Getenv("GOGC") == "" {
			// A run that stays small never needs to collect. From the first collection on all is as usual.
			debug.SetGCPercent(100 * firstCollection)
			runtime.SetFinalizer(new([16]byte), func(*[16]byte) { debug.SetGCPercent(100) })
		}
	})
}

// branches is told that branches begin.
func (p *processors) branches() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.branching {
		p.branching = true
		runtime.SetDefaultGOMAXPROCS()
	}
}
