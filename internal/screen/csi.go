package screen

import "fmt"

// arg is parameter i as a number, or missing where there is none.
func (s *Screen) arg(i, missing int) int { return int(s.parser.Param(i, int32(missing))) }

// count is parameter i where 0 means 1.
func (s *Screen) count(i int) int { return max(s.arg(i, 1), 1) }

// csi obeys a control sequence.
func (s *Screen) csi(final byte) {
	mark, inter := s.parser.Private(), s.parser.Intermediate(0)
	switch {
	case s.parser.Intermediate(1) != 0:
	case mark == 0 && inter == 0:
		if !s.moving(final) && !s.editing(final) {
			s.other(final)
		}
	case inter == 0:
		s.private(mark, final)
	case mark == 0:
		s.intermediate(inter, final)
	case mark == '?' && inter == '$' && final == 'p':
		s.requestMode(false)
	}
}

// moving obeys what moves the cursor.
func (s *Screen) moving(final byte) bool {
	switch final {
	case 'A':
		s.up(s.count(0))
	case 'B':
		s.moveDown(s.count(0))
	case 'e':
		s.moveTo(s.column(), s.rowNumber()+s.count(0))
	case 'C':
		s.forward(s.count(0))
	case 'a':
		s.moveTo(s.column()+s.count(0), s.rowNumber())
	case 'D':
		s.back(s.count(0))
	case 'E':
		s.moveDown(s.count(0))
		s.carriageReturn()
	case 'F':
		s.up(s.count(0))
		s.carriageReturn()
	case 'G', '`':
		s.moveTo(s.count(0)-1, s.rowNumber())
	case 'd':
		s.moveTo(s.column(), s.count(0)-1)
	case 'H', 'f':
		s.moveTo(s.count(1)-1, s.count(0)-1)
	case 'I':
		s.tab(s.count(0))
	case 'Z':
		s.backTab(s.count(0))
	default:
		return false
	}
	return true
}

// editing obeys what changes the picture.
func (s *Screen) editing(final byte) bool {
	switch final {
	case '@':
		s.insertChars(s.count(0))
	case 'P':
		s.deleteChars(s.count(0))
	case 'L':
		s.insertLines(s.count(0))
	case 'M':
		s.deleteLines(s.count(0))
	case 'X':
		s.eraseChars(s.count(0))
	case 'J':
		s.eraseInDisplay(s.arg(0, 0), false)
	case 'K':
		s.eraseInLine(s.arg(0, 0), false)
	case 'S':
		s.scrollUp(s.top, s.count(0), false)
	case 'T':
		if s.parser.Params() < 2 {
			s.scrollDown(s.top, s.count(0))
		}
	case '^':
		s.scrollDown(s.top, s.count(0))
	case 'b':
		s.repeatLast(s.count(0))
	case 'm':
		s.graphicRendition()
	default:
		return false
	}
	return true
}

// other obeys the sequences without marks that are left.
func (s *Screen) other(final byte) {
	switch final {
	case 'c':
		if s.arg(0, 0) == 0 {
			s.deviceAttributes()
		}
	case 'g':
		s.clearTabs(s.arg(0, 0))
	case 'h', 'l':
		s.setModes(true, final == 'h')
	case 'n':
		s.deviceStatus(s.arg(0, 0))
	case 'r':
		s.setTopBottom(s.arg(0, 0), s.arg(1, 0))
	case 's':
		switch {
		case s.modes.on(modeMargins):
			s.setLeftRight(s.arg(0, 0), s.arg(1, 0))
		case s.parser.Params() == 0:
			s.saveCursor()
		}
	case 'u':
		s.restoreCursor()
	case 't':
		s.window()
	case 'x':
		if n := s.arg(0, 0); n < 2 {
			s.reply("DECREQTPARM", s.csiIntro()+fmt.Sprintf("%d;1;1;128;128;1;0x", n+2))
		}
	}
}

// private obeys sequences with one of < = > ? before their parameters.
func (s *Screen) private(mark, final byte) {
	switch {
	case mark == '?':
		switch final {
		case 'h', 'l':
			s.setModes(false, final == 'h')
		case 'J':
			if how := s.arg(0, 0); how < 3 {
				s.eraseInDisplay(how, true)
			}
		case 'K':
			s.eraseInLine(s.arg(0, 0), true)
		case 'n':
			s.privateStatus(s.arg(0, 0))
		case 's':
			s.saveModes()
		case 'r':
			s.restoreModes()
		case 'W':
			if s.arg(0, 0) == 5 {
				s.resetTabs(0)
			}
		case 'u', 'm':
			s.keyboardQuery(final)
		}
	case final == 'u':
		s.kittyKeyboard(mark)
	case mark == '>':
		switch final {
		case 'c':
			s.secondaryAttributes()
		case 'q':
			if s.arg(0, 0) == 0 {
				s.reply("XTVERSION", s.dcsIntro()+">|"+s.config.Name+s.st())
			}
		case 'm', 'n':
			s.modifyKeys(final == 'm')
		case 't', 'T':
			s.titleModes(final == 't')
		}
	case mark == '=' && final == 'c':
		if s.arg(0, 0) == 0 {
			s.reply("DA3", s.dcsIntro()+"!|00000000"+s.st())
		}
	}
}

// intermediate obeys sequences with a byte before the final one.
func (s *Screen) intermediate(inter, final byte) {
	switch string([]byte{inter, final}) {
	case "!p":
		s.softReset()
	case " q":
		if n := s.arg(0, 0); n <= 6 {
			s.cursorShape = n
		}
	case " @":
		if s.inMargins() {
			s.deleteColumns(s.left, s.count(0))
		}
	case " A":
		if s.inMargins() {
			s.insertColumns(s.left, s.count(0))
		}
	case "'}":
		if s.inMargins() {
			s.insertColumns(s.x, s.count(0))
		}
	case "'~":
		if s.inMargins() {
			s.deleteColumns(s.x, s.count(0))
		}
	case "\"p":
		s.conformance(s.arg(0, 0), s.arg(1, 0))
	case "\"q":
		s.protect(s.arg(0, 0))
	case "$p":
		s.requestMode(true)
	case "*|":
		s.resizeTo(s.arg(0, 0), 0)
	case "$|":
		if cols := s.arg(0, 0); cols == 0 || cols == 80 || cols == 132 {
			s.resizeTo(0, max(cols, defaultCols))
		}
	case "#y":
		s.checksumFlags = s.arg(0, 0)
	default:
		s.rectangle(inter, final)
	}
}

// protect obeys DECSCA.
func (s *Screen) protect(how int) {
	switch how {
	case 0, 2:
		s.kept = 0
	case 1:
		s.kept, s.protection = isKept, protectDEC
	}
}
