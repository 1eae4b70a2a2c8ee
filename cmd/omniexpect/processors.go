package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// firstCollection is how far the heap of a run may grow before memory is collected for the first time, in multiples of
// the runtime's 4 MB.
const firstCollection = 3

// tune sets the Go runtime up for a run; what the user set in the environment wins.
//
// All Starlark of a run is under one lock, and a session's reader and the script take turns. With two processors the
// runtime wakes the other one at each turn, to look for work that is not there, and where the machine has no more than
// two, that is taken from the program under test: a round trip takes twice as long (docs/benchmarks.md). So such a
// machine begins with one processor. Where branches work at the same time, allProcessors ends that.
func tune() {
	if os.Getenv("GOMAXPROCS") == "" && runtime.NumCPU() <= 2 {
		runtime.GOMAXPROCS(1)
	}
	if os.Getenv("GOGC") == "" {
		// A run that stays small never needs to collect. From the first collection on all is as usual.
		debug.SetGCPercent(100 * firstCollection)
		runtime.SetFinalizer(new([16]byte), func(*[16]byte) { debug.SetGCPercent(100) })
	}
}

// allProcessors gives a run all that the runtime would have given it.
func allProcessors() { runtime.SetDefaultGOMAXPROCS() }
