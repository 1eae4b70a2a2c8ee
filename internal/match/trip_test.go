package match

import (
	"sync"
	"testing"
	"time"
)

// BenchmarkTrip is what a wait costs whose answer has come: a write and a read of the pipe, and goexpect.
func BenchmarkTrip(b *testing.B) {
	f := newFeed(b, Config{Lead: new(sync.Mutex)})
	set := compile(b, false, `re:(\d+)\n`)
	b.ReportAllocs()
	for b.Loop() {
		f.w.WriteString("re:1234\n")
		r, err := f.s.Wait(b.Context(), Want{Set: set, Deadline: time.Now().Add(time.Minute), Here: true})
		if err != nil || r.Why != Matched {
			b.Fatal(r, err)
		}
	}
}
