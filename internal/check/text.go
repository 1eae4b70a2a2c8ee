package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/syntax"

	"omniexpect/internal/dsl"
	"omniexpect/internal/lazy"
)

// meaning checks texts whose meaning is known: commands, lines, addresses.
func (u *unit) meaning(b *bound) {
	if e := b.args["argv"]; e != nil {
		u.command(b, e)
	}
	if e := b.of("url"); e != nil && b.of("Client") == nil && b.fn.Recv == "" {
		if text, lit := u.text(e); lit != nil && !strings.Contains(text, "://") && !strings.Contains(text, "%") {
			u.error(e, "url", fmt.Sprintf("%s: %q is not an absolute URL", b.fn.Name, text), `write it with its scheme: "http://…"`)
		}
	}
	if e := b.first(); e != nil && b.fn.Is(dsl.Line) {
		if lit, ok := unparen(e).(*syntax.Literal); ok && lit.Token == syntax.STRING {
			if text := lit.Value.(string); strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\r") && !u.bare(b) {
				u.warn(e, "line end", b.fn.Name+" presses Enter itself, so this is Enter twice", "leave the line end out")
			}
		}
	}
	if e := b.first(); e != nil && b.fn.Is(dsl.Keys) {
		if lit, ok := unparen(e).(*syntax.Literal); ok && lit.Token == syntax.STRING && strings.HasSuffix(lit.Value.(string), "\r\n") && !u.bare(b) {
			u.warn(e, "line end", `"\r\n" is Enter twice for most programs on a terminal`, `sendline("…") presses Enter; by hand it is "\r"`)
		}
	}
	if got, want := b.args["got"], b.args["want"]; got != nil && want != nil {
		u.compared(got, u.infer(got).name, u.infer(want).name)
		u.compared(want, u.infer(want).name, u.infer(got).name)
	}
}

// bare reports whether a session may have no terminal, or a raw one: there "\r\n" is the line end of a protocol.
func (u *unit) bare(b *bound) bool {
	if dot, ok := b.call.Fn.(*syntax.DotExpr); ok {
		if id, ok := unparen(dot.X).(*syntax.Ident); ok {
			if v := u.variable(id); v != nil && !v.opaque && len(v.values) > 0 {
				return slices.ContainsFunc(v.values, u.mayHaveModes)
			}
		}
	}
	return u.modes
}

// mayHaveModes reports whether an expression may say what a session's terminal is like.
func (u *unit) mayHaveModes(e syntax.Expr) bool {
	call, ok := unparen(e).(*syntax.CallExpr)
	if !ok {
		return true
	}
	if !u.infer(call.Fn).fn.Is(dsl.Starts) {
		return true
	}
	return gives(call, "pty") || gives(call, "raw") || gives(call, "view") || spreads(call)
}

// spreads reports whether a call has **dict.
func spreads(call *syntax.CallExpr) bool {
	return slices.ContainsFunc(call.Args, func(a syntax.Expr) bool {
		un, ok := a.(*syntax.UnaryExpr)
		return ok && un.Op == syntax.STARSTAR
	})
}

// quoted is what a shell's quotes enclose.
var quoted = lazy.Regexp(`'[^']*'|"(\\.|[^"\\])*"|\\.`)

var addressOrFind = lazy.Regexp(`\S+://\S+|\s-\w+\s+\S*[*]\S*`)

var shellSign = lazy.Regexp(`(^|\s)\d?[|<>;&]|[;|&](\s|$)|&&|\$[A-Za-z({]|(^|\s)~/|[*]`)

// command checks how a program is named.
func (u *unit) command(b *bound, e syntax.Expr) {
	if list, ok := unparen(e).(*syntax.ListExpr); ok {
		u.words(b, list)
		return
	}
	text, lit := u.text(e)
	if lit == nil {
		return
	}
	if strings.TrimSpace(text) == "" {
		u.error(e, "argv", b.fn.Name+": no program is named", `write spawn("bash") or spawn(["ls", "-l"])`)
		return
	}
	bare := quoted().ReplaceAllString(text, "")
	bare = addressOrFind().ReplaceAllString(bare, "") // an address, and what find -name takes
	if at := shellSign().FindString(bare); at != "" {
		u.warn(e, "shell", fmt.Sprintf("no shell reads this, so %q is passed to the program unchanged", strings.TrimSpace(at)),
			fmt.Sprintf(`for a shell's work: %s(["sh", "-c", %s])`, b.fn.Name, lit.Raw))
	}
}

func (u *unit) words(b *bound, list *syntax.ListExpr) {
	if len(list.List) == 0 {
		u.error(list, "argv", b.fn.Name+": no program is named", `write spawn("bash") or spawn(["ls", "-l"])`)
		return
	}
	for _, w := range list.List {
		switch k := u.infer(w).name; k {
		case "float", "bool", "NoneType", "list", "dict", "tuple":
			u.error(w, "argv", fmt.Sprintf("%s: an argument of the program is %s, want a text", b.fn.Name, spoken(k)), `write "…" around it, or str(…)`)
		}
	}
	if lit, ok := unparen(list.List[0]).(*syntax.Literal); ok && len(list.List) == 1 && lit.Token == syntax.STRING {
		if text := lit.Value.(string); strings.Contains(text, " ") && !strings.Contains(text, "/") {
			u.warn(lit, "argv", fmt.Sprintf("this looks for a program whose name is %q, blanks and all", text),
				fmt.Sprintf(`write %s(%s), or each word as an element of its own`, b.fn.Name, lit.Raw))
		}
	}
}

// parts returns what to take of a value that was used as a whole.
func (u *unit) parts(kind string) string {
	if native(kind) {
		return "" // the vocabulary is made for what needs it only
	}
	if t := u.c.table().types[kind]; t != nil {
		return t.Parts
	}
	return ""
}

// native reports whether a kind is a type of the language itself, or not known.
func native(kind string) bool {
	switch kind {
	case "", "string", "bytes", "int", "float", "bool", "NoneType", "list", "tuple", "dict", "set", "struct", "function", "builtin", "module":
		return true
	}
	return false
}

// compared reports that a value of ours is compared with one that it is never equal to.
func (u *unit) compared(e syntax.Expr, kind, with string) {
	if u.parts(kind) == "" || with == kind {
		return
	}
	switch with {
	case "int", "float":
		hint := cmp.Or(u.c.table().types[kind].Number, u.parts(kind))
		u.error(e, "compare", fmt.Sprintf("this is a %s, which is never equal to %s", kind, spoken(with)), "compare "+hint)
	case "string", "bytes", "list", "tuple", "dict":
		u.error(e, "compare", fmt.Sprintf("this is a %s, which is never equal to %s", kind, spoken(with)), "compare "+u.parts(kind))
	case "pattern":
		u.error(e, "compare", fmt.Sprintf("this is a %s, which is never equal to a pattern", kind), "compare .index with the pattern's place in the list, or .pattern")
	case "NoneType":
		if hint := u.c.table().types[kind].Never; hint != "" {
			u.warn(e, "compare", fmt.Sprintf("this is a %s, never None: what does not come is a failure", kind), hint)
		}
	}
}

// operator checks one operation.
func (u *unit) operator(e *syntax.BinaryExpr) {
	x, y := u.infer(e.X).name, u.infer(e.Y).name
	switch e.Op {
	case syntax.EQL, syntax.NEQ:
		u.compared(e.X, x, y)
		u.compared(e.Y, y, x)
	case syntax.IN, syntax.NOT_IN:
		if u.parts(y) != "" {
			u.error(e.Y, "compare", fmt.Sprintf("nothing can be looked for in a %s", y), "look in "+u.parts(y))
		}
	case syntax.PLUS:
		u.joined(e, x, y)
	case syntax.PERCENT:
		u.format(e)
	}
}

// joined checks what + puts together.
func (u *unit) joined(e *syntax.BinaryExpr, x, y string) {
	number := func(k string) bool { return k == "int" || k == "float" || k == "bool" || k == "NoneType" }
	switch {
	case x == "string" && u.parts(y) != "":
		u.error(e.Y, "type", fmt.Sprintf("a text and a %s cannot be joined", y), "take "+u.parts(y))
	case y == "string" && u.parts(x) != "":
		u.error(e.X, "type", fmt.Sprintf("a %s and a text cannot be joined", x), "take "+u.parts(x))
	case x == "string" && number(y):
		u.error(e.Y, "type", fmt.Sprintf("a text and %s cannot be joined", spoken(y)), `write str(…), or "… %s" % x`)
	case y == "string" && number(x):
		u.error(e.X, "type", fmt.Sprintf("%s and a text cannot be joined", spoken(x)), `write str(…), or "%s …" % x`)
	}
}

// format checks "…" % x.
func (u *unit) format(e *syntax.BinaryExpr) {
	lit, ok := unparen(e.X).(*syntax.Literal)
	if !ok || lit.Token != syntax.STRING {
		return
	}
	n, named := 0, false
	text := lit.Value.(string)
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			continue
		}
		if i++; i == len(text) {
			u.error(lit, "format", "the text ends in a single %", "a per cent sign itself is %%")
			return
		}
		switch c := text[i]; {
		case c == '%':
		case c == '(':
			named = true
			return
		case strings.IndexByte("srdioxXeEfFgGc", c) >= 0:
			n++
		default:
			u.error(lit, "format", fmt.Sprintf("Starlark does not know %%%c: it has %%s %%r %%d %%x %%f %%g %%%%, without widths", c),
				`pad and round by hand, as in str(int(x * 100) / 100); a per cent sign itself is %%`)
			return
		}
	}
	if t, ok := unparen(e.Y).(*syntax.TupleExpr); ok && !named && len(t.List) != n {
		u.error(e.Y, "format", fmt.Sprintf("the text takes %d values and gets %d", n, len(t.List)), "")
	}
}
