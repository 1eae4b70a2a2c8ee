// Package echo finds the echo of a line that was sent in what came back, by following the cursor.
//
// A terminal repeats a line as it is, and folds it at the margin. Programs that edit lines draw it, each in its way: again
// and again while it grows, with movements back and forth, with a blank and a CR to have the cursor in the next row, one row
// of it at a time. What they have in common is what a person sees in the end: the line stands there, from where the cursor
// was when it was sent, or at the end of a row, and the next line end takes the cursor to the row below. So that is looked
// for, in rows that are drawn as a terminal draws them.
package echo

import (
	"strings"
	"unicode/utf8"

	"omniexpect/internal/cells"
)

// Input is a piece of output, and what was sent within it.
type Input struct {
	Before []byte // the output before the line was sent, as much as tells where the cursor was
	After  []byte // what came since
	Width  int    // of the terminal
	Prompt string // what stands in front of the line, if that is known
	Sent   string // the line, with the end that was sent
}

// Span is where an echo stands in Input.After, with its line end.
type Span struct {
	From, To int
	Whole    bool // false: the output ends within what may be the echo
}

// Most is how much output is looked at.
const Most = 256 << 10

// Find returns where the echo stands. Where there is none the span is empty.
func Find(in Input) Span {
	line := strings.TrimRight(in.Sent, "\r\n")
	if line == "" {
		return Span{Whole: true}
	}
	span := find(in, line, in.Before)
	if (span.To == 0 || !span.Whole) && in.Prompt != "" {
		// After output that has not ended its row, editors take their prompt to begin at the margin all the same.
		if other := find(in, line, []byte(in.Prompt)); other.Whole && other.To > 0 {
			return other
		}
	}
	return span
}

func find(in Input, line string, before []byte) Span {
	f := finder{rows: newRows(in.Width), line: tokens(line), entered: line != in.Sent}
	f.rows.feed(before, nil)
	f.row, f.col, f.from, f.height = f.rows.row, f.rows.col, f.rows.at, cellsOf(f.line)/max(in.Width-1, 1)+2
	if !f.entered {
		f.rows.printed = f.whole
	}
	if f.rows.feed(in.After[:min(len(in.After), Most)], f.over) {
		return f.span()
	}
	if len(in.After) <= Most && f.begun() {
		return Span{From: f.offset(f.begin), To: len(in.After)}
	}
	return Span{Whole: true}
}

// Gap returns how many line ends separate what was written last from the prompt that ends the output, 0 where the prompt
// stands in the same row, and whether that is known. Before is the output up to where what was written begins, after what
// was written up to the prompt.
func Gap(before, after []byte, width int) (n int, known bool) {
	r := newRows(width)
	r.feed(before, nil)
	first := r.row
	r.feed(after, nil)
	if r.absolute || r.row < first {
		return 0, false
	}
	last := r.row
	for ; last >= first; last-- {
		if r.written(last, last == r.row) {
			return r.row - last, true
		}
	}
	return r.row - first, true
}

// written reports whether a row has anything but blanks, up to the cursor where it is the cursor's.
func (r *rows) written(row int, cursor bool) bool {
	for i, c := range r.cells[row] {
		if cursor && i >= r.col {
			break
		}
		if c.text != "" && c.text != " " {
			return true
		}
	}
	return false
}

// token is a character of the line as it is drawn: a control character as two, of which a tab may be blanks.
type token struct {
	text string
	wide int
	tab  bool
}

func tokens(line string) (list []token) {
	for i := 0; i < len(line); {
		c, n := utf8.DecodeRuneInString(line[i:])
		text := line[i : i+n]
		i += n
		switch wide := cells.Width(c); {
		case c == '\t':
			list = append(list, token{text: "^I", wide: 2, tab: true})
		case c < ' ' || c == 0x7f:
			list = append(list, token{text: "^", wide: 1}, token{text: string(rune(c ^ 0x40)), wide: 1})
		case wide == 0 && len(list) > 0:
			list[len(list)-1].text += text
		default:
			list = append(list, token{text: text, wide: wide})
		}
	}
	return list
}

// finder looks for one line.
type finder struct {
	rows     *rows
	line     []token
	entered  bool  // its end was sent too
	row, col int   // where the cursor was when it was sent
	from     int64 // where that is in the output

	height     int   // how many rows the line takes at most, besides the one that it begins in
	begin, end int64 // of the echo
	prints     int   // characters that were drawn since
	rowsSeen   int   // that were searched for its beginning
}

// maxRows bounds the search in an output that does not have it.
const maxRows = 200000

func (f *finder) offset(at int64) int { return int(max(at-f.from, 0)) }

func (f *finder) span() Span { return Span{From: f.offset(f.begin), To: f.offset(f.end), Whole: true} }

// over reports whether the line end that comes now is the echo's: the line stands there as a whole, and the cursor leaves it.
func (f *finder) over() bool {
	if f.rows.at <= f.from || !f.complete() && !f.scrolled() {
		return false
	}
	f.end = f.rows.at
	return true
}

// whole reports whether all of a line whose end was not sent stands there.
func (f *finder) whole() bool {
	f.prints++
	if f.rows.at <= f.from || f.prints < len(f.line) || !f.complete() {
		return false
	}
	f.end = f.rows.drawn
	return true
}

// complete looks for the whole line: where the cursor was, or at the end of a row that the cursor is in or below.
func (f *finder) complete() bool {
	if n, row, _ := f.read(f.row, f.col); n == len(f.line) && row <= f.rows.row {
		f.begin = f.from
		return true
	}
	for row := f.rows.row; row >= f.rows.row-f.height && row >= f.row && f.rowsSeen < maxRows; row-- {
		f.rowsSeen++
		for col, c := range f.rows.cells[row] {
			if !f.starts(c) {
				continue
			}
			if n, end, next := f.read(row, col); n == len(f.line) && end <= f.rows.row && f.empty(end, next) {
				f.begin = c.at - int64(len(c.text))
				return true
			}
		}
	}
	return false
}

// begun looks for the beginning of the line at the end of the output.
func (f *finder) begun() bool {
	if n, row, col := f.read(f.row, f.col); n > 0 && f.empty(row, col) && f.below(row) {
		f.begin = f.from
		return true
	}
	for row := f.rows.row; row >= f.rows.row-f.height && row >= f.row; row-- {
		for col, c := range f.rows.cells[row] {
			if !f.starts(c) {
				continue
			}
			if n, end, next := f.read(row, col); n > 0 && end == f.rows.row && f.empty(end, next) && next == f.rows.col {
				f.begin = c.at - int64(len(c.text))
				return true
			}
		}
	}
	return false
}

// below reports whether nothing was drawn below a row: a program that goes on there has done with the line.
func (f *finder) below(row int) bool {
	for below := row + 1; below <= f.rows.lowest; below++ {
		if f.rows.written(below, false) {
			return false
		}
	}
	return f.rows.row <= row+1
}

// starts reports whether the line may begin in a cell: one that was drawn since it was sent.
func (f *finder) starts(c cell) bool { return c.at > f.from && f.line[0].is(c) }

// cellsOf is how many cells a line takes.
func cellsOf(line []token) (n int) {
	for _, t := range line {
		n += t.wide
	}
	return n
}

// is reports whether a cell shows a token. Where nothing was drawn there is a blank.
func (t token) is(c cell) bool {
	if t.tab {
		return c.text == "" || c.text == " " || c.text == "^"
	}
	return c.text == t.text || t.text == " " && c.text == "" && !c.tail
}

func (f *finder) cell(row, col int) cell {
	if l := f.rows.cells[row]; col < len(l) {
		return l[col]
	}
	return cell{}
}

// read compares the line with what stands from a cell on, over the margin, and returns how much of it is there and where
// the cursor would be after that.
func (f *finder) read(row, col int) (n, endRow, endCol int) {
	width := f.rows.width
	for n < len(f.line) {
		t := f.line[n]
		if t.tab {
			to, ok := f.readTab(row, col)
			if !ok {
				return n, row, col
			}
			col = to
			n++
			continue
		}
		at, next := row, col
		if next+t.wide > width { // folded, a cell earlier where a wide character has no room
			at, next = row+1, 0
		}
		if !t.is(f.cell(at, next)) {
			if next != width-1 || f.cell(at, next).text != `\` || !t.is(f.cell(at+1, 0)) {
				return n, row, col
			}
			at, next = at+1, 0 // behind the mark of a row that goes on
		}
		row, col = at, next+t.wide
		n++
	}
	return n, row, col
}

// readTab passes over a tab: the two characters of its name, or blanks up to the next stop.
func (f *finder) readTab(row, col int) (to int, ok bool) {
	if f.cell(row, col).text == "^" && f.cell(row, col+1).text == "I" {
		return col + 2, true
	}
	for to = col; to < f.rows.width; {
		if c := f.cell(row, to); c.text != "" && c.text != " " {
			return to, false
		}
		if to++; to%8 == 0 {
			break
		}
	}
	return to, to > col
}

// empty reports whether nothing stands in a row from a column on.
func (f *finder) empty(row, col int) bool {
	l := f.rows.cells[row]
	for ; col < len(l); col++ {
		if l[col].text != "" && l[col].text != " " {
			return false
		}
	}
	return true
}

// minScroll is how many characters of a line's end tell an editor's row that shows no more of it.
const minScroll = 4

// scrollSpare is how many cells of a row such editors leave free at most.
const scrollSpare = 4

// scrolled reports whether the cursor's row shows the end of a line that does not fit in it, with a mark that there is more:
// editors of one row scroll it sideways.
func (f *finder) scrolled() bool {
	if f.rows.row != f.row || f.col+cellsOf(f.line)+scrollSpare < f.rows.width {
		return false
	}
	var b strings.Builder
	for _, c := range f.rows.cells[f.row] {
		switch {
		case c.at <= f.from && c.text != "": // the prompt
			b.Reset()
		case c.text == "" && !c.tail:
			b.WriteByte(' ')
		default:
			b.WriteString(c.text)
		}
	}
	text := strings.TrimSpace(b.String())
	shown := strings.TrimRight(strings.TrimRight(text, "<>*+"), " ")
	shown = strings.TrimLeft(shown, "<>*+")
	if shown == text {
		return false
	}
	var whole strings.Builder
	for _, t := range f.line {
		whole.WriteString(t.text)
	}
	f.begin = f.from
	return utf8.RuneCountInString(shown) >= minScroll && strings.HasSuffix(whole.String(), shown)
}
