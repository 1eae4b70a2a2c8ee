package match

import (
	"bytes"
	"testing"
)

// TestKeptStays has a ring overwrite everything it may after a text was kept, and only then looks at the text.
func TestKeptStays(t *testing.T) {
	r := newRing()
	fill := func(b byte, n int) { r.append(bytes.Repeat([]byte{b}, n)) }
	fill('a', 5*chunkSize+100)
	kept := r.keep(50, r.end)
	short := r.keep(r.end-10, r.end)
	for range 10 {
		fill('b', chunkSize)
		r.drop(r.end - chunkSize)
	}
	if got, want := kept.String(), string(bytes.Repeat([]byte("a"), 5*chunkSize+50)); got != want {
		t.Errorf("the kept text changed: %d bytes, %d of them b", len(got), bytes.Count([]byte(got), []byte("b")))
	}
	if kept.Len() != len(kept.String()) || short.String() != "aaaaaaaaaa" || short.Len() != 10 {
		t.Errorf("lengths: %d and %d, %q", kept.Len(), len(kept.String()), short)
	}
	if len(r.spare) == 0 {
		t.Error("no chunk is used again, although most are free")
	}
}
