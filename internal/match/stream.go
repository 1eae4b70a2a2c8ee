package match

import (
	"sync"
	"sync/atomic"
	"time"

	"omniexpect/internal/clock"
	"omniexpect/internal/event"
	"omniexpect/internal/rawio"
)

// DefaultLimit bounds the unread text, and the history, of a stream that does not say otherwise.
const DefaultLimit = 4 << 20

// quietEOF is how long a terminal must be quiet after its program has ended, while somebody else still holds it, until
// that counts as its end.
const quietEOF = 100 * time.Millisecond

// Config is what a stream is made of.
type Config struct {
	Source     Source
	Rows, Cols int
	Limit      int          // most unread text; DefaultLimit if 0
	History    int          // most text and raw bytes that are kept for Output; DefaultLimit if 0, none if negative
	KeepNUL    bool         // NULs stay in the text view
	Piecemeal  bool         // each byte comes by itself, with nothing after it for now, as it may on any machine: for tests
	HangupOnly bool         // the end is when everybody has closed the terminal, never a quiet one
	Log        *event.Log   // gets every raw byte in order, and every attempt to match; may be nil
	Name       string       // the session, in events
	Stream     event.Stream // which output of it, in events
	Clock      clock.Clock  // of the run; the system's if nil
	Handed     *atomic.Bool // whether interact() shows the output; may be nil
	Lead       *sync.Mutex  // held by the one wait of a run that reads its terminal itself; nil if none may
	Exit       *rawio.File  // has news once the program has ended; nil if others find that out
	Reap       func()       // looks whether the program has ended, and calls Exited if so; goes with Exit
	Draining   func()       // called when the drain starts, which does not look at Exit; may be nil
	Ended      func()       // called once nothing more can be read: the program is gone and nobody holds the terminal
}

// Stream is the output of one program: what was read, where the reader stands, what is waited for.
//
// Who reads, and when, is reader.go's business; what is to be done about what was read is engine.go's.
type Stream struct {
	cfg   Config
	file  *rawio.File // the source, if that is a descriptor
	clock clock.Clock
	real  bool // the clock is the system's

	mu   sync.Mutex
	raw  ring
	text ring // has the store of raw while it is the same bytes
	dec  decoder
	log  []mark
	pos  position
	lost int64 // bytes of unread text dropped since the last match

	waiter   *search
	watchers []*search

	exited   bool
	exitAt   time.Time
	hangup   bool // the terminal says that nobody holds it
	closed   bool
	ended    bool // Ended was called
	lastData time.Time
	emptyAt  time.Time // when a read last found nothing: on a busy machine that is not when nothing was read

	coupling // the goexpect side
	question question

	driver   driver
	readers  sync.WaitGroup // who reads at the moment
	timer    clock.Timer    // starts the drain when nobody has waited for a while
	ticking  bool
	restAt   time.Time     // when the last wait was over
	pace     pace          // how soon output has come to waits that read themselves
	retiring bool          // the drain is to end
	first    bool          // a leading wait has read nothing yet
	called   bool          // a leading wait is to leave the reading to the drain
	armed    time.Time     // the deadline set on the source
	look     clock.Timer   // sets it, where the source cannot
	kick     chan struct{} // wakes a drain that has nothing to read
	buf      []byte        // what is being read
	readN    int           // what the last read got
	patience time.Duration // how long a read on the caller's goroutine may wait
	dry      bool          // the last read found nothing, and none has begun since
}

// mark is a checkpoint of the decoder, from which text and raw offsets are brought together.
type mark struct {
	raw, text int64
	dec       decoder
}

// position is where unread output begins, in the offsets of either view; the other one is found when it is asked for.
type position struct {
	text, raw       int64
	hasText, hasRaw bool
}

// New returns a stream that reads the source until Close. Exited has to be called when the program ends.
func New(cfg Config) *Stream {
	if cfg.Limit == 0 {
		cfg.Limit = DefaultLimit
	}
	if cfg.History == 0 {
		cfg.History = DefaultLimit
	}
	s := &Stream{cfg: cfg, kick: make(chan struct{}, 1), clock: clock.Or(cfg.Clock)}
	s.file, _ = cfg.Source.(*rawio.File)
	_, s.real = s.clock.(clock.System)
	s.lastData = s.clock.Now()
	s.startViews()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rest()
	return s
}

// startViews makes both views empty.
func (s *Stream) startViews() {
	s.dec = newDecoder(s.cfg.Rows, s.cfg.Cols, s.cfg.KeepNUL)
	s.raw = newRing()
	s.text = s.raw
	s.pos = position{hasText: true, hasRaw: true}
	s.log = []mark{{dec: s.dec}}
}

// run and sub make a Stream the sink of its decoder.
func (s *Stream) run(p []byte, end int64) {
	switch {
	case !s.same():
		s.text.append(p)
	case end-int64(len(p)) == s.text.end:
		s.text.end = end
	default:
		s.text.part()
		s.text.append(p)
	}
}

func (s *Stream) sub(p []byte, end int64) {
	if s.same() {
		if end-int64(len(p)) == s.text.end && s.raw.holds(p, s.text.end) {
			s.text.end = end
			return
		}
		s.text.part()
	}
	s.text.append(p)
}

// same reports whether the text is nothing but the raw bytes, as far as it goes. Then they are kept once: programs that
// write to a pipe, or to a terminal that adds no CR, never need more.
func (s *Stream) same() bool { return s.text.store == s.raw.store }

// ingest takes what was read.
func (s *Stream) ingest(p []byte) {
	s.lastData = s.clock.Now()
	s.raw.append(p)
	s.dec.decode(p, s)
	if last := &s.log[len(s.log)-1]; s.raw.end-last.raw >= chunkSize {
		s.log = append(s.log, mark{s.raw.end, s.text.end, s.dec})
	}
}

// trim enforces the bounds. What is dropped unread is counted, so that it can be said.
func (s *Stream) trim() {
	if s.pos.hasText {
		if over := s.text.end - s.pos.text - int64(s.cfg.Limit); over > 0 {
			to := s.text.character(s.text.end - int64(s.cfg.Limit))
			s.lost += to - s.pos.text
			s.pos = position{text: to, hasText: true}
		}
	} else if over := s.raw.end - s.pos.raw - int64(s.cfg.Limit); over > 0 {
		s.lost += over
		s.pos = position{raw: s.raw.end - int64(s.cfg.Limit), hasRaw: true}
	}
	keep := int64(max(s.cfg.Limit, s.cfg.History))
	if s.same() {
		s.text.forget(s.text.end - keep)
	} else {
		s.text.drop(s.text.end - keep)
	}
	// Raw bytes are kept a little longer, so that there is a checkpoint before every position.
	s.raw.drop(s.raw.end - keep - 2*chunkSize)
	n := 0
	for n+1 < len(s.log) && s.log[n+1].raw <= s.raw.start {
		n++
	}
	if n > 0 {
		s.log = append(s.log[:0], s.log[n:]...)
	}
}

// view returns the bytes of a view.
func (s *Stream) view(raw bool) *ring {
	if raw {
		return &s.raw
	}
	return &s.text
}

// base returns where unread output begins in a view.
func (s *Stream) base(raw bool) int64 {
	if raw {
		if !s.pos.hasRaw {
			s.pos.raw, s.pos.hasRaw = s.rawOf(s.pos.text), true
		}
		return max(s.pos.raw, s.raw.start)
	}
	if !s.pos.hasText {
		s.pos.text, s.pos.hasText = s.textOf(s.pos.raw), true
	}
	return max(s.pos.text, s.text.start)
}

// consume moves the beginning of unread output.
func (s *Stream) consume(raw bool, to int64) {
	s.lost = 0
	if raw {
		s.pos = position{raw: to, hasRaw: true}
	} else {
		s.pos = position{text: to, hasText: true}
	}
}

// locator is a sink that finds the raw offset of a text offset, or the reverse.
type locator struct {
	text    int64 // text seen so far
	want    int64 // stop at this offset of the text, or of the raw bytes
	byRaw   bool
	found   bool
	rawAt   int64
	lastEnd int64
}

func (l *locator) run(p []byte, end int64) {
	n := int64(len(p))
	if l.byRaw {
		if keep := n - max(0, end-l.want); !l.found && keep > 0 {
			for keep < n && keep > 0 && p[keep]&0xc0 == 0x80 { // not inside a character
				keep--
			}
			l.text += keep
		}
		l.found = l.found || end > l.want
		return
	}
	if !l.found && l.text+n >= l.want {
		l.found, l.rawAt = true, end-(l.text+n-l.want)
	}
	l.text += n
}

func (l *locator) sub(p []byte, end int64) {
	if l.byRaw {
		if !l.found && end <= l.want {
			l.text += int64(len(p))
		}
		l.found = l.found || end > l.want
		return
	}
	l.text += int64(len(p))
	if !l.found && l.text >= l.want {
		l.found, l.rawAt = true, end
	}
}

// rawOf returns the offset after the last raw byte that made the text before offset text.
func (s *Stream) rawOf(text int64) int64 {
	if s.same() {
		return text
	}
	m := s.log[0]
	for _, c := range s.log {
		if c.text < text {
			m = c
		}
	}
	if text <= m.text {
		return m.raw
	}
	l := &locator{text: m.text, want: text}
	s.replay(m, l)
	if !l.found {
		return s.raw.end
	}
	return l.rawAt
}

// textOf returns the offset of the first character that was not complete before raw offset raw.
func (s *Stream) textOf(raw int64) int64 {
	m := s.log[0]
	for _, c := range s.log {
		if c.raw <= raw {
			m = c
		}
	}
	l := &locator{text: m.text, want: raw, byRaw: true}
	s.replay(m, l)
	return l.text
}

func (s *Stream) replay(m mark, l *locator) {
	d := m.dec
	for off := max(m.raw, s.raw.start); off < s.raw.end && !l.found; {
		p := s.raw.piece(off, s.raw.end)
		d.decode(p, l)
		off += int64(len(p))
	}
	if !l.found && s.hangup {
		d.flush(l)
	}
}

// gone reports whether the program is gone and all its output is here.
func (s *Stream) gone() bool {
	if s.closed {
		return true
	}
	if !s.exited {
		return false
	}
	return s.hangup || !s.cfg.HangupOnly && !s.emptyAt.Before(s.quietAt())
}

// quietAt returns when the terminal of a program that has ended has been quiet for long enough.
func (s *Stream) quietAt() time.Time {
	since := s.lastData
	if s.exitAt.After(since) {
		since = s.exitAt
	}
	return since.Add(quietEOF)
}

// Exited tells the stream that its program has ended.
func (s *Stream) Exited() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.exited, s.exitAt = true, s.clock.Now()
	again := s.hangup && !s.closed
	if again {
		s.hangup = false // since that was seen, the program may have opened the terminal anew and left its last words there
	}
	switch {
	case s.driver == drainer:
		s.wake()
	case s.driver == nobody && again:
		s.refresh()
	case s.driver == nobody:
		s.finished()
	}
}

// Resize tells the stream the size of its terminal.
func (s *Stream) Resize(rows, cols int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dec.resize(rows, cols)
	s.log = append(s.log, mark{s.raw.end, s.text.end, s.dec})
}

// Close stops reading and waits for the goroutines. What was read stays readable.
func (s *Stream) Close() {
	s.mu.Lock()
	s.closed = true
	if s.timer != nil {
		s.timer.Stop()
	}
	if s.look != nil {
		s.look.Stop()
	}
	s.wake()
	s.mu.Unlock()
	s.readers.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finished()
}
