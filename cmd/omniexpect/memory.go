package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// firstCollection is how far the heap of a run may grow before memory is collected for the first time, in multiples of
// the runtime's 4 MB.
const firstCollection = 3

// delayCollection puts off the first garbage collection of a run that starts programs: what is kept of a program's output
// fills the heap once, and nothing of it is garbage. From the first collection on all is as usual. A GOGC in the
// environment wins.
func delayCollection() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(100 * firstCollection)
	runtime.SetFinalizer(new([16]byte), func(*[16]byte) { debug.SetGCPercent(100) })
}
