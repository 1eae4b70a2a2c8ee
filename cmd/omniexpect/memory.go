package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// The heap of a run that starts programs may grow to smallHeap times the runtime's 4 MB before memory is collected,
// as long as little of it is in use.
const (
	smallHeap = 3
	littleUse = 4 << 20
)

// collections sets how often memory is collected.
//
// What is kept of a program's output fills the heap once, and nothing of it is garbage. And a run that keeps little, but
// sends and waits thousands of times a second, would spend a tenth of its time on a few megabytes.
type collections struct{ percent int }

// spareCollections makes collections rarer where they gain little. A GOGC in the environment wins.
func spareCollections() {
	if os.Getenv("GOGC") != "" {
		return
	}
	c := &collections{}
	c.set(100 * smallHeap)
	c.follow()
}

// follow looks at the heap after each collection.
func (c *collections) follow() {
	runtime.SetFinalizer(new([16]byte), func(*[16]byte) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if m.NextGC < littleUse*uint64(100+c.percent)/100 { // it is set by what was in use
			c.set(100 * smallHeap)
		} else {
			c.set(100)
		}
		c.follow()
	})
}

// set changes the runtime's setting, which stops the program for a moment.
func (c *collections) set(percent int) {
	if c.percent != percent {
		c.percent = percent
		debug.SetGCPercent(percent)
	}
}
