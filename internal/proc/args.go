package proc

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
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

// AddMarker returns the value of MarkerEnv that adds a marker to what the variable holds already: a run that another run's
// program has started belongs to both.
func AddMarker(value, marker string) string {
	if value == "" {
		return marker
	}
	return value + ":" + marker
}

// carries reports whether an environment, a list of NUL-separated texts, has the marker.
func carries(env []byte, marker string) bool {
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		value, ok := strings.CutPrefix(string(entry), MarkerEnv+"=")
		if ok && slices.Contains(strings.Split(value, ":"), marker) {
			return true
		}
	}
	return false
}
