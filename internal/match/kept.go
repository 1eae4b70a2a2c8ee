package match

import (
	"strings"
	"sync"
)

// lazyText is the length from which a text that was kept is only put together when somebody asks for it.
const lazyText = 2 * chunkSize

// Kept is text of a stream as it was at one moment.
//
// A wait that goes through megabytes hands over all of them as what came before its match, and few scripts look. So a
// long text stays where it is, in chunks that the ring does not use again.
type Kept struct {
	text  string
	parts *parts
}

type parts struct {
	once   sync.Once
	pieces [][]byte
	size   int
	text   string
}

// String returns the text.
func (k Kept) String() string {
	p := k.parts
	if p == nil {
		return k.text
	}
	p.once.Do(func() {
		var b strings.Builder
		b.Grow(p.size)
		for _, piece := range p.pieces {
			b.Write(piece)
		}
		p.text, p.pieces = b.String(), nil
	})
	return p.text
}

// Len returns the number of bytes.
func (k Kept) Len() int {
	if k.parts != nil {
		return k.parts.size
	}
	return len(k.text)
}

// keep returns [off, end), clipped to what is kept.
func (r *ring) keep(off, end int64) Kept {
	off, end = max(off, r.start), min(end, r.end)
	if end-off < lazyText {
		return Kept{text: r.text(off, end)}
	}
	p := &parts{size: int(end - off)}
	for off < end {
		piece := r.piece(off, end)
		p.pieces = append(p.pieces, piece)
		off += int64(len(piece))
	}
	r.lent = max(r.lent, end)
	return Kept{parts: p}
}
