package zstd

import (
	"encoding/binary"
	"math/bits"
)

// backward reads bits from the end of its data to the beginning, as Huffman codes and sequences are written. What is
// read beyond the beginning is zero and makes left negative.
type backward struct {
	data []byte
	left int // bits that have not been read
}

// newBackward finds the end mark, the highest bit of the last byte that is set.
func newBackward(data []byte) (backward, error) {
	if len(data) == 0 || data[len(data)-1] == 0 {
		return backward{}, corrupt("bits without an end mark")
	}
	return backward{data, len(data)*8 - bits.LeadingZeros8(data[len(data)-1]) - 1}, nil
}

// read returns the next n bits, at most 56.
func (r *backward) read(n int) uint64 {
	r.left -= n
	return r.at(r.left, n)
}

// peek is read that stays where it is.
func (r *backward) peek(n int) uint64 { return r.at(r.left-n, n) }

func (r *backward) at(start, n int) uint64 {
	missing := 0
	if start < 0 {
		if missing = -start; missing >= n {
			return 0
		}
		start = 0
	}
	i := start >> 3
	var v uint64
	if i+8 <= len(r.data) {
		v = binary.LittleEndian.Uint64(r.data[i:])
	} else {
		v = number(r.data[i:])
	}
	return v >> (start & 7) & (1<<(n-missing) - 1) << missing
}

// forward reads bits from the beginning, as the descriptions of tables are written.
type forward struct {
	data []byte
	at   int // bits that have been read
}

func (r *forward) read(n int) (int, error) {
	if r.at+n > len(r.data)*8 {
		// up to two bytes of zeros stand for what the description did not need
		if r.at >= len(r.data)*8 {
			return 0, corrupt("a table ends too early")
		}
	}
	i := r.at >> 3
	v := number(r.data[i:min(i+8, len(r.data))]) >> (r.at & 7)
	r.at += n
	return int(v & (1<<n - 1)), nil
}

// used returns the bytes that were read from.
func (r *forward) used() (int, error) {
	n := (r.at + 7) / 8
	if n > len(r.data) {
		return 0, corrupt("a table ends too early")
	}
	return n, nil
}
