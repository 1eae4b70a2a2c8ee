package match

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// chunkSize is the unit in which kept bytes are stored. It is a power of two, and small enough that hundreds of idle
// sessions cost little.
const chunkSize = 16 << 10

// ring keeps the newest part of an endless byte sequence, addressed by absolute offset.
type ring struct {
	*store
	start int64 // the oldest offset that is kept
	end   int64 // one past the newest
}

// store is where the bytes of a ring are. Chunks that fall out are used again, so a long stream neither moves memory nor
// makes garbage.
type store struct {
	chunks [][]byte // all of chunkSize; chunks[0] starts at offset first
	first  int64
	spare  [][]byte
	room   [][]byte // chunks that were not used yet
	lent   int64    // bytes before this offset may be in somebody's hands: their chunks are not written again
}

func newRing() ring { return ring{store: &store{}} }

// append adds p at the end.
func (r *ring) append(p []byte) {
	for len(p) > 0 {
		at := int(r.end - r.first)
		if at == len(r.chunks)*chunkSize {
			r.chunks = append(r.chunks, r.chunk())
		}
		n := copy(r.chunks[at/chunkSize][at%chunkSize:], p)
		p = p[n:]
		r.end += int64(n)
	}
}

func (s *store) chunk() []byte {
	if n := len(s.spare); n > 0 {
		c := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return c
	}
	if len(s.chunks) < manyChunks {
		return make([]byte, chunkSize)
	}
	if len(s.room) == 0 {
		s.room = newRoom()
	}
	n := len(s.room) - 1
	c := s.room[n]
	s.room = s.room[:n]
	return c
}

// drop forgets everything before offset to.
func (r *ring) drop(to int64) {
	r.forget(to)
	n := int(r.start-r.first) / chunkSize
	if n == 0 {
		return
	}
	for i, c := range r.chunks[:n] {
		if len(r.spare) < 4 && r.first+int64(i)*chunkSize >= r.lent {
			r.spare = append(r.spare, c)
		}
	}
	rest := copy(r.chunks, r.chunks[n:])
	clear(r.chunks[rest:])
	r.chunks = r.chunks[:rest]
	r.first += int64(n) * chunkSize
}

// forget moves the beginning to offset to, for a ring whose store is another one's.
func (r *ring) forget(to int64) { r.start = max(r.start, min(to, r.end)) }

// part gives the ring a store of its own, with what it has so far. Full chunks stay common to both, and are not written
// again.
func (r *ring) part() {
	size := r.end - r.first
	full := size / chunkSize
	own := &store{chunks: slices.Clone(r.chunks[:full]), first: r.first, lent: r.end}
	if rest := size % chunkSize; rest > 0 {
		own.chunks = append(own.chunks, own.chunk())
		copy(own.chunks[full], r.chunks[full][:rest])
	}
	r.lent = max(r.lent, r.end)
	r.store = own
}

// piece returns the stored bytes from off on that lie in one chunk and before end.
func (r *ring) piece(off, end int64) []byte {
	at := int(off - r.first)
	c := r.chunks[at/chunkSize]
	lo := at % chunkSize
	hi := min(chunkSize, lo+int(end-off))
	return c[lo:hi]
}

// copyTo copies from off on into p, up to offset end, and returns how much it copied.
func (r *ring) copyTo(p []byte, off, end int64) int {
	n := 0
	for off < end && n < len(p) {
		m := copy(p[n:], r.piece(off, end))
		n += m
		off += int64(m)
	}
	return n
}

// bytes returns a copy of [off, end), clipped to what is kept.
func (r *ring) bytes(off, end int64) []byte {
	off, end = max(off, r.start), min(end, r.end)
	if off >= end {
		return nil
	}
	out := make([]byte, end-off)
	r.copyTo(out, off, end)
	return out
}

// text returns a copy of [off, end) as a text, clipped to what is kept.
func (r *ring) text(off, end int64) string {
	off, end = max(off, r.start), min(end, r.end)
	if off >= end {
		return ""
	}
	var b strings.Builder
	b.Grow(int(end - off))
	for off < end {
		p := r.piece(off, end)
		b.Write(p)
		off += int64(len(p))
	}
	return b.String()
}

// at returns the byte at off.
func (r *ring) at(off int64) byte {
	i := int(off - r.first)
	return r.chunks[i/chunkSize][i%chunkSize]
}

// whole returns the end without the beginning of a character of which the rest has not come, looking back to base at most.
func (r *ring) whole(base int64) int64 {
	var last [utf8.UTFMax]byte
	for n := int64(1); n < utf8.UTFMax && r.end-n >= base; n++ {
		if at := r.end - n; utf8.RuneStart(r.at(at)) {
			if !utf8.FullRune(last[:r.copyTo(last[:], at, r.end)]) {
				return at
			}
			break
		}
	}
	return r.end
}

// holds reports whether p stands at off.
func (r *ring) holds(p []byte, off int64) bool {
	for i, b := range p {
		if at := off + int64(i); at >= r.end || r.at(at) != b {
			return false
		}
	}
	return true
}

// index returns the offset of the first lit that lies in [off, end), or -1.
func (r *ring) index(lit []byte, off, end int64) int64 {
	if len(lit) == 0 {
		return off
	}
	seam := make([]byte, 0, 128)
	for off+int64(len(lit)) <= end {
		p := r.piece(off, end)
		if i := bytes.Index(p, lit); i >= 0 {
			return off + int64(i)
		}
		next := off + int64(len(p))
		if next >= end {
			return -1
		}
		// What straddles the seam between two chunks.
		lo := max(off, next-int64(len(lit)-1))
		hi := min(end, next+int64(len(lit)-1))
		seam = append(seam[:0], make([]byte, hi-lo)...)
		r.copyTo(seam, lo, hi)
		if i := bytes.Index(seam, lit); i >= 0 {
			return lo + int64(i)
		}
		off = next
	}
	return -1
}

// lastByte returns the offset of the last b in [off, end), or -1.
func (r *ring) lastByte(b byte, off, end int64) int64 {
	for end > off {
		lo := max(off, r.first+(end-1-r.first)/chunkSize*chunkSize)
		if i := bytes.LastIndexByte(r.piece(lo, end), b); i >= 0 {
			return lo + int64(i)
		}
		end = lo
	}
	return -1
}

// indexByte returns the offset of the first b in [off, end), or -1.
func (r *ring) indexByte(b byte, off, end int64) int64 {
	for off < end {
		p := r.piece(off, end)
		if i := bytes.IndexByte(p, b); i >= 0 {
			return off + int64(i)
		}
		off += int64(len(p))
	}
	return -1
}
