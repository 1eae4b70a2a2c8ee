package screen

import (
	"slices"
	"strings"
)

// Snapshot is a copy of the screen at one moment. It never changes.
type Snapshot struct {
	Generation    uint64 // of the last change; equal ones are the same picture
	Rows, Cols    int
	CursorRow     int
	CursorCol     int // at most Cols-1
	CursorVisible bool
	CursorShape   int  // of DECSCUSR, 0 is the default
	Pending       bool // the next character wraps first
	Alternate     bool
	Title, Icon   string
	Modes         Modes
	Facts         Facts
	Dropped       uint64 // lines that were above the history and are no longer kept

	texts   texts
	cells   []cell
	wrapped []bool
	changed []uint64
	history []*row
}

// Modes is what a program asked for that matters to a sender of keys, mouse events and pastes.
type Modes struct {
	CursorKeys, Keypad bool // application mode
	NewLine            bool
	ReverseVideo       bool
	Paste              bool
	Focus              bool
	Mouse              int // 0, or the mode: 9, 1000, 1001, 1002 or 1003
	MouseEncoding      int // 0, 1005, 1006, 1015 or 1016
	AlternateScroll    bool
	Kitty              int // flags of kitty's keyboard protocol
	ModifyOtherKeys    int
	Synchronized       bool
}

// Facts is what programs said besides drawing.
type Facts struct {
	Cwd      string // as it came: mostly a file: URL
	Agent    string // of OSC 7501
	Progress Progress
	Notices  []Notice
	Marks    []Mark
	Bell     int // how often it rang
	Clip     string
}

// Snapshot returns what is on the screen. While a program draws a frame that it synchronizes (mode 2026), that is the last
// whole one, for up to a second.
func (s *Screen) Snapshot() *Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holding() {
		return s.held
	}
	return s.capture()
}

// Current returns what is on the screen, in the middle of a frame too.
func (s *Screen) Current() *Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.capture()
}

// Generation is the number of the picture that a snapshot would show now.
func (s *Screen) Generation() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holding() {
		return s.held.Generation
	}
	return s.generation
}

// Size returns the size, which a program may have changed.
func (s *Screen) Size() (rows, cols int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rows, s.cols
}

func (s *Screen) holding() bool {
	if s.held != nil && s.config.Clock.Now().Sub(s.heldSince) >= syncLimit {
		s.held = nil
	}
	return s.held != nil
}

// synchronize begins or ends a frame.
func (s *Screen) synchronize(on bool) {
	switch {
	case !on:
		s.held = nil
	case s.held == nil:
		s.held = s.capture()
		s.heldSince = s.config.Clock.Now()
	}
}

func (s *Screen) capture() *Snapshot {
	c := &Snapshot{
		Generation: s.generation, Rows: s.rows, Cols: s.cols, CursorRow: s.y, CursorCol: s.x,
		CursorVisible: s.modes.on(modeCursorVisible), CursorShape: s.cursorShape, Pending: s.pending,
		Alternate: s.buf == &s.alt, Title: s.facts.title, Icon: s.facts.icon, Modes: s.modesNow(), Facts: s.factsNow(),
		Dropped: s.dropped, texts: texts{s.styles.share(), s.clusters.share(), s.links.share()},
		cells: make([]cell, s.rows*s.cols), wrapped: make([]bool, s.rows), changed: make([]uint64, s.rows),
		history: s.history[:len(s.history):len(s.history)],
	}
	s.pinned = len(s.history)
	for y, r := range s.buf.rows {
		copy(c.cells[y*s.cols:(y+1)*s.cols], r.cells)
		c.wrapped[y], c.changed[y] = r.wrapped, r.changed
	}
	return c
}

func (s *Screen) modesNow() Modes {
	m := Modes{
		CursorKeys: s.modes.on(modeCursorKeys), Keypad: s.modes.on(modeKeypad), NewLine: s.modes.on(modeNewLine),
		ReverseVideo: s.modes.on(modeReverseVideo), Paste: s.modes.on(modePaste), Focus: s.modes.on(modeFocus),
		AlternateScroll: s.modes.on(modeAltScroll), Kitty: s.keyboard.flags[s.which()],
		ModifyOtherKeys: s.keyboard.modifyKeys[4], Synchronized: s.modes.on(modeSync),
	}
	for _, n := range modeNames {
		if !s.modes.on(n.mode) {
			continue
		}
		switch n.mode {
		case modeMouseX10, modeMouse, modeMouseHighlight, modeMouseDrag, modeMouseMotion:
			m.Mouse = n.name
		case modeMouseUTF8, modeMouseSGR, modeMouseURXVT, modeMousePixels:
			m.MouseEncoding = n.name
		}
	}
	return m
}

// factsNow copies the facts. Lists only grow at their end or are replaced, so that a copy may share them.
func (s *Screen) factsNow() Facts {
	f := &s.facts
	return Facts{
		Cwd: f.cwd, Agent: f.agent, Progress: f.progress, Notices: slices.Clip(f.notices), Marks: slices.Clip(f.marks),
		Bell: f.bell, Clip: f.clip["c"] + f.clip["s"],
	}
}

// Cell returns what stands at a place, or an empty cell outside.
func (c *Snapshot) Cell(row, col int) Cell {
	if row < 0 || row >= c.Rows || col < 0 || col >= c.Cols {
		return Cell{Width: 1}
	}
	return c.texts.cell(c.cells[row*c.Cols+col])
}

// Line returns the text of a row, without blanks at its end.
func (c *Snapshot) Line(row int) string {
	if row < 0 || row >= c.Rows {
		return ""
	}
	return c.texts.line(c.cells[row*c.Cols : (row+1)*c.Cols])
}

func (t *texts) line(cells []cell) string {
	end := len(cells)
	for end > 0 && (cells[end-1].ch&(chMask|isCluster|isTail) == 0 || cells[end-1].ch&^isKept == ' ') {
		end--
	}
	var b strings.Builder
	b.Grow(end)
	for _, c := range cells[:end] {
		t.appendCell(&b, c)
	}
	return b.String()
}

// Lines returns the text of all rows.
func (c *Snapshot) Lines() []string {
	lines := make([]string, c.Rows)
	for y := range lines {
		lines[y] = c.Line(y)
	}
	return lines
}

// Text returns the rows with line ends between, without empty ones at the end.
func (c *Snapshot) Text() string { return strings.TrimRight(strings.Join(c.Lines(), "\n"), "\n") }

// Wrapped reports whether a row goes on with the one above it, without a line end between.
func (c *Snapshot) Wrapped(row int) bool { return row >= 0 && row < c.Rows && c.wrapped[row] }

// Changed returns the generation in which a row last changed.
func (c *Snapshot) Changed(row int) uint64 {
	if row < 0 || row >= c.Rows {
		return 0
	}
	return c.changed[row]
}

// HistoryLen is how many lines are kept above the screen.
func (c *Snapshot) HistoryLen() int { return len(c.history) }

// HistoryLine returns the text of line i of the history, 0 is the oldest, and whether it goes on with the one before it.
func (c *Snapshot) HistoryLine(i int) (text string, wrapped bool) {
	if i < 0 || i >= len(c.history) {
		return "", false
	}
	return c.texts.line(c.history[i].cells), c.history[i].wrapped
}

// HistoryCell returns what stands at a place of the history.
func (c *Snapshot) HistoryCell(i, col int) Cell {
	if i < 0 || i >= len(c.history) {
		return Cell{Width: 1}
	}
	return c.texts.cell(c.history[i].at(col))
}
