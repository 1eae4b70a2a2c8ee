package screen

import (
	"sync"
	"time"

	"omniexpect/internal/clock"
	"omniexpect/internal/vt"
)

// Config is what a screen is made with. The zero value of a field is its default.
type Config struct {
	Rows, Cols int         // 24, 80; at most 1,000 each
	History    int         // lines that are kept above the screen; 1,000, none if negative
	Widths     Widths      // Clusters
	Clock      clock.Clock // the system's; for the limit of synchronized output

	Name              string  // who answers XTVERSION; "omniexpect"
	Foreground        *Colour // what the default colours are, 24 bits: a light grey on black
	Background        *Colour
	CellWidth         int  // in pixels; 8
	CellHeight        int  // 16
	Silent            bool // no query is answered
	FixedSize         bool // programs can't change the size
	ReadableClipboard bool // OSC 52 may read back what was stored
}

// Bounds of what a program can make the screen keep.
const (
	maxSize     = 1000
	maxTitle    = 4096
	maxString   = 256 << 10
	maxReplies  = 64 << 10
	maxStack    = 16 // titles, keyboard flags
	maxMarks    = 1000
	maxNotices  = 100
	syncLimit   = time.Second
	tabWidth    = 8
	defaultRows = 24
	defaultCols = 80
)

// Screen is a terminal without a window. Its methods can be called from any goroutine.
type Screen struct {
	mu     sync.Mutex
	config Config
	parser vt.Parser
	str    stringState

	rows, cols int
	main, alt  buffer
	buf        *buffer // main or alt
	history    []*row
	pinned     int // how many rows at the front of the history snapshots have
	dropped    uint64

	x, y                     int
	pending                  bool // the next character wraps first
	top, bottom, left, right int
	pen                      Style
	style                    uint32 // the pen's number, if penKnown
	blank                    cell   // what erasing leaves
	blankOf                  Colour // the background that it has
	penKnown                 bool
	kept                     uint32 // isKept, or 0
	protection               protection
	charsets                 charsets
	tabs                     []bool
	modes                    modeSet
	savedModes               modeSet
	level                    int // of conformance, 1 to 4
	c1                       bool
	extent                   int // of DECSACE
	checksumFlags            int
	cursorShape              int

	last    lastPrinted
	repeat  cell // what REP repeats
	repeats bool // there was nothing between it and the sequence

	styles   table[Style]
	clusters table[string]
	links    table[Link]

	colours  palette
	facts    facts
	keyboard keyboard
	replies  []Reply
	replied  int // bytes in replies
	lost     int // replies for which there was no room

	generation uint64
	held       *Snapshot // the last whole frame, while output is synchronized
	heldSince  time.Time
}

// buffer is one of the two screens.
type buffer struct {
	rows  []*row
	saved savedCursor
	x, y  int // where the cursor was when the other buffer was chosen
}

// lastPrinted is the cell that a mark may join.
type lastPrinted struct {
	row *row
	x   int
	ok  bool
}

// New returns an empty screen.
func New(c Config) *Screen {
	c.Clock = clock.Or(c.Clock)
	c.Rows, c.Cols = size(c.Rows, defaultRows), size(c.Cols, defaultCols)
	if c.History == 0 {
		c.History = 1000
	}
	c.History = max(c.History, 0)
	if c.Name == "" {
		c.Name = "omniexpect"
	}
	if c.CellWidth <= 0 || c.CellHeight <= 0 {
		c.CellWidth, c.CellHeight = 8, 16
	}
	s := &Screen{config: c, rows: c.Rows, cols: c.Cols}
	s.parser = vt.New(vt.Options{UTF8: true, C1: true, MaxString: maxString})
	s.styles, s.clusters, s.links = newTable[Style](), newTable[string](), newTable[Link]()
	s.main.rows, s.alt.rows = s.newRows(s.rows), s.newRows(s.rows)
	s.buf = &s.main
	s.colours = newPalette(c)
	s.generation = 1
	s.reset()
	return s
}

func size(n, missing int) int {
	if n <= 0 {
		return missing
	}
	return min(n, maxSize)
}

func (s *Screen) newRows(n int) []*row {
	rows := make([]*row, n)
	cells := make([]cell, n*s.cols)
	for i := range rows {
		rows[i] = &row{cells: cells[i*s.cols : (i+1)*s.cols : (i+1)*s.cols]}
	}
	return rows
}

// Write takes output of a program. It never fails and never waits.
func (s *Screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.generation++
	n := len(b)
	for len(b) > 0 {
		if n := s.fast(b); n > 0 {
			b = b[n:]
			continue
		}
		e := s.parser.Next(b)
		b = b[e.N:]
		switch e.Kind {
		case vt.Print:
			s.print(e.Text)
		case vt.Invalid:
			s.char('\ufffd')
		case vt.Execute:
			s.last.ok = false
			s.control(e.Byte)
		case vt.CSI:
			s.repeats, s.last.ok = s.last.ok, false
			s.csi(e.Byte)
		case vt.Esc:
			s.last.ok = false
			s.escape(e.Byte)
		case vt.Start:
			s.last.ok = false
			s.startString(e.Byte)
		case vt.Data:
			s.str.text = append(s.str.text, e.Text...)
		case vt.End:
			s.endString(e.Cancelled)
		}
	}
	return n, nil
}

// fast takes what most of an output consists of without the parser: printable ASCII and line ends.
func (s *Screen) fast(b []byte) int {
	if !s.parser.Ground() {
		return 0
	}
	switch c := b[0]; {
	case c >= ' ':
		n := vt.Printable(b)
		if n > 0 {
			s.ascii(b[:n])
		}
		return n
	case c == '\r':
		s.last.ok = false
		s.carriageReturn()
		return 1
	case c == '\n':
		s.last.ok = false
		s.lineFeed()
		return 1
	}
	return 0
}

// control executes a control character.
func (s *Screen) control(c byte) {
	switch c {
	case 0x07:
		s.facts.bell++
	case 0x08:
		s.back(1)
	case 0x09:
		s.tab(1)
	case 0x0a, 0x0b, 0x0c:
		s.lineFeed()
	case 0x0d:
		s.carriageReturn()
	case 0x0e:
		s.charsets.gl = 1
	case 0x0f:
		s.charsets.gl = 0
	default:
		if c >= 0x80 {
			s.c1Control(c - 0x40)
		}
	}
}

// c1Control executes what is ESC and a letter in 7 bits.
func (s *Screen) c1Control(c byte) bool {
	switch c {
	case 'D':
		s.index()
	case 'E':
		s.x, s.pending = s.leftEdge(), false
		s.index()
	case 'H':
		s.tabs[s.x] = true
	case 'M':
		s.reverseIndex()
	case 'N':
		s.charsets.single = 2
	case 'O':
		s.charsets.single = 3
	case 'V':
		s.kept, s.protection = isKept, protectISO
	case 'W':
		s.kept = 0
	case 'Z':
		s.deviceAttributes()
	default:
		return false
	}
	return true
}

// escape obeys an escape sequence.
func (s *Screen) escape(final byte) {
	switch s.parser.Intermediate(0) {
	case 0:
		s.plainEscape(final)
	case '#':
		if final == '8' {
			s.alignmentTest()
		}
	case ' ':
		if final == 'F' || final == 'G' {
			s.c1 = final == 'G'
		}
	case '(', ')', '*', '+', '-', '.', '/':
		s.charsets.designate(s.parser.Intermediate(0), s.parser.Intermediate(1), final)
	}
}

func (s *Screen) plainEscape(final byte) {
	if s.c1Control(final) {
		return
	}
	switch final {
	case '6':
		s.backIndex()
	case '7':
		s.saveCursor()
	case '8':
		s.restoreCursor()
	case '9':
		s.forwardIndex()
	case '=':
		s.modes.set(modeKeypad, true)
	case '>':
		s.modes.set(modeKeypad, false)
	case 'c':
		s.hardReset()
	case 'n':
		s.charsets.gl = 2
	case 'o':
		s.charsets.gl = 3
	case '|', '}', '~':
		s.charsets.gr = 3 - int(final-'|')
	}
}
