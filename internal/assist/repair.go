package assist

import (
	"strings"

	"go.starlark.net/syntax"

	"omniexpect/internal/interp"
)

// line is a statement as it is written into the repaired text.
type line struct {
	stmt   *statement
	text   string // what stands for it, without its indentation
	indent string
	header bool
}

// parses reports whether a statement is one by itself.
func parses(text string, header bool) bool {
	if header {
		text += " pass"
		if strings.HasPrefix(text, "elif") || strings.HasPrefix(text, "else") {
			text = "if x: pass\n" + text
		}
	}
	_, err := interp.Options().Parse("", text+"\n", 0)
	return err == nil
}

// holds reports whether a place is in a statement, or at its end.
func holds(text string, s *statement, at int) bool {
	switch {
	case at <= s.from:
		return false
	case at <= s.to:
		return true
	}
	between := text[s.to:at]
	return len(s.open) > 0 && strings.TrimSpace(between) == "" || !strings.ContainsAny(between, "\r\n;")
}

// mend returns the text of a statement, or what of it parses, or what can stand for it. at is the place that is being
// written, or -1.
func mend(text string, s *statement, at int) (mended string, header bool) {
	whole := text[s.from:s.to]
	if header = s.header(text); parses(whole, header) {
		return whole, header
	}
	if holds(text, s, at) {
		for _, try := range finished(text, s, at) {
			if parses(try, false) {
				return try, false
			}
			if try += ":"; parses(try, true) {
				return try, true
			}
		}
	}
	if !header {
		return "pass", false
	}
	if s.first(text) == "def" && len(s.tokens) > 1 && s.tokens[1].kind == word {
		if def := "def " + text[s.tokens[1].from:s.tokens[1].to] + "(*args, **kwargs):"; parses(def, true) {
			return def, true
		}
	}
	return "if True:", true
}

// finished returns ways to finish a statement that breaks off at a place.
func finished(text string, s *statement, at int) []string {
	done, rest := text[s.from:at], ""
	if at < s.to {
		rest = text[at:s.to]
	}
	quote := ""
	if toks := scan(done); len(toks) > 0 && toks[len(toks)-1].open {
		t := toks[len(toks)-1]
		body := strings.TrimLeft(done[t.from:t.to], "rb")
		if quote = body[:1]; strings.HasPrefix(body, strings.Repeat(quote, 3)) {
			quote = strings.Repeat(quote, 3)
		}
	}
	var out []string
	for _, word := range []string{"", "_"} {
		cut := done + word + quote
		all := statements(cut)
		if len(all) == 0 {
			continue
		}
		last, closers := &all[len(all)-1], ""
		for i := len(last.open) - 1; i >= 0; i-- {
			t := last.tokens[last.open[i]]
			closers += closing(cut[t.from:t.to])
		}
		out = append(out, done+word+rest, cut+closers)
	}
	return out
}

// repair returns a text with the same lines that parses, and whether there is one. at is the place that is being written,
// or -1; probe, if it is not empty, is put in front of the statement there, in a line of its own.
func repair(text string, at int, probe string) (string, bool) {
	all := statements(text)
	here, indent := -1, ""
	if probe != "" {
		here, indent = spot(text, all, at)
	}
	// Most of the time it is one statement that does not parse, or none.
	if fixed := quick(text, all, at, here, indent+probe); fixed != "" {
		return fixed, true
	}
	var lines []line
	for i := range all {
		if i == here {
			lines = append(lines, line{text: probe, indent: indent})
		}
		mended, header := mend(text, &all[i], at)
		lines = append(lines, line{&all[i], mended, all[i].indent, header})
	}
	if here == len(all) {
		lines = append(lines, line{text: probe, indent: indent})
	}
	fixed := layout(text, lines)
	_, err := interp.Options().Parse("", fixed, 0)
	return fixed, err == nil
}

// quick changes nothing but the statement at the place, and returns "" if that does not do.
func quick(text string, all []statement, at, here int, probe string) string {
	var b strings.Builder
	from := 0
	if here >= 0 && here < len(all) {
		from = lineStart(text, all[here].from)
		b.WriteString(text[:from] + probe + "\n")
	}
	for i := range all {
		if s := &all[i]; s.from >= from && holds(text, s, at) {
			end := max(s.to, at)
			whole := text[s.from:end]
			mended, _ := mend(text, s, at)
			b.WriteString(text[from:s.from] + mended)
			b.WriteString(strings.Repeat("\n", max(0, strings.Count(whole, "\n")-strings.Count(mended, "\n"))))
			from = end
			break
		}
	}
	b.WriteString(text[from:])
	if here == len(all) {
		b.WriteString("\n" + probe + "\n")
	}
	if _, err := interp.Options().Parse("", b.String(), 0); err != nil {
		return ""
	}
	return b.String()
}

func lineStart(text string, at int) int { return strings.LastIndexAny(text[:at], "\r\n") + 1 }

// level is an indentation within which the lines of a block stand, and the word that the last of them begins with.
type level struct {
	column int
	last   string
}

// layout writes statements so that blocks are blocks, each in the line in which it was; those after a probe move down by
// its lines.
func layout(text string, lines []line) string {
	var b strings.Builder
	levels := []level{{}}
	header := false
	row, shift, read, rows := 0, 0, 0, 0
	write := func(s string) {
		b.WriteString(s)
		row += strings.Count(s, "\n")
	}
	for i, l := range lines {
		levels = settle(levels, column(l.indent), header)
		top := &levels[len(levels)-1]
		word, _, _ := strings.Cut(strings.TrimSuffix(l.text, ":"), " ")
		if word == "else" && !strings.Contains(" if elif for ", " "+top.last+" ") || word == "elif" && top.last != "if" && top.last != "elif" {
			l.text, word = "if True:", "if"
		}
		top.last = word
		fresh := b.Len() == 0
		if l.stmt != nil {
			rows += strings.Count(text[read:l.stmt.from], "\n")
			read = l.stmt.from
			fresh = fresh || row < rows+shift
			write(strings.Repeat("\n", max(0, rows+shift-row)))
		} else {
			if !fresh {
				write("\n")
			}
			fresh = true
			shift += 1 + strings.Count(l.text, "\n")
		}
		if fresh {
			write(strings.Repeat(" ", top.column) + l.text)
		} else {
			write("; " + l.text)
		}
		if header = l.header; header && (i == len(lines)-1 || column(lines[i+1].indent) <= top.column || sameRow(text, l, lines[i+1])) {
			write(" pass")
			header = false
		}
	}
	return b.String() + "\n"
}

// sameRow reports whether two statements stand in one line.
func sameRow(text string, a, b line) bool {
	return a.stmt != nil && b.stmt != nil && !strings.Contains(text[a.stmt.to:b.stmt.from], "\n")
}

// settle finds the block that a line at a column belongs to.
func settle(levels []level, col int, header bool) []level {
	if header {
		return append(levels, level{column: max(col, levels[len(levels)-1].column+1)})
	}
	for len(levels) > 1 && levels[len(levels)-1].column > col {
		levels = levels[:len(levels)-1]
	}
	return levels
}

// spot returns the statement before which a probe for a place stands, and how it is indented.
func spot(text string, all []statement, at int) (here int, indent string) {
	start := lineStart(text, at)
	for here < len(all) && all[here].to < start && !holds(text, &all[here], at) {
		here++
	}
	next, least := 0, 0 // the column of the next statement, and the least one for the probe
	if here < len(all) {
		next = column(all[here].indent)
		least = next
		switch w := all[here].first(text); {
		case w == "elif" || w == "else":
			least = next + 1
		case lineStart(text, all[here].from) <= at:
			return here, all[here].indent
		}
	}
	if here == 0 {
		return 0, strings.Repeat(" ", next)
	}
	prev := &all[here-1]
	if high := column(prev.indent); prev.header(text) {
		if next > high {
			return here, all[here].indent
		}
		return here, strings.Repeat(" ", high+4)
	}
	// After the end of a block: in the innermost one that the blanks before the place reach.
	want, best, have := column(indentAt(text, at)), column(prev.indent), column(prev.indent)
	for i := here - 1; i >= 0 && best > want; i-- {
		if c := column(all[i].indent); c < have {
			if have = c; c >= least {
				best = c
			}
		}
	}
	return here, strings.Repeat(" ", best)
}

// callOf finds the call of a function by its name, and the functions that it stands in.
func callOf(f *syntax.File, name string) (found *syntax.CallExpr, defs []*syntax.DefStmt) {
	var stack []*syntax.DefStmt
	var visit func(syntax.Node) bool
	visit = func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.DefStmt:
			stack = append(stack, n)
			for _, s := range n.Body {
				syntax.Walk(s, visit)
			}
			stack = stack[:len(stack)-1]
			return false
		case *syntax.CallExpr:
			if id, ok := n.Fn.(*syntax.Ident); ok && id.Name == name && found == nil {
				found, defs = n, append([]*syntax.DefStmt{}, stack...)
			}
		}
		return true
	}
	syntax.Walk(f, visit)
	return found, defs
}
