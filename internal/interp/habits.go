package interp

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"go.starlark.net/syntax"

	"omniexpect/internal/fault"
	"omniexpect/internal/habit"
	"omniexpect/internal/lazy"
)

// idiom is something that Python, or another tool, has and Starlark lacks: how the line looks, and what to write instead.
type idiom struct {
	line func() *regexp.Regexp
	hint string
}

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

// behind says how many characters of the token that the parser did not want are in front of the place that it tells: often
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
	for _, h := range idioms() {
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

// plainly says what the parser says in the words of a user, and what to write.
func plainly(msg, line string) (said, hint string) {
	has := func(s string) bool { return strings.Contains(msg, s) }
	switch {
	case has("excessive nesting"):
		return "nested too deeply", "build deep data in a loop, a level at a time"
	case has("invalid escape sequence"):
		return msg, `regular expressions are written as raw strings: r"\d+"`
	case has("got newline, want ':'"):
		return "a colon is missing at the end of the line", ""
	case has("literal, want ':'"), has("got identifier, want ':'"):
		return msg, "a colon is missing: between a key and its value, or in front of a block"
	case (has("got ',', want ':'") || has("got '}', want ':'")) && strings.Contains(line, "{"):
		return msg, "{…} is a dict, with key: value; a set is written set([a, b])"
	case has("got '{', want ':'"):
		return "got '{', want ':'", "a block is a colon and indented lines: there are no braces"
	case has("got if, want ':'"):
		return msg, "write elif"
	case has("got '=', want ':'"), has("got '=', want ')'"):
		return msg, "== compares, = assigns, and an assignment is a statement of its own"
	case has("got '=', want newline") && strings.Contains(line, "lambda"):
		return msg, "a lambda is one expression: for more write a def"
	case has("got '=', want newline"):
		return msg, "one assignment a statement: y = 3, and in the next line x = y"
	case has("got return, want primary expression"):
		return msg, "a lambda is one expression, without return: for more write a def"
	case has("got else, want primary expression"):
		return msg, "an else belongs to an if that begins in the same column; for and while have none"
	case has("got else, want ']'"):
		return msg, "with else it comes first: [a if c else b for x in list]"
	case has("got elif, want primary expression"):
		return msg, "an elif belongs to an if that begins in the same column"
	case has("without else clause"):
		return msg, "write a if condition else b"
	case has("got for, want ','"), has("got for, want ')'"):
		return msg, "Starlark has no generators: put a list in its place, [x for x in y]"
	case has("got '*', want primary expression"):
		return msg, "lists are joined by +: [1] + list; the rest of one is a slice: a, rest = list[0], list[1:]"
	case has("got for, want ':'"):
		return msg, "a set is written set([x for x in y])"
	case has("got '**', want primary expression"):
		return msg, "dicts are joined by |: a | b"
	case has("got '**'"):
		return msg, "Starlark has no ** operator: write math.pow(a, b)"
	case has("invalid int literal"):
		return msg, "a decimal number has no zeros in front; an octal one is written 0o17"
	case has("at least 1 symbol"):
		return msg, `name what to take from it: load("module.star", "name")`
	case has("character '?'"):
		return msg, "write a if condition else b"
	case has("want primary expression") && strings.HasPrefix(msg, "got end of file") && block().MatchString(line), has("got end of file, want indent"):
		return "the block is missing", "write its lines below the colon, indented by four blanks; pass is one that does nothing"
	case has("want indent"):
		return "the lines of a block have to be indented", "put four blanks in front of this line and the others of the block"
	case has("got indent"):
		return "this line is indented more than the one before, and begins no block", "let the lines of a block begin in the same column"
	case has("unindent does not match"):
		return "this line is indented like no block around it", "let the lines of a block begin in the same column"
	case has("not an identifier"):
		return "a name is wanted here, or before the end of the line above", "after a dot comes the name of a field or a method, after def that of the function"
	case has("does not associate"):
		return "comparisons cannot be chained", "write a < b and b < c"
	case has("got '&'"), has("got '|'"):
		return msg, "write and, or"
	case has("character '!'"):
		return msg, "write not x"
	case has("character '@'"):
		return msg, "Starlark has no decorators: call the function with the other one"
	case has("character '“'"), has("character '”'"), has("character '‘'"), has("character '’'"):
		return "typographic quotes are not quotes here", `write "…"`
	case has("character '–'"), has("character '—'"), has("character '−'"):
		return "a typographic dash is not a minus sign", "write -"
	case has(`character '\u00a0'`), has(`character '\u200b'`), has(`character '\ufeff'`):
		return "an invisible character that is not a blank", "delete it, and type a blank"
	case has("character '$'"):
		return msg, `a variable is written by its name alone; one of the environment is env("NAME")`
	case has("character '`'"):
		return msg, `the output of a command is run(["command", "argument"]).output`
	case has("got '//'"):
		return msg, "a comment begins with #"
	case has("got ':', want ')'"), has("got ':', want newline"), has("got ':', want ','"):
		return msg, `Starlark has no type annotations: leave the ": type" out`
	case has("got newline, want primary expression"), has("got end of file, want primary expression"):
		return "the line ends where a value is wanted", "an expression goes on in the next line only inside of ( ) [ ] { }"
	case has("want newline"):
		statement := line[strings.LastIndexAny(line, ":;")+1:] // the last one in the line
		if call := bareCall().FindStringSubmatch(statement); call != nil {
			return "a call needs parentheses", fmt.Sprintf("write %s(…); a variable is set by name = value", call[1])
		}
	}
	return msg, ""
}

// unclosed says what is wrong with the text that begins at a column and has no end.
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

// idioms are tried in this order.
var idioms = sync.OnceValue(func() []idiom {
	h := func(line, hint string) idiom { return idiom{lazy.Regexp(line), hint} }
	return []idiom{
		h(`^\s*!+\s*[a-z./]`, `a command is run(["ls", "-l"]).output, a line of a shell run(["sh", "-c", "…"]).output`),
		h(`\b[fF][rR]?["']`, `Starlark has no f-strings: write "value %s" % x, or "value {}".format(x)`),
		h(`^\s*(try|except|finally)\b`, `Starlark has no try: write r = catch(fn, args…) and look at r.ok, r.kind, r.error; clean up with defer(fn)`),
		h(`^\s*raise\b`, `Starlark has no raise: write fail("why")`),
		h(`^\s*with\b`, `Starlark has no with: clean up with defer(fn, args…), which runs at the end whatever happens`),
		h(`\bis\s+(not\s+)?\w`, `Starlark has no "is": write x == None, x != None`),
		h(`^\s*assert\s`, `assert is a module here: write assert.true(x), assert.eq(got, want)`),
		h(`^\s*class\b`, `Starlark has no classes: use struct(a=1, b=2) and functions`),
		h(`\byield\b`, `Starlark has no generators: return a list`),
		h(`^\s*(global|nonlocal)\b`, `Starlark functions cannot rebind outer names: keep state in a dict, and write state["n"] = 1`),
		h(`:=`, `Starlark has no := : write the assignment on a line of its own`),
		h(`^\s*(async|await)\b`, `Starlark has no async: parallel([fn, …]) runs functions at the same time`),
		h(`^\s*del\b`, `Starlark has no del: write d.pop("key") or l.pop(i)`),
		h(`(""|'')\s+[rb]?["']`, `Starlark does not join adjacent strings: write "a" + "b"`),
		h(`\+\+\s*$|--\s*$`, `write n += 1 or n -= 1`),
		h(`<>`, `write != for not equal`),
		h(`[=!]==`, `write == for equal, != for not equal`),
		h(`^\s*match\s.*:\s*$`, `Starlark has no match: write if …: and elif …:`),
		h(`\b\d+_\d`, `a number has no _ in it: write 1000`),
		h(`(^|[^"'])(""|'')\w`, `the text ends at the quote in the middle of it: write "it's" with the other quotes, or \' for the quote itself`),
		h(`^\s*\}?\s*else\s+if\b`, `write elif`),
	}
})
