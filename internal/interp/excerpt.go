package interp

import (
	"fmt"
	"strings"
	"unicode"

	"omniexpect/internal/cells"
)

// ExcerptWidth is how many columns an excerpt takes where no terminal says so.
const ExcerptWidth = 100

// Excerpt is a source line with its number, and a line with a mark below the column that is meant. A line that is longer
// than the columns there are is cut to what stands around the mark.
func Excerpt(line string, number, col, columns int) string {
	row := display(strings.TrimRight(line, " \t\r"))
	at := 0
	for at < len(row) && at+1 < col {
		at++
	}
	margin := fmt.Sprintf("%5d | ", number)
	columns = max(columns-len(margin)-1, 20)
	from, to := window(row, at, columns)
	shown, before := "", 0
	if from > 0 {
		shown, before = "…", 1
	}
	for i, c := range row[from:to] {
		if from+i < at {
			before += c.width
		}
		shown += c.text
	}
	if to < len(row) {
		shown += "…"
	}
	if past := col - 1 - len(row); to == len(row) && past > 0 {
		before += min(past, 1) // a place behind the end of the line
	}
	return margin + shown + "\n" + strings.Repeat(" ", len(margin)-2) + "| " + strings.Repeat(" ", before) + "^"
}

// cell is a character as a terminal shows it.
type cell struct {
	text  string
	width int
}

// display is how a terminal shows a line: tabs are blanks up to the next multiple of 8, other control characters cannot
// act.
func display(line string) []cell {
	var out []cell
	at := 0
	for _, r := range line {
		c := cell{string(r), 1}
		switch {
		case r == '\t':
			c.width = 8 - at%8
			c.text = strings.Repeat(" ", c.width)
		case unicode.IsControl(r):
			c.text = "\uFFFD"
		default:
			c.width = cells.Width(r)
		}
		at += c.width
		out = append(out, c)
	}
	return out
}

// window is the part of a line around a place that fits into the columns.
func window(row []cell, at, columns int) (from, to int) {
	total := 0
	for _, c := range row {
		total += c.width
	}
	if total <= columns {
		return 0, len(row)
	}
	columns -= 2 // a mark on each side
	from, to = at, at
	for used := 0; ; {
		grown := false
		if to < len(row) && used+row[to].width <= columns {
			used += row[to].width
			to++
			grown = true
		}
		if from > 0 && used+row[from-1].width <= columns {
			from--
			used += row[from].width
			grown = true
		}
		if !grown {
			return from, to
		}
	}
}
