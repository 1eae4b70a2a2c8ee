package mask

import (
	"slices"

	"omniexpect/internal/vt"
)

// maxPieces is how many pieces of a fold may stand between two characters, not counting those that nobody sees.
const maxPieces = 4

// place is how far a try has come in a form.
type place struct {
	form, element int32
	node          uint16 // in the element's spellings, or in the folds
	folding       bool
	asleep        bool  // until the escape sequence that stands between is over
	level         uint8 // pieces of a fold so far
}

type span struct{ from, to int }

// scanner finds the secrets in a stream and replaces them. Offsets count from the beginning of the stream.
type scanner struct {
	set    *forms
	places []place // of the occurrences that have begun and are not complete: the tries
	starts []int   // where each of them began
	own    []place // behind places, unless they are those of a config
	spare  []int
	vt     vt.Parser
	inside bool // the byte before belongs to an escape sequence
	moves  mover
	next   *move // scratch

	held    []byte // the bytes from written on
	written int    // what has been written, as it was or as Mark
	pos     int    // what has been read
	spans   []span // what is to be masked, in order and apart, all after covered
	covered int    // the Mark written last stands for everything up to here
	found   bool
}

// scan appends to out what is certain after more bytes of the stream.
func (s *scanner) scan(out, p []byte) []byte {
	s.held = append(s.held, p...)
	s.read(p)
	return s.write(out, s.certain(0))
}

// read looks for secrets in more bytes of the stream.
func (s *scanner) read(p []byte) {
	for i := 0; i < len(p); {
		if len(s.places) == 0 && !s.vt.Inside() {
			n := s.dull(p[i:])
			i += n
			s.pos += n
			s.inside = s.inside && n == 0
			if i == len(p) {
				break
			}
		}
		k := s.kind(p[i])
		n := 1
		if s.step(p[i], k, s.mayBegin(p, i)) && k == text {
			n += s.run(p[i:])
		}
		i += n
		s.pos++
		if s.pos&4095 == 0 {
			s.prune()
		}
	}
}

// dull returns how many bytes at the front of p neither begin a secret nor an escape sequence that is more than a whole
// control sequence, of which most are.
func (s *scanner) dull(p []byte) int {
	set := s.set
	for i := 0; i < len(p); i++ {
		c := p[i]
		if c == '\x1b' {
			n := s.dullSequence(p[i:])
			if n == 0 {
				return i
			}
			i += n - 1
			continue
		}
		if i+1 < len(p) {
			if next := p[i+1]; set.pairs[c][next>>6]&(1<<(next&63)) == 0 && next != ' ' && next != '_' {
				continue
			}
		}
		if s.mayBegin(p, i) {
			return i
		}
	}
	return len(p)
}

// maxDull is how long the control sequences are that dullSequence looks through.
const maxDull = 64

// dullSequence returns how long the control sequence at the front of p is, if p has all of it, it is of the common kind, and
// no secret begins in it; else 0.
func (s *scanner) dullSequence(p []byte) int {
	if len(p) < 3 || p[1] != '[' {
		return 0
	}
	n := 2
	for n < len(p) && n < maxDull && p[n] >= ' ' && p[n] < '@' {
		n++
	}
	if n == len(p) || p[n] < '@' || p[n] > '~' {
		return 0
	}
	n++
	for i := range n {
		if s.mayBegin(p, i) {
			return 0
		}
	}
	return n
}

// mayBegin reports whether a secret may begin at a byte, as far as the next two tell.
func (s *scanner) mayBegin(p []byte, i int) bool {
	switch {
	case len(s.set.first[p[i]]) == 0:
		return false
	case i+1 == len(p) || s.set.begins(p[i], p[i+1]):
		return true
	case p[i+1] != ' ' && p[i+1] != '_' || i+2 == len(p):
		return p[i+1] == ' ' || p[i+1] == '_'
	}
	switch p[i+2] {
	case '\r', '\b', '\\', '^', '\x1b':
		return true
	}
	return false
}

// kind is what a byte is to a terminal.
type kind uint8

const (
	text   kind = iota // a character or a control character
	begins             // the first byte of an escape sequence, or the first one after a control character inside of it
	inside             // another one
)

func (s *scanner) kind(c byte) kind {
	if c != '\x1b' && !s.vt.Inside() {
		s.inside = false
		return text
	}
	one := [1]byte{c}
	e := s.vt.Next(one[:])
	for e.N == 0 {
		e = s.vt.Next(one[:])
	}
	switch {
	case e.Kind == vt.Print || e.Kind == vt.Execute:
		s.inside = false
		return text
	case s.inside && c != '\x1b':
		return inside
	}
	s.inside = true
	return begins
}

// certain returns up to where nothing can change any more, where less than so many characters begin nothing.
func (s *scanner) certain(least int32) int {
	to := s.pos
	for i, p := range s.places {
		if p.element >= least && !s.complete(p) {
			to = min(to, s.starts[i])
		}
	}
	return max(to, s.written)
}

// complete reports whether a try only waits for more of an occurrence that was found.
func (s *scanner) complete(p place) bool {
	return p.node == 0 && int(p.element) >= s.set.list[p.form].least
}

// prune gives up what takes too long.
func (s *scanner) prune() {
	old := func(start int) bool { return s.pos-start > s.set.most }
	if !slices.ContainsFunc(s.starts, old) {
		return
	}
	places, starts := s.places, s.starts
	s.places, s.starts, s.own, s.moves.here = nil, nil, nil, nil
	for i, start := range starts {
		if !old(start) {
			s.places, s.starts = append(s.places, places[i]), append(s.starts, start)
		}
	}
}

// flush appends what was held back. An occurrence that was written in part is masked from here on.
func (s *scanner) flush(out []byte) []byte { return s.write(out, s.pos) }

// write appends the stream up to an offset.
func (s *scanner) write(out []byte, to int) []byte {
	base := s.written
	for s.written < to {
		switch {
		case s.written < s.covered:
			s.written = min(s.covered, to)
		case len(s.spans) > 0 && s.spans[0].from <= s.written:
			out = s.mark(out)
		default:
			end := to
			if len(s.spans) > 0 {
				end = min(end, s.spans[0].from)
			}
			out = append(out, s.held[s.written-base:end-base]...)
			s.written = end
		}
	}
	// What begins right here is certain to be masked, only its end may be later.
	if len(s.spans) > 0 && s.spans[0].from <= s.written {
		out = s.mark(out)
	}
	n := copy(s.held, s.held[s.written-base:])
	s.held = s.held[:n]
	return out
}

// mark writes the first span's Mark.
func (s *scanner) mark(out []byte) []byte {
	s.covered = s.spans[0].to
	s.spans = s.spans[1:]
	return append(out, Mark...)
}

// mask marks the bytes from an offset to another one, together with the marked ones that they overlap.
func (s *scanner) mask(from, to int) {
	s.found = true
	if from < s.covered {
		s.covered = max(s.covered, to)
		for len(s.spans) > 0 && s.spans[0].from < s.covered {
			s.covered = max(s.covered, s.spans[0].to)
			s.spans = s.spans[1:]
		}
		return
	}
	for n := len(s.spans); n > 0 && s.spans[n-1].to > from; n-- {
		from = min(from, s.spans[n-1].from)
		s.spans = s.spans[:n-1]
	}
	s.spans = append(s.spans, span{from, to})
}

// step takes every try one byte further, and reports whether the tries are what they were, each one byte later.
func (s *scanner) step(b byte, k kind, may bool) (same bool) {
	if len(s.places) == 0 && !may {
		return false
	}
	m := s.moves.move(s, b, k, may)
	for _, from := range m.hits {
		s.mask(s.starts[from], s.pos+1)
	}
	starts := s.spare[:0]
	for range m.places {
		starts = append(starts, s.pos)
	}
	for _, p := range m.pairs {
		if p.from >= 0 {
			starts[p.to] = min(starts[p.to], s.starts[p.from])
		}
	}
	if m.stays {
		same = true
		for i, start := range starts {
			if start != s.starts[i]+1 {
				same = false
				break
			}
		}
	}
	if m.cached {
		s.places = m.places
	} else {
		s.own = append(s.own[:0], m.places...)
		s.places = s.own
	}
	s.starts, s.spare = starts, s.starts
	return same
}

// run skips the bytes after p's first that are the same, where each of them only repeats the step before.
func (s *scanner) run(p []byte) int {
	n := 0
	for n+1 < len(p) && p[n+1] == p[0] && (s.pos+1+n)&4095 != 0 {
		n++
	}
	if n == 0 {
		return 0
	}
	from := -1
	for _, hit := range s.moves.last.hits {
		if from < 0 || s.starts[hit] < from {
			from = s.starts[hit]
		}
	}
	for i := range s.starts {
		s.starts[i] += n
	}
	s.pos += n
	if from >= 0 {
		s.mask(from, s.pos+1)
	}
	return n
}
