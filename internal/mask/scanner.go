package mask

// The bounds of a fold between two characters.
const (
	maxPieces = 4
	maxParams = 12
)

// phase is where a try stands between one element and the next.
type phase uint8

const (
	between  phase = iota // before an element, after as many pieces of a fold as the level says
	within                // in a spelling of several bytes
	beforeCR              // after a blank, or the next character for the first time: only CR goes on
	afterEsc
	inCSI
)

// place is how far a try has come in a form.
type place struct {
	form, element int32
	phase         phase
	level         uint8 // pieces of a fold so far
	spelling, at  uint8 // where within a spelling; at is the count of parameters in a CSI
}

// try is an occurrence that has begun and is not complete.
type try struct {
	place
	start int
}

type span struct{ from, to int }

// scanner finds the secrets in a stream and replaces them. Offsets count from the beginning of the stream.
type scanner struct {
	set   *forms
	tries []try
	spare []try
	index map[place]int // of the tries by place, while there are many

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
	return s.write(out, s.certain())
}

// read looks for secrets in more bytes of the stream.
func (s *scanner) read(p []byte) {
	for i := 0; i < len(p); i++ {
		if len(s.tries) == 0 {
			for i < len(p) && !s.mayBegin(p, i) {
				i++
				s.pos++
			}
			if i == len(p) {
				break
			}
		}
		s.step(p[i])
		if s.mayBegin(p, i) {
			for _, f := range s.set.first[p[i]] {
				s.advance(try{place{form: f}, s.pos}, p[i])
			}
		}
		s.pos++
	}
}

// mayBegin reports whether a secret may begin at a byte, as far as the next two tell.
func (s *scanner) mayBegin(p []byte, i int) bool {
	switch {
	case len(s.set.first[p[i]]) == 0:
		return false
	case i+1 == len(p) || s.set.begins(p[i], p[i+1]):
		return true
	case p[i+1] != ' ':
		return false
	}
	return i+2 == len(p) || p[i+2] == '\r'
}

// certain returns up to where nothing can change any more.
func (s *scanner) certain() int {
	to := s.pos
	for i := range s.tries {
		to = min(to, s.tries[i].start)
	}
	return max(to, s.written)
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

// mask marks the bytes from an offset to the current one, together with the marked ones that they overlap.
func (s *scanner) mask(from int) {
	s.found = true
	to := s.pos + 1
	if from < s.covered {
		s.covered = to
		for len(s.spans) > 0 && s.spans[0].from < to {
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

// step takes every try one byte further.
func (s *scanner) step(b byte) {
	old := s.tries
	s.tries, s.spare = s.spare[:0], old
	clear(s.index)
	for _, t := range old {
		s.advance(t, b)
	}
}

// advance adds what one try becomes with one more byte: nothing, one or several tries, or an occurrence.
func (s *scanner) advance(t try, b byte) {
	form := s.set.list[t.form]
	switch t.phase {
	case between:
		e := *form.elements[t.element]
		for i, spelling := range e {
			if spelling[0] == b {
				s.spelled(t, form, i, 1)
			}
		}
		if t.element > 0 && !(form.edge && t.element == 1) && t.level < maxPieces {
			s.fold(t, e, b)
		}
	case within:
		if (*form.elements[t.element])[t.spelling][t.at] == b {
			s.spelled(t, form, int(t.spelling), int(t.at)+1)
		}
	case beforeCR:
		if b == '\r' {
			s.piece(t)
		}
	case afterEsc:
		if b == '[' {
			t.phase, t.at = inCSI, 0
			s.add(t)
		}
	case inCSI:
		switch {
		case b >= 0x40 && b <= 0x7e:
			s.piece(t)
		case b >= 0x20 && b < 0x40 && t.at < maxParams:
			t.at++
			s.add(t)
		}
	}
}

// spelled adds a try after some bytes of a spelling.
func (s *scanner) spelled(t try, form form, spelling, at int) {
	if at < len((*form.elements[t.element])[spelling]) {
		t.phase, t.spelling, t.at, t.level = within, uint8(spelling), uint8(at), 0
		s.add(t)
		return
	}
	t.place = place{form: t.form, element: t.element + 1}
	if int(t.element) == len(form.elements) {
		s.mask(t.start)
		return
	}
	s.add(t)
}

// fold adds a try that takes a byte for the beginning of a fold's piece.
func (s *scanner) fold(t try, next element, b byte) {
	switch {
	case b == '\r' || b == '\n':
		s.piece(t)
	case b == '\x1b':
		t.phase = afterEsc
		s.add(t)
	case b == ' ' || b == next[0][0] && len(next[0]) == 1:
		t.phase = beforeCR
		s.add(t)
	}
}

// piece adds a try after one more piece of a fold.
func (s *scanner) piece(t try) {
	t.phase, t.at, t.level = between, 0, t.level+1
	s.add(t)
}

// many is from how many tries on they are looked up by place instead of compared.
const many = 16

// add adds a try. Of two at the same place only the earlier is kept: it masks what the later one would.
func (s *scanner) add(t try) {
	if len(s.tries) < many {
		for i := range s.tries {
			if s.tries[i].place == t.place {
				s.tries[i].start = min(s.tries[i].start, t.start)
				return
			}
		}
		s.tries = append(s.tries, t)
		return
	}
	if s.index == nil {
		s.index = map[place]int{}
	}
	if len(s.index) == 0 {
		for i := range s.tries {
			s.index[s.tries[i].place] = i
		}
	}
	if i, ok := s.index[t.place]; ok {
		s.tries[i].start = min(s.tries[i].start, t.start)
		return
	}
	s.index[t.place] = len(s.tries)
	s.tries = append(s.tries, t)
}
