package match

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"unsafe"
)

func address(p []byte) uintptr { return uintptr(unsafe.Pointer(&p[0])) }

// TestRoom looks at the chunks of a room: none lies in another one, and the last ones fill whole huge pages.
func TestRoom(t *testing.T) {
	room := newRoom()
	for i, c := range room {
		if len(c) != chunkSize || cap(c) != chunkSize {
			t.Fatalf("chunk %d has %d of %d bytes, want %d", i, len(c), cap(c), chunkSize)
		}
		c[0], c[chunkSize-1] = byte(i), byte(i>>8)
	}
	for i, c := range room {
		if c[0] != byte(i) || c[chunkSize-1] != byte(i>>8) {
			t.Fatalf("chunk %d lies in another one", i)
		}
	}
	const huge = 2 * hugePage / chunkSize
	for i, c := range room[len(room)-huge:] {
		if want := address(room[len(room)-huge]) + uintptr(i)*chunkSize; address(c) != want {
			t.Errorf("chunk %d from the end is not the next in its huge page", huge-i)
		}
	}
	if at := address(room[len(room)-huge]) % chunkSize; at != 0 {
		t.Errorf("the chunks in huge pages begin %d bytes after a multiple of their size", at)
	}
	if runtime.GOOS != "linux" {
		return
	}
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("this kernel has no huge pages")
	}
	if flags := flagsOf(t, address(room[len(room)-1])); !strings.Contains(flags, " hg") {
		t.Errorf("the last chunk may not be in a huge page: the flags of its memory are %q", flags)
	}
	runtime.KeepAlive(room)
}

// flagsOf returns the kernel's flags of the mapping that at is in.
func flagsOf(t *testing.T, at uintptr) string {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	inside := false
	for line := range strings.Lines(string(maps)) {
		var from, to uintptr
		if n, _ := fmt.Sscanf(line, "%x-%x", &from, &to); n == 2 {
			inside = from <= at && at < to
		} else if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok && inside {
			return flags
		}
	}
	t.Fatalf("no mapping has %#x", at)
	return ""
}

// TestMuchTextTakesRooms has stores grow, fall out at the front and grow again.
func TestMuchTextTakesRooms(t *testing.T) {
	once(t)
	part := make([]byte, 5000)
	r := newRing()
	var all []byte
	grow := func(size int64) {
		for r.end-r.start < size {
			for i := range part {
				part[i] = byte(int(r.end) + i*i>>7)
			}
			r.append(part)
			all = append(all, part...)
		}
	}
	grow(manyChunks * chunkSize / 2)
	if r.room != nil {
		t.Error("little text takes a room")
	}
	grow(2 * roomSize)
	if r.room == nil {
		t.Error("much text takes no room")
	}
	r.drop(roomSize)
	grow(2 * roomSize)
	if !bytes.Equal(r.bytes(r.start, r.end), all[r.start:]) {
		t.Error("the text is not what was added")
	}
}
