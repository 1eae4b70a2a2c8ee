package interp

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.starlark.net/syntax"

	"omniexpect/internal/fault"
	"omniexpect/internal/habit"
	"omniexpect/internal/lazy"
)

// ExplainSyntax returns the parser's error about a text with its place and what to write instead.
func ExplainSyntax(text string, err error) error {
	var se syntax.Error
	if !errors.As(err, &se) {
		return err
	}
	// A line's end is reported where the next one begins.
	if strings.HasPrefix(se.Msg, "got newline") && se.Pos.Col == 1 && se.Pos.Line > 1 {
		se.Pos.Line--
		se.Pos.Col = int32(len([]rune(strings.TrimRight(LineOf(text, int(se.Pos.Line)), " \t\r"))) + 1)
	}
	line := LineOf(text, int(se.Pos.Line))
	e := &Located{Pos: se.Pos, Line: line, Err: syntaxError(text, se)}
	e.Pos.Col -= int32(behind(line, int(se.Pos.Col), se.Msg))
	return e
}

// behind returns how many characters of the token that the parser did not want are in front of the place that it tells: often
// that is where the token ends.
func behind(line string, col int, msg string) int {
	got, found := strings.CutPrefix(strings.SplitN(msg, ", want", 2)[0], "got ")
	r := []rune(line)
	if !found || strings.Contains(msg, "want primary expression") || col < 1 || col > len(r)+1 {
		return 0
	}
	before := string(r[:col-1])
	end := func(pattern string) int {
		return len([]rune(regexp.MustCompile(`(?:` + pattern + `)$`).FindString(before)))
	}
	switch got {
	case "identifier":
		return end(`[\pL_][\pL\pN_]*`)
	case "int literal", "float literal":
		return end(`[0-9][\w.]*`)
	case "string literal":
		return end(`[rR]?(?:` + quoted().String() + `)`)
	}
	return end(regexp.QuoteMeta(strings.Trim(got, "'")))
}

var helpOf = lazy.Regexp(`^\s*\?*\s*([a-zA-Z_][\w.]*)\s*\?*\s*$`)

var importLine = lazy.Regexp(`^\s*(?:import|from)\s+(\w+)`)

// syntaxError explains what the parser says, where a habit of Python is the likely cause.
func syntaxError(text string, se syntax.Error) error {
	line := skeleton(LineOf(text, int(se.Pos.Line)))
	for _, h := range phrases().idioms {
		if h.line().MatchString(line) {
			e := fault.New(fault.Script, "syntax error: %s", se.Msg)
			e.Hints = append(e.Hints, h.hint)
			return e
		}
	}
	if m := helpOf().FindStringSubmatch(line); m != nil && strings.Contains(line, "?") {
		e := fault.New(fault.Script, "syntax error: %s", se.Msg)
		e.Hints = append(e.Hints, fmt.Sprintf("write help(%s), or at the prompt %s?", m[1], m[1]))
		return e
	}
	if m := importLine().FindStringSubmatch(line); m != nil {
		e := fault.New(fault.Script, "syntax error: %s", se.Msg)
		e.Hints = append(e.Hints, "Starlark has no import: "+imported(m[1]))
		return e
	}
	msg, hint := plainly(se.Msg, line)
	if strings.Contains(se.Msg, "in string") {
		msg, hint = unclosed(LineOf(text, int(se.Pos.Line)), int(se.Pos.Col))
	}
	if tcl := ofTcl(line); tcl != "" {
		e := fault.New(fault.Script, "syntax error: %s", msg)
		e.Hints = append(e.Hints, tcl)
		return e
	}
	at := se.Pos
	if strings.HasPrefix(se.Msg, "got end of file") {
		at.Line++ // the last line's brackets count too
	}
	if open := stillOpen(text, at); open != "" && !strings.Contains(se.Msg, "string") && !strings.Contains(se.Msg, "want ':'") {
		if hint = open; strings.Contains(se.Msg, "want ','") {
			hint += ", or a comma is missing before this"
		}
	}
	if strings.Contains(se.Msg, "indent") && tabbed(text, int(se.Pos.Line)) {
		hint += "; a tab reaches to the next multiple of 8 columns, whatever the editor shows: write blanks"
	}
	e := fault.New(fault.Script, "syntax error: %s", msg)
	if hint != "" {
		e.Hints = append(e.Hints, hint)
	}
	return e
}

// imported is what to write in place of an import.
func imported(module string) string {
	switch module {
	case "json", "math", "time", "re", "random", "base64", "csv", "yaml", "url":
		return module + " is there already"
	case "glob":
		return "write fs.glob(…)"
	}
	if h := habit.Name(module); h != "" {
		return h
	}
	return `write load("module.star", "name"); json, math, time and all builtins are there already`
}

// tabbed reports whether one of the lines up to a place begins with a tab.
func tabbed(text string, line int) bool {
	for l := range strings.Lines(text) {
		if line--; line < 0 {
			return false
		}
		if code := strings.TrimLeft(l, " \t"); strings.Contains(l[:len(l)-len(code)], "\t") {
			return true
		}
	}
	return false
}

var bareCall = lazy.Regexp(`^\s*([a-z_]\w*(?:\.\w+)*)\s+["'{\w\[]`)

// plainly puts the parser's message in the words of a user, with what to write.
func plainly(msg, line string) (said, hint string) {
	has := func(s string) bool { return strings.Contains(msg, s) }
	switch {
	case (has("got ',', want ':'") || has("got '}', want ':'")) && strings.Contains(line, "{"):
		return msg, "{…} is a dict, with key: value; a set is written set([a, b])"
	case has("got '=', want newline") && strings.Contains(line, "lambda"):
		return msg, "a lambda is one expression: for more write a def"
	case has("want primary expression") && strings.HasPrefix(msg, "got end of file") && block().MatchString(line), has("got end of file, want indent"):
		return "the block is missing", "write its lines below the colon, indented by four blanks; pass is one that does nothing"
	}
	for _, p := range phrases().messages {
		if slices.ContainsFunc(p.pieces, has) {
			return cmp.Or(p.said, msg), p.hint
		}
	}
	if has("want newline") {
		statement := line[strings.LastIndexAny(line, ":;")+1:] // the last one in the line
		if call := bareCall().FindStringSubmatch(statement); call != nil {
			return "a call needs parentheses", fmt.Sprintf("write %s(…); a variable is set by name = value", call[1])
		}
	}
	return msg, ""
}

// unclosed describes what is wrong with the text that begins at a column and has no end.
func unclosed(line string, col int) (said, hint string) {
	r := []rune(line)
	token := strings.TrimLeft(string(r[min(max(col-1, 0), len(r)):]), "rRbB")
	for _, quotes := range []string{`"""`, "'''"} {
		if strings.HasPrefix(token, quotes) {
			return "the text that begins here is not closed", "it goes on until " + quotes + " stands again"
		}
	}
	quote := `"`
	if strings.HasPrefix(token, "'") {
		quote = "'"
	}
	return "the text is not closed before the end of its line", "close it with " + quote + `, as it begins; a text of several lines stands in """ … """`
}

// resolved is what to write where the resolver refuses something.
func resolved(msg string) string {
	has := func(s string) bool { return strings.HasPrefix(msg, s) }
	switch {
	case has("return statement not within"):
		return "exit() ends the script"
	case has("load statement within"):
		return "write it at the top of the file"
	case has("keyword argument may not follow *args"):
		return `arguments with a name stand in front of *args: f(1, sep = " ", *list)`
	case has("positional argument may not follow *args"):
		return "put all into one list: f(*(list + [1]))"
	}
	return ""
}

// block matches the first line of a block.
var block = lazy.Regexp(`^\s*(def|if|elif|else|for|while)\b.*:\s*$`)

// quoted matches the texts in a line.
var quoted = lazy.Regexp(`"(\\.|[^"\\])*"|'(\\.|[^'\\])*'`)

// skeleton is a line without what its texts and its comment say.
func skeleton(line string) string {
	line = quoted().ReplaceAllStringFunc(line, func(s string) string { return s[:1] + s[:1] })
	code, _, _ := strings.Cut(line, "#")
	return code
}

// stillOpen names a bracket in an earlier line that is not closed at a place.
func stillOpen(text string, pos syntax.Position) string {
	type bracket struct {
		char rune
		line int
	}
	var open []bracket
	n := 0
	for line := range strings.Lines(text) {
		if n++; n >= int(pos.Line) {
			break
		}
		if !strings.ContainsAny(line, "()[]{}") {
			continue
		}
		for _, c := range skeleton(line) {
			switch c {
			case '(', '[', '{':
				open = append(open, bracket{c, n})
			case ')', ']', '}':
				if len(open) > 0 {
					open = open[:len(open)-1]
				}
			}
		}
	}
	if len(open) == 0 {
		return ""
	}
	last := open[len(open)-1]
	return fmt.Sprintf("the %c of line %d is not closed", last.char, last.line)
}
