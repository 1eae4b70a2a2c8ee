package match

import (
	"unicode/utf8"
)

// Unread returns the unread output in a view, and how many bytes of it were dropped before.
func (s *Stream) Unread(raw bool) (text []byte, lost int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	r := s.view(raw)
	return r.bytes(s.base(raw), r.end), s.lost
}

// Output returns all that is kept of the output in a view, read or unread, and how many bytes before it were dropped.
func (s *Stream) Output(raw bool) (all []byte, dropped int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	r := s.view(raw)
	from := max(r.start, r.end-int64(max(s.cfg.History, 0)))
	if !raw {
		from = r.character(from)
	}
	return r.bytes(from, r.end), from
}

// End returns the offset after the newest byte of a view.
func (s *Stream) End(raw bool) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	return s.view(raw).end
}

// Since returns the text from an offset on, read or not, and where it begins: later if not all of it is kept.
func (s *Stream) Since(off int64) (text []byte, from int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	from = min(max(off, s.text.start), s.text.end)
	return s.text.bytes(from, s.text.end), from
}

// RawSince returns the raw bytes from an offset on, read or not, and where they begin: later if not all are kept.
func (s *Stream) RawSince(off int64) (b []byte, from int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	from = min(max(off, s.raw.start), s.raw.end)
	return s.raw.bytes(from, s.raw.end), from
}

// TextOf returns where the text stands after the raw bytes up to an offset.
func (s *Stream) TextOf(raw int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.textOf(raw)
}

// RawOf returns the offset after the last raw byte that made the text before an offset.
func (s *Stream) RawOf(text int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rawOf(text)
}

// Skip consumes text up to an offset of the text view, if that is unread.
func (s *Stream) Skip(to int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if to > s.base(false) && to <= s.text.end {
		s.consume(false, to)
	}
}

// Consume makes the text of a result that was only peeked at read. That of a deadline or an idle clock stays unread.
func (s *Stream) Consume(raw bool, res Result) {
	if res.Why == TimedOut || res.Why == WentIdle {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if res.End >= s.base(raw) {
		s.consume(raw, res.End)
	}
}

// Gone reports whether the program is gone and its output is all here.
func (s *Stream) Gone() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	return s.closed || s.exited && s.hangup
}

// Seen returns the offsets after the newest byte of the text view, and of the raw bytes, that was read, where End reads
// first what there is.
func (s *Stream) Seen() (text, raw int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.end, s.raw.end
}

// HungUp reports whether nobody held the terminal any more when it was last read.
func (s *Stream) HungUp() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hangup || s.closed
}

// AfterCR returns with how many CRs the output ends, which are not in the text yet: with a LF they would be one line end.
func (s *Stream) AfterCR() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int(s.dec.held)
}

// InString reports whether the output stands inside an unfinished control string, which hides what follows.
func (s *Stream) InString() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	return s.dec.parser.InString()
}

// Alternate reports whether the program is on the alternate screen, as those are that fill it.
func (s *Stream) Alternate() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dec.alternate
}

// BracketedPaste reports whether the program asked for pastes to be bracketed.
func (s *Stream) BracketedPaste() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	return s.dec.paste
}

// ApplicationCursor reports whether the program asked for the arrow keys' other sequences.
func (s *Stream) ApplicationCursor() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	return s.dec.cursorKeys
}

// Tail returns at most n characters of the end of text.
func Tail(text []byte, n int) []byte {
	i := len(text)
	for ; i > 0 && n > 0; n-- {
		_, size := utf8.DecodeLastRune(text[:i])
		i -= size
	}
	return text[i:]
}
