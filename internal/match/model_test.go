package match

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// model is the text view, made slowly: it has the whole output before it, looks ahead as it likes, and takes a control
// sequence as one text. Each piece of text is kept with the offset after the last byte that made it.
type model struct {
	in         string
	rows, cols int
	keepNUL    bool

	at       int
	out      []piece
	held     []piece // CRs that are text unless a LF comes before any other text
	row, col int
	top, bot int
	noWrap   bool
	alt      bool
	text     bool         // the row has text
	drawn    map[int]bool // the cells of the row that something was drawn on
	saved    [2][2]int

	last      string // the last character
	lastCells int
}

type piece struct {
	text string
	end  int
}

func newModel(in string, rows, cols int, keepNUL bool) *model {
	m := &model{in: in, rows: rows, cols: cols, keepNUL: keepNUL, bot: rows - 1}
	for m.at < len(m.in) {
		m.ground()
	}
	m.flush()
	return m
}

func (m *model) emit(text string) {
	m.flush()
	m.out = append(m.out, piece{text, m.at})
}

// flush makes text of the CRs that are held. If something stands between them, they end together.
func (m *model) flush() {
	n := len(m.held)
	for _, p := range m.held {
		if m.held[n-1].end-m.held[0].end != n-1 {
			p.end = m.held[n-1].end
		}
		m.out = append(m.out, p)
	}
	m.held = nil
}

func (m *model) String() string {
	var b strings.Builder
	for _, p := range m.out {
		b.WriteString(p.text)
	}
	return b.String()
}

func (m *model) ground() {
	if c := m.in[m.at]; c == 0x1b {
		m.at++
		m.escape()
		return
	} else if c < 0x20 {
		m.control()
		return
	}
	r, n := utf8.DecodeRuneInString(m.in[m.at:])
	m.at += n
	switch {
	case r == utf8.RuneError && n == 1:
		m.show("\ufffd", 1)
	case r == 0x7f:
		m.emit("\x7f")
	case r == '\u00a0':
		m.show(" ", 1)
	default:
		cells := 1
		if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
			cells = 2
		} else if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) && r >= 0x300 {
			cells = 0
		}
		m.show(string(r), cells)
	}
}

// show prints a character.
func (m *model) show(text string, cells int) {
	m.print(cells)
	m.emit(text)
	m.last, m.lastCells = text, cells
}

// print moves the cursor by some cells. At the margin it stands still until the next one comes. What does not fit there
// goes to the next row as a whole.
func (m *model) print(cells int) {
	m.text = true
	if cells == 2 && m.col == m.cols-1 && m.cols > 1 && !m.noWrap {
		m.col++
	}
	for range cells {
		switch {
		case m.col < m.cols:
		case m.noWrap:
			continue
		default:
			m.col = 0
			m.down()
		}
		m.draw(m.col)
		m.col++
	}
}

func (m *model) draw(col int) {
	if m.drawn == nil {
		m.drawn = map[int]bool{}
	}
	m.drawn[col] = true
}

// change replaces the cells that are drawn by what f makes of each; -1 is none.
func (m *model) change(f func(col int) int) {
	old := m.drawn
	m.drawn = nil
	for col := range old {
		if col = f(col); col >= 0 && col < m.cols {
			m.draw(col)
		}
	}
}

func (m *model) down() {
	m.drawn = nil
	if m.row != m.bot && m.row < m.rows-1 {
		m.row++
	}
}

// control takes the control character at the current place, wherever that is.
func (m *model) control() {
	c := m.in[m.at]
	m.at++
	switch c {
	case 0:
		if m.keepNUL {
			m.emit("\x00")
		}
	case 0x0e, 0x0f:
	case '\r':
		m.col = 0
		m.held = append(m.held, piece{"\r", m.at})
	case '\n':
		m.held = nil
		m.down()
		m.text = false
		m.emit("\n")
	case 0x0b, 0x0c:
		m.down()
		m.emit(string(rune(c)))
	case '\t':
		to := min((m.col/8+1)*8, m.cols-1)
		for col := m.col; col < to; col++ {
			m.draw(col)
		}
		m.col = to
		m.text = true
		m.emit("\t")
	case '\b':
		m.col = max(0, min(m.col, m.cols-1)-1)
		m.emit("\b")
	default:
		m.emit(string(rune(c)))
	}
}

// next returns the next byte of a sequence, after the control characters in the middle of it. It is false where the
// sequence ends without having been finished.
func (m *model) next() (byte, bool) {
	for m.at < len(m.in) {
		switch c := m.in[m.at]; {
		case c == 0x18 || c == 0x1a:
			m.at++
			return 0, false
		case c >= 0x80:
			return 0, false
		case c == 0x1b:
			return 0, false
		case c < 0x20:
			m.control()
		case c == 0x7f:
			m.at++
		default:
			m.at++
			return c, true
		}
	}
	return 0, false
}

// escape is called after an ESC.
func (m *model) escape() {
	c, ok := m.next()
	switch {
	case !ok:
	case c == '[':
		m.csi()
	case c == ']':
		m.str(true)
	case c == 'P' || c == 'X' || c == '^' || c == '_':
		m.str(false)
	case c < 0x30:
		for ok && c < 0x30 {
			c, ok = m.next()
		}
	case c == '7':
		m.saved[m.screen()] = [2]int{m.row, m.col}
	case c == '8':
		m.restore()
	case c == 'D':
		m.down()
		m.newRow()
	case c == 'E':
		m.down()
		m.col = 0
		m.newRow()
	case c == 'M':
		if m.row != m.top && m.row > 0 {
			m.row--
		}
		m.newRow()
	case c == 'c':
		moved := m.row != 0
		m.flush()
		*m = model{in: m.in, rows: m.rows, cols: m.cols, keepNUL: m.keepNUL, at: m.at, out: m.out, text: m.text, bot: m.rows - 1}
		if moved {
			m.newRow()
		}
	}
}

// str skips a control string. An ESC in it ends it, whatever follows.
func (m *model) str(bel bool) {
	for m.at < len(m.in) {
		c := m.in[m.at]
		m.at++
		switch {
		case c == 0x18 || c == 0x1a || c == 7 && bel:
			return
		case c == 0x1b:
			if m.at < len(m.in) && m.in[m.at] == '\\' {
				m.at++
				return
			}
			if m.at < len(m.in) {
				m.escape()
			}
			return
		}
	}
}

func (m *model) csi() {
	var params string
	strange := false
	private := byte(0)
	for {
		c, ok := m.next()
		switch {
		case !ok:
			return
		case c >= '0' && c <= ';':
			params += strings.ReplaceAll(string(rune(c)), ":", ";")
		case c >= '<' && c <= '?':
			strange = strange || private != 0 || params != ""
			private = c
		case c < 0x40:
			strange = true
		case strange:
			return
		default:
			m.dispatch(c, private, params)
			return
		}
	}
}

func (m *model) screen() int {
	if m.alt {
		return 1
	}
	return 0
}

func (m *model) newRow() {
	m.text, m.drawn = false, nil
	m.emit("\n")
}

func (m *model) restore() { m.move(m.saved[m.screen()][0], m.saved[m.screen()][1], false) }

func (m *model) move(row, col int, blanks bool) {
	row, col = min(max(row, 0), m.rows-1), min(max(col, 0), m.cols-1)
	from := m.col
	m.col = col
	if row != m.row {
		m.row = row
		m.newRow()
	} else if blanks && m.text && col > from {
		for ; from < col; from++ {
			if !m.drawn[from] {
				m.emit(" ")
			}
			m.draw(from)
		}
	}
}

func (m *model) dispatch(c, private byte, params string) {
	var n [32]int
	fields := strings.Split(params, ";")
	for i := range min(len(fields), len(n)) {
		n[i], _ = strconv.Atoi(fields[i])
		if n[i] > 1<<16-1 || len(fields[i]) > 9 && strings.Trim(fields[i], "0") != "" && n[i] == 0 {
			n[i] = 1<<16 - 1
		}
	}
	if private == '?' && params != "" && (c == 'h' || c == 'l') {
		for i := range min(len(fields), len(n)) {
			m.mode(n[i], c == 'h')
		}
	}
	if private != 0 {
		return
	}
	a, b := max(n[0], 1), max(n[1], 1)
	col := min(m.col, m.cols-1)
	switch c {
	case 'A':
		m.move(m.row-a, m.col, false)
	case 'B', 'e':
		m.move(m.row+a, m.col, false)
	case 'C', 'a':
		m.move(m.row, col+a, true)
	case 'D':
		m.move(m.row, col-a, false)
	case 'E':
		m.move(m.row+a, 0, false)
	case 'F':
		m.move(m.row-a, 0, false)
	case 'G', '`':
		m.move(m.row, a-1, true)
	case 'H', 'f':
		m.move(a-1, b-1, true)
	case 'd':
		m.move(a-1, m.col, false)
	case 'I':
		m.col = min((m.col/8+a)*8, m.cols-1)
	case 'Z':
		for range min(a, m.cols) {
			col = max(col-1, 0) / 8 * 8
		}
		m.col = col
	case 'J', 'K':
		m.change(func(c int) int {
			if n[0] == 0 && c >= col || n[0] == 1 && c <= col || n[0] == 2 {
				return -1
			}
			return c
		})
	case 'X':
		m.change(func(c int) int {
			if c >= col && c < col+a {
				return -1
			}
			return c
		})
	case '@':
		m.change(func(c int) int {
			if c >= col {
				return c + a
			}
			return c
		})
	case 'P':
		m.change(func(c int) int {
			switch {
			case c < col:
				return c
			case c < col+a:
				return -1
			}
			return c - a
		})
	case 'L', 'M', 'S', 'T':
		m.drawn = nil
	case 'b':
		for range min(a, m.rows*m.cols) {
			if m.last != "" {
				m.show(m.last, m.lastCells)
			}
		}
	case 's':
		m.saved[m.screen()] = [2]int{m.row, m.col}
	case 'u':
		m.restore()
	case 'r':
		bottom := n[1]
		if bottom == 0 || bottom > m.rows {
			bottom = m.rows
		}
		if a < bottom {
			m.top, m.bot = a-1, bottom-1
			m.move(0, 0, false)
		}
	}
}

func (m *model) mode(n int, on bool) {
	switch n {
	case 6:
		m.move(0, 0, false)
	case 7:
		m.noWrap = !on
	case 1048:
		if on {
			m.saved[m.screen()] = [2]int{m.row, m.col}
		} else {
			m.restore()
		}
	case 47, 1047, 1049:
		if on == m.alt {
			return
		}
		if on && n == 1049 {
			m.saved[0] = [2]int{m.row, m.col}
		}
		m.alt = on
		if !on && n == 1049 {
			m.row, m.col = min(m.saved[0][0], m.rows-1), min(m.saved[0][1], m.cols-1)
		}
		m.newRow()
	}
}
