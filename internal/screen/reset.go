package screen

// reset is the state after power-up, but for what is on the screen.
func (s *Screen) reset() {
	s.modes = s.startModes()
	s.savedModes = s.modes
	s.level, s.c1 = 4, false
	s.charsets = newCharsets()
	s.pen, s.penKnown = Style{}, false
	s.kept, s.protection = 0, protectNone
	s.x, s.y, s.pending = 0, 0, false
	s.fullMargins()
	s.tabs = make([]bool, s.cols)
	s.resetTabs(0)
	s.extent, s.checksumFlags, s.cursorShape = 0, defaultChecksum, 0
	s.last, s.repeat = lastPrinted{}, cell{}
	s.main.saved, s.alt.saved = newSaved(), newSaved()
	s.keyboard = keyboard{}
	s.colours = newPalette(s.config)
	s.facts.titleModes = 0
	s.held = nil
}

func newSaved() savedCursor { return savedCursor{charsets: newCharsets()} }

// hardReset obeys RIS. The history stays.
func (s *Screen) hardReset() {
	if s.modes.on(mode132) && !s.config.FixedSize {
		s.resize(s.rows, defaultCols)
	}
	s.buf = &s.alt
	s.pen, s.penKnown = Style{}, false
	s.clearScreen()
	s.buf = &s.main
	s.clearScreen()
	s.reset()
}

// softReset obeys DECSTR.
func (s *Screen) softReset() {
	for _, m := range []uint8{modeInsert, modeOrigin, modeReverseWrap, modeReverseWrapAny, modeCursorKeys, modeKeypad,
		modeKeyboardLocked, modeNational, modeMargins, modeBackarrow} {
		s.modes.set(m, false)
	}
	s.modes.set(modeWrap, true)
	s.modes.set(modeCursorVisible, true)
	s.fullMargins()
	s.charsets = newCharsets()
	s.pen, s.penKnown = Style{}, false
	s.kept, s.protection = 0, protectNone
	s.buf.saved = newSaved()
	s.keyboard = keyboard{}
	s.cursorShape, s.extent = 0, 0
}

// conformance obeys DECSCL: a level, and whether answers have 8-bit controls.
func (s *Screen) conformance(level, controls int) {
	if level < 61 || level > 65 {
		return
	}
	s.hardReset()
	s.level = min(level-60, 4)
	s.c1 = level > 61 && controls != 1 && s.parser.Params() > 1
}
