package screen

import "fmt"

// displayRows and displayCols are the size of the display that the window stands on, in cells.
const (
	displayRows = 60
	displayCols = 200
)

// window obeys XTWINOPS: reports, sizes and titles.
func (s *Screen) window() {
	w, h := s.config.CellWidth, s.config.CellHeight
	n := s.arg(0, 0)
	report := func(format string, a ...any) {
		s.reply(fmt.Sprintf("window %d", n), s.csiIntro()+fmt.Sprintf(format, a...))
	}
	switch n {
	case 1, 2:
		s.facts.iconified = n == 2
	case 3:
		s.facts.where = [2]int{s.arg(1, 0), s.arg(2, 0)}
	case 4:
		s.resizeTo(s.dimension(1, h, displayRows, s.rows), s.dimension(2, w, displayCols, s.cols))
	case 8:
		s.resizeTo(s.dimension(1, 1, displayRows, s.rows), s.dimension(2, 1, displayCols, s.cols))
	case 9, 10:
		s.maximize(n, s.arg(1, 0))
	case 11:
		report("%dt", 1+btoi(s.facts.iconified))
	case 13:
		report("3;%d;%dt", s.facts.where[0], s.facts.where[1])
	case 14:
		report("4;%d;%dt", s.rows*h, s.cols*w)
	case 15:
		report("5;%d;%dt", displayRows*h, displayCols*w)
	case 16:
		report("6;%d;%dt", h, w)
	case 18:
		report("8;%d;%dt", s.rows, s.cols)
	case 19:
		report("9;%d;%dt", displayRows, displayCols)
	case 20:
		s.reportTitle("L", s.facts.icon)
	case 21:
		s.reportTitle("l", s.facts.title)
	case 22:
		s.pushTitle(s.arg(1, 0))
	case 23:
		s.popTitle(s.arg(1, 0))
	default:
		if n >= 24 {
			s.resizeTo(n, 0)
		}
	}
}

// maximize makes the window as large as the display, in one or both directions, or what it was before.
func (s *Screen) maximize(operation, how int) {
	rows, cols := s.facts.before[0], s.facts.before[1]
	restores := how == 0 || operation == 10 && how == 2 && rows > 0
	switch {
	case restores:
		s.facts.before = [2]int{}
		s.resizeTo(rows, cols)
		return
	case rows == 0:
		s.facts.before = [2]int{s.rows, s.cols}
	}
	rows, cols = displayRows, displayCols
	if operation == 9 && how == 2 {
		cols = 0
	}
	if operation == 9 && how == 3 {
		rows = 0
	}
	s.resizeTo(rows, cols)
}

// dimension is a new size in cells: what is not given stays, and 0 is all of the display.
func (s *Screen) dimension(i, unit, display, now int) int {
	switch n := s.arg(i, -1); {
	case n < 0:
		return now
	case n == 0:
		return display
	default:
		return max(n/unit, 1)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// resizeTo is a size that the program asks for; 0 leaves a dimension as it is.
func (s *Screen) resizeTo(rows, cols int) {
	if s.config.FixedSize {
		return
	}
	s.resize(size(rows, s.rows), size(cols, s.cols))
}

func (s *Screen) reportSize() {
	s.reply("size", s.csiIntro()+fmt.Sprintf("48;%d;%d;%d;%dt", s.rows, s.cols, s.rows*s.config.CellHeight, s.cols*s.config.CellWidth))
}
