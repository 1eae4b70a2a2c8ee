package proc

import (
	"bytes"
	"encoding/binary"
)

// splitArgs takes apart what macOS tells of a process's start: the number of arguments, the program's path with
// padding, the arguments, and the environment, all ending in NUL.
func splitArgs(raw []byte) (args, env []byte) {
	if len(raw) < 4 {
		return nil, nil
	}
	count := int(binary.NativeEndian.Uint32(raw))
	rest := raw[4:]
	end := bytes.IndexByte(rest, 0)
	if end < 0 {
		return nil, nil
	}
	rest = bytes.TrimLeft(rest[end:], "\x00")
	at := 0
	for range count {
		n := bytes.IndexByte(rest[at:], 0)
		if n < 0 {
			return rest, nil
		}
		at += n + 1
	}
	return rest[:at], rest[at:]
}

// holdsEntry reports whether a list of NUL-separated texts holds one of them exactly.
func holdsEntry(list []byte, want string) bool {
	for entry := range bytes.SplitSeq(list, []byte{0}) {
		if string(entry) == want {
			return true
		}
	}
	return false
}
