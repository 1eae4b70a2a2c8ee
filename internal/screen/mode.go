package screen

import "fmt"

// modeSet has a bit for each mode that can be on.
type modeSet uint64

// The modes that do something, or that keys and mice ask for. Their names are those of DEC and xterm; modeNames has the
// numbers.
const (
	modeInsert = iota
	modeNewLine
	modeKeyboardLocked
	modeSendReceive
	modeCursorKeys
	mode132
	modeSmoothScroll
	modeReverseVideo
	modeOrigin
	modeWrap
	modeMouseX10
	modeCursorBlink
	modePrintFF
	modePrintExtent
	modeCursorVisible
	modeHebrew
	modeAllow132
	modeMoreFix
	modeNational
	modeReverseWrap
	modeAlt47
	modeKeypad
	modeBackarrow
	modeMargins
	modeMouse
	modeMouseHighlight
	modeMouseDrag
	modeMouseMotion
	modeFocus
	modeMouseUTF8
	modeMouseSGR
	modeAltScroll
	modeScrollOutput
	modeScrollKey
	modeMouseURXVT
	modeMousePixels
	modeMeta8
	modeAltNumLock
	modeMetaEsc
	modeAltEsc
	modeReverseWrapAny
	modeAlt1047
	modeSave1048
	modeAlt1049
	modePaste
	modeSync
	modeClusters
	modeColourReports
	modeSizeReports
)

// modeNames is what programs call the modes. A number that is not here is not known.
var modeNames = [...]struct {
	ansi  bool
	name  int
	mode  uint8
	start bool // on after a reset
}{
	{true, 2, modeKeyboardLocked, false}, {true, 4, modeInsert, false}, {true, 12, modeSendReceive, true},
	{true, 20, modeNewLine, false},
	{false, 1, modeCursorKeys, false}, {false, 3, mode132, false}, {false, 4, modeSmoothScroll, false},
	{false, 5, modeReverseVideo, false}, {false, 6, modeOrigin, false}, {false, 7, modeWrap, true},
	{false, 9, modeMouseX10, false}, {false, 12, modeCursorBlink, false}, {false, 18, modePrintFF, false},
	{false, 19, modePrintExtent, true}, {false, 25, modeCursorVisible, true}, {false, 35, modeHebrew, false},
	{false, 40, modeAllow132, false}, {false, 41, modeMoreFix, false}, {false, 42, modeNational, false},
	{false, 45, modeReverseWrap, false}, {false, 47, modeAlt47, false}, {false, 66, modeKeypad, false},
	{false, 67, modeBackarrow, false}, {false, 69, modeMargins, false},
	{false, 1000, modeMouse, false}, {false, 1001, modeMouseHighlight, false}, {false, 1002, modeMouseDrag, false},
	{false, 1003, modeMouseMotion, false}, {false, 1004, modeFocus, false}, {false, 1005, modeMouseUTF8, false},
	{false, 1006, modeMouseSGR, false}, {false, 1007, modeAltScroll, false}, {false, 1010, modeScrollOutput, false},
	{false, 1011, modeScrollKey, false}, {false, 1015, modeMouseURXVT, false}, {false, 1016, modeMousePixels, false},
	{false, 1034, modeMeta8, false}, {false, 1035, modeAltNumLock, true}, {false, 1036, modeMetaEsc, true},
	{false, 1039, modeAltEsc, false}, {false, 1045, modeReverseWrapAny, false}, {false, 1047, modeAlt1047, false},
	{false, 1048, modeSave1048, false}, {false, 1049, modeAlt1049, false}, {false, 2004, modePaste, false},
	{false, 2026, modeSync, false}, {false, 2027, modeClusters, false}, {false, 2031, modeColourReports, false},
	{false, 2048, modeSizeReports, false},
}

func (m modeSet) on(mode uint8) bool { return m&(1<<mode) != 0 }

func (m *modeSet) set(mode uint8, on bool) {
	if on {
		*m |= 1 << mode
	} else {
		*m &^= 1 << mode
	}
}

// startModes are the modes after a reset.
func (s *Screen) startModes() modeSet {
	var m modeSet
	for _, n := range modeNames {
		m.set(n.mode, n.start)
	}
	m.set(modeClusters, s.config.Widths == Clusters)
	return m
}

// findMode returns the mode that a program means.
func findMode(name int, ansi bool) (uint8, bool) {
	for _, n := range modeNames {
		if n.name == name && n.ansi == ansi {
			return n.mode, true
		}
	}
	return 0, false
}

// setModes obeys SM and RM.
func (s *Screen) setModes(ansi, on bool) {
	for i := range s.parser.Params() {
		if mode, ok := findMode(s.arg(i, 0), ansi); ok {
			s.setMode(mode, on)
		}
	}
}

// setMode turns a mode on or off, and does what goes with it.
func (s *Screen) setMode(mode uint8, on bool) {
	was := s.modes.on(mode)
	if mode == modeMargins && s.level < 4 {
		return
	}
	switch mode {
	case mode132:
		s.columnMode(on)
		return
	case modeAlt47, modeAlt1047, modeAlt1049:
		s.alternate(mode, on)
		return
	case modeSave1048:
		s.saveOrRestore(on)
	case modeSync:
		s.synchronize(on)
	case modeClusters:
		if s.config.Widths = Characters; on {
			s.config.Widths = Clusters
		}
	case modeMouseX10, modeMouse, modeMouseHighlight, modeMouseDrag, modeMouseMotion:
		for _, m := range []uint8{modeMouseX10, modeMouse, modeMouseHighlight, modeMouseDrag, modeMouseMotion} {
			s.modes.set(m, false)
		}
	case modeMouseUTF8, modeMouseSGR, modeMouseURXVT, modeMousePixels:
		for _, m := range []uint8{modeMouseUTF8, modeMouseSGR, modeMouseURXVT, modeMousePixels} {
			s.modes.set(m, false)
		}
	}
	s.modes.set(mode, on)
	switch mode {
	case modeOrigin:
		s.moveTo(0, 0)
	case modeMargins:
		if !on {
			s.left, s.right = 0, s.cols-1
		}
	case modeSizeReports:
		if on && !was {
			s.reportSize()
		}
	}
}

func (s *Screen) saveOrRestore(save bool) {
	if save {
		s.saveCursor()
	} else {
		s.restoreCursor()
	}
}

// columnMode obeys DECCOLM.
func (s *Screen) columnMode(on bool) {
	if !s.modes.on(modeAllow132) || s.config.FixedSize {
		return
	}
	s.modes.set(mode132, on)
	cols := defaultCols
	if on {
		cols = 132
	}
	s.resize(s.rows, cols)
	s.fullMargins()
	s.modes.set(modeMargins, false)
	s.eraseInDisplay(2, false)
	s.moveTo(0, 0)
}

// alternate goes to the alternate screen or back.
func (s *Screen) alternate(mode uint8, on bool) {
	switch {
	case on && s.buf != &s.alt:
		if mode == modeAlt1049 {
			s.saveCursor()
		}
		s.main.x, s.main.y = s.x, s.y
		s.buf = &s.alt
		if mode == modeAlt1049 {
			s.clearScreen()
		}
	case !on && s.buf == &s.alt:
		if mode != modeAlt47 {
			s.clearScreen()
		}
		s.alt.x, s.alt.y = s.x, s.y
		s.buf = &s.main
	}
	if !on && mode == modeAlt1049 {
		s.restoreCursor()
	}
	for _, m := range []uint8{modeAlt47, modeAlt1047, modeAlt1049} {
		s.modes.set(m, on)
	}
	s.touch(0, s.rows-1)
}

func (s *Screen) clearScreen() {
	blank := s.eraser()
	for _, r := range s.buf.rows {
		s.clearRow(r, blank)
	}
}

// modeState is what DECRQM answers: 0 not known, 1 on, 2 off, 3 always on, 4 always off.
func (s *Screen) modeState(name int, ansi bool) int {
	mode, ok := findMode(name, ansi)
	switch {
	case ok && s.modes.on(mode):
		return 1
	case ok:
		return 2
	case ansi:
		switch name {
		case 1, 5, 7, 10, 11, 13, 14, 15, 16, 17, 18, 19:
			return 4
		}
	case name == 8 || name == 1014:
		return 4
	}
	return 0
}

// requestMode answers DECRQM.
func (s *Screen) requestMode(ansi bool) {
	if s.level < 3 {
		return
	}
	name, mark := s.arg(0, 0), "?"
	if ansi {
		mark = ""
	}
	s.reply("DECRQM", s.csiIntro()+fmt.Sprintf("%s%d;%d$y", mark, name, s.modeState(name, ansi)))
}

// saveModes and restoreModes obey XTSAVE and XTRESTORE.
func (s *Screen) saveModes() {
	for i := range s.parser.Params() {
		if mode, ok := findMode(s.arg(i, 0), false); ok {
			s.savedModes.set(mode, s.modes.on(mode))
		}
	}
}

func (s *Screen) restoreModes() {
	for i := range s.parser.Params() {
		if mode, ok := findMode(s.arg(i, 0), false); ok {
			s.setMode(mode, s.savedModes.on(mode))
		}
	}
}
