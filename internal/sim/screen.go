package sim

import (
	"fmt"
	"strings"

	"omniexpect/internal/cells"
)

// cell is one character position of the full screen.
type cell struct {
	r     rune // 0 is the right half of a wide character
	style string
}

var blank = cell{' ', ""}

// span is a piece of a line in one style (an SGR parameter, "" is plain).
type span struct{ style, text string }

// screen draws by differences, as the agents and tmux do: only what changed is written, words are placed by moving the
// cursor, and blanks between words that never were anything else are not written at all.
type screen struct {
	out        strings.Builder
	rows, cols int
	shown      [][]cell
	row, col   int // where the cursor is; row -1 is unknown
	style      string
}

func (s *screen) resize(rows, cols int) {
	s.rows, s.cols, s.row, s.style = rows, cols, -1, ""
	s.shown = make([][]cell, rows)
	for i := range s.shown {
		s.shown[i] = blankRow(cols)
	}
}

func blankRow(cols int) []cell {
	row := make([]cell, cols)
	for i := range row {
		row[i] = blank
	}
	return row
}

// layOut puts spans into cells; what does not fit is cut.
func layOut(spans []span, cols int) []cell {
	row := blankRow(cols)
	at := 0
	for _, sp := range spans {
		for _, r := range sp.text {
			w := columns(r)
			if at+w > cols {
				return row
			}
			if r != ' ' { // no style of ours shows on a blank
				row[at] = cell{r, sp.style}
			}
			if w == 2 {
				row[at+1] = cell{0, sp.style}
			}
			at += w
		}
	}
	return row
}

// columns is how many columns a character takes in a drawing of ours, in which each has at least one.
func columns(r rune) int { return max(1, cells.Width(r)) }

// draw brings the rows from the first on to what lines say.
func (s *screen) draw(lines [][]span) {
	for y := range min(len(lines), s.rows) {
		next := layOut(lines[y], s.cols)
		for x := 0; x < s.cols; x++ {
			if next[x] == s.shown[y][x] || next[x].r == 0 {
				continue
			}
			if next[x] == blank {
				n := 1
				for x+n < s.cols && next[x+n] == blank && s.shown[y][x+n] != blank {
					n++
				}
				s.move(y, x)
				s.setStyle("")
				fmt.Fprintf(&s.out, "\x1b[%dX", n)
				x += n - 1
				continue
			}
			s.move(y, x)
			s.setStyle(next[x].style)
			s.out.WriteRune(next[x].r)
			s.col += columns(next[x].r)
			if s.col >= s.cols {
				s.row = -1 // some terminals wrap now, some later
			}
		}
		s.shown[y] = next
	}
}

func (s *screen) move(y, x int) {
	switch {
	case s.row == y && s.col == x:
	case s.row == y:
		fmt.Fprintf(&s.out, "\x1b[%dG", x+1)
	default:
		fmt.Fprintf(&s.out, "\x1b[%d;%dH", y+1, x+1)
	}
	s.row, s.col = y, x
}

func (s *screen) setStyle(style string) {
	if style == s.style {
		return
	}
	s.out.WriteString("\x1b[0m")
	if style != "" {
		fmt.Fprintf(&s.out, "\x1b[%sm", style)
	}
	s.style = style
}

// status writes tmux's status line, which is drawn whole.
func (s *screen) status(text string) {
	if r := []rune(text); len(r) > s.cols {
		text = string(r[:s.cols])
	}
	fmt.Fprintf(&s.out, "\x1b[%d;1H\x1b[0m%s\x1b[K", s.rows, text)
	s.row, s.style = -1, ""
}

// take returns what is to be written and forgets it.
func (s *screen) take() string {
	text := s.out.String()
	s.out.Reset()
	return text
}

// wrap cuts a text into lines of at most cols cells, at blanks where there are any.
func wrap(text string, cols int) []string {
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		line, width := "", 0
		for _, word := range strings.SplitAfter(paragraph, " ") {
			if width > 0 && width+cells.Sum(word) > cols {
				lines, line, width = append(lines, line), "", 0
			}
			for _, r := range word {
				if width+columns(r) > cols {
					lines, line, width = append(lines, line), "", 0
				}
				line += string(r)
				width += columns(r)
			}
		}
		lines = append(lines, line)
	}
	return lines
}
