// Package format formats scripts with the formatter that Bazel's files have: four blanks, double quotes, a = b in calls.
//
// That formatter does not know two things of our dialect, so they are replaced while it works: "while c" is
// "for NAME in c", b"…" is a name. Nothing leaves this package unless the formatted text parses to the same tree as the
// original and has the same comments. A byte order mark is dropped: a script is UTF-8 and needs none.
package format

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bazelbuild/buildtools/build"
	"go.starlark.net/syntax"

	"omniexpect/internal/fault"
	"omniexpect/internal/interp"
)

// Source returns the formatted text of a script. name is for messages.
func Source(name, text string) (string, error) {
	before, text, err := interp.ParseText(name, text)
	if err != nil {
		return "", interp.ExplainSyntax(text, err)
	}
	safe, literals := hide(before, text)
	tree, err := build.ParseDefault(name, []byte(safe))
	if err != nil {
		return "", fault.New(fault.Script, "%s: the formatter cannot read it: %w", name, err)
	}
	out := show(string(build.FormatWithoutRewriting(tree)), literals)
	after, _, err := interp.ParseText(name, out)
	if err != nil {
		return "", fault.New(fault.Script, "%s: not formatted: the result would not be a script: %w", name, err)
	}
	if shape(before) != shape(after) {
		return "", fault.New(fault.Script, "%s: not formatted: the result would do something else; the file is left as it is", name)
	}
	if !slices.Equal(comments(before), comments(after)) {
		return "", fault.New(fault.Script, "%s: not formatted: a comment would be lost; the file is left as it is", name)
	}
	return out, nil
}

// edit replaces a part of a text.
type edit struct {
	from, to int
	text     string
}

const (
	whileName = "omniexpect_while_loop"
	bytesName = "omniexpect_bytes_%d_literal"
)

// hide replaces what the formatter does not know.
func hide(f *syntax.File, text string) (safe string, literals []string) {
	lines := []int{0}
	for i := range len(text) {
		if text[i] == '\n' {
			lines = append(lines, i+1)
		}
	}
	offset := func(p syntax.Position) int {
		at := lines[p.Line-1]
		for range p.Col - 1 {
			_, n := utf8.DecodeRuneInString(text[at:])
			at += n
		}
		return at
	}
	var edits []edit
	inside := map[int]bool{} // lines that begin within a text
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.WhileStmt:
			at := offset(n.While)
			edits = append(edits, edit{at, at + len("while"), "for " + whileName + " in"})
		case *syntax.Literal:
			for i := range strings.Count(n.Raw, "\n") {
				inside[int(n.TokenPos.Line)+i] = true
			}
			if n.Token == syntax.BYTES {
				at := offset(n.TokenPos)
				edits = append(edits, edit{at, at + len(n.Raw), fmt.Sprintf(bytesName, len(literals))})
				literals = append(literals, n.Raw)
			}
		}
		return true
	})
	for i, at := range lines {
		if e := untab(text, at); e.text != "" && !inside[i] {
			edits = append(edits, e)
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return a.from - b.from })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(text[at:e.from] + e.text)
		at = e.to
	}
	return b.String() + text[at:], literals
}

// untab replaces the tabs that a line begins with by blanks up to the next multiple of 8, as the language reads them; the
// formatter does not take them.
func untab(text string, at int) edit {
	end, col, tabs := at, 0, false
	for ; end < len(text) && (text[end] == ' ' || text[end] == '\t'); end++ {
		col++
		if text[end] == '\t' {
			col, tabs = (col+7)/8*8, true
		}
	}
	if !tabs {
		return edit{}
	}
	return edit{at, end, strings.Repeat(" ", col)}
}

// show puts back what hide replaced.
func show(text string, literals []string) string {
	text = strings.ReplaceAll(text, "for "+whileName+" in ", "while ")
	number := regexp.MustCompile(strings.Replace(bytesName, "%d", `(\d+)`, 1))
	return number.ReplaceAllStringFunc(text, func(s string) string {
		i, err := strconv.Atoi(number.FindStringSubmatch(s)[1])
		if err != nil || i >= len(literals) {
			return s
		}
		return literals[i]
	})
}

// shape writes a tree without places, comments and parentheses.
func shape(f *syntax.File) string {
	var b strings.Builder
	var open []bool // for each node around the place: whether it was written
	syntax.Walk(f, func(n syntax.Node) bool {
		_, paren := n.(*syntax.ParenExpr)
		if n != nil {
			open = append(open, !paren)
		}
		switch n := n.(type) {
		case nil:
			if open[len(open)-1] {
				b.WriteString(")")
			}
			open = open[:len(open)-1]
		case *syntax.ParenExpr:
		case *syntax.Ident:
			b.WriteString("(" + n.Name)
		case *syntax.Literal:
			fmt.Fprintf(&b, "(%s %T %q", n.Token, n.Value, fmt.Sprint(n.Value))
		case *syntax.BinaryExpr:
			b.WriteString("(" + n.Op.String())
		case *syntax.UnaryExpr:
			b.WriteString("(unary " + n.Op.String())
		case *syntax.AssignStmt:
			b.WriteString("(assign " + n.Op.String())
		case *syntax.BranchStmt:
			b.WriteString("(" + n.Token.String())
		case *syntax.Comprehension:
			fmt.Fprintf(&b, "(comprehension %v", n.Curly)
		case *syntax.LoadStmt:
			fmt.Fprintf(&b, "(load %s", n.ModuleName())
		case *syntax.DefStmt:
			fmt.Fprintf(&b, "(def %d", len(n.Params))
		case *syntax.IfStmt:
			fmt.Fprintf(&b, "(if %d %d", len(n.True), len(n.False))
		case *syntax.CallExpr:
			fmt.Fprintf(&b, "(call %d", len(n.Args))
		case *syntax.LambdaExpr:
			fmt.Fprintf(&b, "(lambda %d", len(n.Params))
		case *syntax.SliceExpr:
			fmt.Fprintf(&b, "(slice %v %v %v", n.Lo != nil, n.Hi != nil, n.Step != nil)
		default:
			fmt.Fprintf(&b, "(%T", n)
		}
		return true
	})
	return b.String()
}

// comments lists the comments of a file.
func comments(f *syntax.File) []string {
	var out []string
	add := func(list []syntax.Comment) {
		for _, c := range list {
			text := strings.TrimSpace(strings.TrimLeft(c.Text, "#"))
			if text != "" {
				out = append(out, text)
			}
		}
	}
	syntax.Walk(f, func(n syntax.Node) bool {
		if n != nil {
			if c := n.Comments(); c != nil {
				add(c.Before)
				add(c.Suffix)
				add(c.After)
			}
		}
		return true
	})
	slices.Sort(out)
	return out
}
