package repl

import (
	"io"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/term"

	"omniexpect/internal/cells"
)

// edit does what a key asks for. Both parts of the line are encoded.
func (e *editor) edit(k key, before, after string) (b, a string, changed bool) {
	left, right := []rune(before), []rune(after)
	switch k.name {
	case "", "paste":
		text := strings.TrimRight(k.text, "\r\n")
		if k.name == "" {
			text = k.text
		}
		return e.insert(before, text), after, true
	case "left":
		e.times(clusterBefore(left), "\x1b[D")
	case "right":
		e.times(clusterAfter(right), "\x1b[C")
	case "backspace":
		e.times(clusterBefore(left), "\x7f")
	case "delete":
		e.delete(clusterAfter(right))
	case "word-left":
		e.times(wordBefore(left, false), "\x1b[D")
	case "word-right":
		e.times(wordAfter(right), "\x1b[C")
	case "kill-word", "kill-word-part":
		n := wordBefore(left, k.name == "kill-word")
		e.killed = string(left[len(left)-n:])
		return string(left[:len(left)-n]), after, true
	case "kill-right-word":
		n := wordAfter(right)
		e.killed = string(right[:n])
		return before, string(right[n:]), true
	case "kill":
		e.killed = after
		return before, "", true
	case "kill-left":
		e.killed = before
		return "", after, true
	case "yank":
		return before + e.killed, after, true
	case "newline":
		return e.insert(before, "\n"), after, true
	case "transpose":
		if len(left) > 0 && len(left)+len(right) > 1 && !strings.ContainsRune(before+after, filler) {
			e.native(1, "\x14")
		}
	case "ctrl-c":
		e.interrupted = true
		e.native(4, "\x05^C\r")
	case "ctrl-d":
		if before+after == "" {
			e.native(1, "\x04")
		} else {
			e.delete(clusterAfter(right))
		}
	case "up", "down", "search":
		return e.recall(k.name, before, after)
	case "tab":
		return e.tab(before, after)
	}
	return "", "", false
}

// insert puts a text behind another one, to whose last character it may belong.
func (e *editor) insert(before, text string) string {
	if r := []rune(text); len(r) == 1 && before != "" {
		left := []rune(before)
		n := clusterBefore(left)
		last := []rune(e.cells.decode(string(left[len(left)-n:])))
		if last[len(last)-1] >= ' ' && joins(last[len(last)-1], r[0]) && !(flag(r[0]) && len(last) > 1) {
			return string(left[:len(left)-n]) + e.cells.encode(string(last)+text)
		}
	}
	return before + e.cells.encode(text)
}

func clusterBefore(left []rune) int {
	n := len(left)
	if n > 1 && left[n-1] == filler {
		return 2
	}
	return min(n, 1)
}

func clusterAfter(right []rune) int {
	if len(right) > 1 && right[1] == filler {
		return 2
	}
	return min(len(right), 1)
}

func inWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || isPrivate(r)
}

// wordBefore returns how many characters lie between the end and where the last word begins.
func wordBefore(left []rune, blanks bool) int {
	in := inWord
	if blanks {
		in = func(r rune) bool { return r != ' ' }
	}
	i := len(left)
	for i > 0 && !in(left[i-1]) {
		i--
	}
	for i > 0 && in(left[i-1]) {
		i--
	}
	return len(left) - i
}

func wordAfter(right []rune) int {
	i := 0
	for i < len(right) && !inWord(right[i]) {
		i++
	}
	for i < len(right) && inWord(right[i]) {
		i++
	}
	return i
}

// recall goes through the history: up and down through what begins like the part of the line in front of the cursor,
// search upwards through what has it anywhere.
func (e *editor) recall(name, before, after string) (b, a string, changed bool) {
	f := &e.find
	again := e.last == "up" || e.last == "down" || e.last == "search"
	if !again || (name == "search") != f.inside {
		part := e.cells.decode(before)
		if again {
			part = f.part
		}
		if name == "search" && strings.TrimSpace(part) == "" { // of a shell's habit the next letters would be added to an entry
			e.bell()
			return "", "", false
		}
		*f = search{at: -1, part: part, inside: name == "search", line: e.cells.decode(before + after)}
	}
	step := 1
	if name == "down" {
		step = -1
	}
	for at := f.at + step; at >= -1; at += step {
		if at == -1 {
			f.at = -1
			return e.cells.encode(f.line), "", true
		}
		entry, ok := e.history.at(at)
		if !ok {
			break
		}
		if entry == e.cells.decode(before+after) || !f.inside && !strings.HasPrefix(entry, f.part) || !strings.Contains(entry, f.part) {
			continue
		}
		f.at = at
		return e.cells.encode(entry), "", true
	}
	e.bell()
	return "", "", false
}

func (e *editor) bell() { io.WriteString(e.screen.out, "\a") }

// tab completes. When there is nothing to insert and more than one way to go on, the ways are listed above the line.
func (e *editor) tab(before, after string) (b, a string, changed bool) {
	text := e.cells.decode(before)
	if strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:]) == "" && e.complete != nil && (text != "" || e.indents()) {
		return before + "    ", after, true
	}
	insert, list := e.complete(text, e.cells.decode(after))
	switch {
	case insert != "":
		return e.insert(before, insert), after, true
	case len(list) > 0:
		width, _, err := term.GetSize(int(e.screen.out.Fd()))
		if err != nil {
			width = 80
		}
		e.term.Write([]byte(columns(list, width)))
	default:
		e.bell()
	}
	return "", "", false
}

// indents reports whether Tab on an empty line indents.
func (e *editor) indents() bool { return e.screen.continued }

// maxListed is how many completions are listed.
const maxListed = 120

// columns lays a list out below each other first, as ls does.
func columns(list []string, width int) string {
	left := 0
	if len(list) > maxListed {
		left = len(list) - maxListed
		list = list[:maxListed]
	}
	widest := 0
	for _, s := range list {
		widest = max(widest, cells.Sum(s)+2)
	}
	perRow := max(1, (width-1)/widest)
	rows := (len(list) + perRow - 1) / perRow
	var b strings.Builder
	for r := range rows {
		line := ""
		for i := r; i < len(list); i += rows {
			line += list[i] + strings.Repeat(" ", widest-cells.Sum(list[i]))
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	if left > 0 {
		b.WriteString("… and " + strconv.Itoa(left) + " more\n")
	}
	return b.String()
}
