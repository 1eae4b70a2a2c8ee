package check

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"omniexpect/internal/dsl"
	"omniexpect/internal/interp"
)

// call checks one call.
func (u *unit) call(n *syntax.CallExpr) {
	k := u.infer(n.Fn)
	u.ofLanguage(n)
	switch {
	case k.fn != nil:
		u.builtinCall(n, k.fn)
	case k.def != nil:
		u.userCall(n, k.def)
	case k.name != "" && k.name != "function" && k.name != "builtin":
		u.notCallable(n, k)
	case k.name == "":
		u.unknownReceiver(n)
	}
}

// ofLanguage checks calls of Starlark's own functions that are something else in Python.
func (u *unit) ofLanguage(n *syntax.CallExpr) {
	switch fn := n.Fn.(type) {
	case *syntax.Ident:
		if fn.Name != "print" || u.variable(fn) != nil {
			return
		}
		for _, a := range n.Args {
			kw, ok := a.(*syntax.BinaryExpr)
			if !ok || kw.Op != syntax.EQ {
				continue
			}
			if id := kw.X.(*syntax.Ident); id.Name != "sep" {
				u.error(id, "arguments", fmt.Sprintf("print has no parameter %q", id.Name), map[string]string{
					"file":  `print writes to standard output; step("…") says on standard error what happens`,
					"end":   "print ends its line: put together first what shall stand in one",
					"flush": "leave it out: what is printed is written at once",
				}[id.Name])
			}
		}
	case *syntax.DotExpr:
		if fn.Name.Name == "time" && len(n.Args) == 0 && u.infer(fn.X).module == "time" {
			u.error(fn.Name, "arguments", "time.time makes a date of what it is given, and gets nothing", moduleHabit("time", "time"))
		}
	}
}

func (u *unit) notCallable(n *syntax.CallExpr, k kind) {
	id, ok := n.Fn.(*syntax.Ident)
	if !ok {
		if dot, ok := n.Fn.(*syntax.DotExpr); ok {
			u.error(dot.Name, "call", fmt.Sprintf(".%s is %s, which cannot be called", dot.Name.Name, spoken(k.name)), "write it without ()")
			return
		}
		u.error(n.Fn, "call", "this is "+spoken(k.name)+", which cannot be called", "")
		return
	}
	v := u.variable(id)
	if v != nil && u.c.table().values[id.Name] != nil {
		u.error(id, "shadowed", fmt.Sprintf("%s is %s here, not the builtin: line %d gives the name another meaning", id.Name, spoken(k.name), v.first.NamePos.Line),
			"give the variable another name")
		return
	}
	hint := ""
	if id.Name == "assert" {
		hint = "write assert.true(x), assert.eq(got, want)"
	}
	u.error(id, "call", fmt.Sprintf("%s is %s, which cannot be called", id.Name, spoken(k.name)), hint)
}

// unknownReceiver looks at a method whose receiver is not known: only for arguments that no type's method of that name has
// and that are nearly right, and for the patterns of a session's.
func (u *unit) unknownReceiver(n *syntax.CallExpr) {
	dot, ok := n.Fn.(*syntax.DotExpr)
	if !ok || u.fields[dot.Name.Name] || u.loadedName(dot.X) {
		return
	}
	methods := u.c.table().methods[dot.Name.Name]
	if len(methods) == 0 {
		return
	}
	for _, a := range n.Args {
		kw, ok := a.(*syntax.BinaryExpr)
		if !ok || kw.Op != syntax.EQ {
			continue
		}
		id, known := kw.X.(*syntax.Ident), false
		for _, m := range methods {
			known = known || param(m, id.Name) != nil
		}
		if !known && interp.Nearest(id.Name, paramNames(methods[0])) != "" {
			u.unknownParam(id, methods[0])
		}
	}
	if methods[0].Recv == "Session" {
		u.patterns(u.bindArgs(n, methods[0], true))
	}
}

// loadedName says whether an expression begins with a name that is loaded.
func (u *unit) loadedName(e syntax.Expr) bool {
	for {
		switch x := unparen(e).(type) {
		case *syntax.DotExpr:
			e = x.X
		case *syntax.CallExpr:
			e = x.Fn
		case *syntax.Ident:
			v := u.variable(x)
			return v == nil || v.from != nil
		default:
			return false
		}
	}
}

func param(f *dsl.Func, name string) *dsl.Param {
	list := f.Params()
	for i := range list {
		if p := &list[i]; p.Name == name && !p.Rest && !p.RestKw {
			return p
		}
	}
	return nil
}

func paramNames(f *dsl.Func) []string {
	var out []string
	for _, p := range f.Params() {
		if !p.Rest && !p.RestKw {
			out = append(out, p.Name)
		}
	}
	return out
}

// bound is a call with the arguments by parameter.
type bound struct {
	call *syntax.CallExpr
	fn   *dsl.Func
	args map[string]syntax.Expr
	rest []syntax.Expr // what *args gets
	star bool          // *list or **dict is given, so that nothing is missing for sure
}

// bindArgs sorts the arguments of a call; quiet leaves mistakes unsaid.
func (u *unit) bindArgs(n *syntax.CallExpr, f *dsl.Func, quiet bool) *bound {
	b := &bound{call: n, fn: f, args: map[string]syntax.Expr{}}
	var positional []string
	rest, restKw := false, false
	for _, p := range f.Params() {
		switch {
		case p.Rest:
			rest = true
		case p.RestKw:
			restKw = true
		case !p.KwOnly && !rest:
			positional = append(positional, p.Name)
		}
	}
	at := 0
	for _, a := range n.Args {
		if un, ok := a.(*syntax.UnaryExpr); ok && (un.Op == syntax.STAR || un.Op == syntax.STARSTAR) {
			b.star = true
			continue
		}
		if kw, ok := a.(*syntax.BinaryExpr); ok && kw.Op == syntax.EQ {
			id := kw.X.(*syntax.Ident)
			switch {
			case param(f, id.Name) != nil:
				if b.args[id.Name] != nil && !quiet {
					u.error(id, "arguments", fmt.Sprintf("%s gets %s twice", f.Name, id.Name), "")
				}
				b.args[id.Name] = kw.Y
			case !restKw && !quiet:
				u.unknownParam(id, f)
			}
			continue
		}
		switch {
		case b.star:
		case at < len(positional):
			b.args[positional[at]] = a
		case rest:
			b.rest = append(b.rest, a)
		case at == len(positional) && !quiet:
			u.tooMany(a, n, f, len(positional))
		}
		at++
	}
	return b
}

func (u *unit) tooMany(at syntax.Expr, n *syntax.CallExpr, f *dsl.Func, most int) {
	msg := fmt.Sprintf("%s takes at most %d arguments without a name", f.Name, most)
	if most == 0 {
		msg = f.Name + " takes no arguments"
		if len(f.Params()) > 0 {
			msg = f.Name + " takes its arguments by name only"
		}
	}
	hint := "the call is " + f.Signature()
	if p := param(f, "argv"); p != nil {
		hint = `the program and its arguments are one list: ` + f.Name + `(["ls", "-l"])`
	} else if p := param(f, "pattern"); p != nil && u.infer(at).name == "string" {
		hint = `several patterns are one list: ` + f.Name + `([r"one", r"two"])`
	}
	u.error(at, "arguments", msg, hint)
}

// known is what people write, as other tools have it, for parameters that are called otherwise here.
func known(name string) string {
	return map[string]string{
		"data": "body=\"text\", form={…} or json={…}", "stdin": "input=…, or send() and send_eof()", "stdout": "the result's .output",
		"shell": "[\"sh\", \"-c\", \"command | other\"] as argv", "dimensions": "rows=…, cols=…",
		"encoding": "nothing: text is UTF-8, and invalid bytes become U+FFFD", "logfile": "nothing: omniexpect run -v shows what sessions write, and output() returns it",
		"searchwindowsize": "nothing: matching is fast without it", "maxread": "buffer=…", "allow_redirects": "follow=False",
		"environment": "env={…}", "directory": "cwd=…", "dir": "cwd=…", "codec_errors": "nothing: invalid bytes become U+FFFD",
		"auth_token": "auth=\"token\"", "withexitstatus": "run(…).code", "events": "expect({pattern: action})", "seconds": "a plain number",
	}[name]
}

func (u *unit) unknownParam(id *syntax.Ident, f *dsl.Func) {
	msg := fmt.Sprintf("%s has no parameter %q", f.Name, id.Name)
	hint := "it takes " + strings.Join(paramNames(f), ", ")
	if len(paramNames(f)) == 0 {
		hint = "it takes no arguments by name"
	}
	near := interp.Nearest(id.Name, paramNames(f))
	if other := known(id.Name); near == "" && other != "" {
		hint = "write " + other
		if why, ok := strings.CutPrefix(other, "nothing: "); ok {
			hint = "leave it out: " + why
		}
	} else if near != "" {
		msg += fmt.Sprintf(" (did you mean %s?)", near)
	}
	u.error(id, "arguments", msg, hint)
}

func (u *unit) builtinCall(n *syntax.CallExpr, f *dsl.Func) {
	b := u.bindArgs(n, f, false)
	var missing []string
	for _, p := range f.Params() {
		e := b.args[p.Name]
		if e == nil {
			if p.Required && !b.star {
				missing = append(missing, p.Name)
			}
			continue
		}
		u.argument(n, f, p, e)
	}
	if len(missing) > 0 {
		u.error(n, "arguments", fmt.Sprintf("%s lacks its argument %s", f.Name, strings.Join(missing, " and ")), "the call is "+f.Signature())
	}
	u.patterns(b)
	u.meaning(b)
}

// argument checks the type of an argument.
func (u *unit) argument(n *syntax.CallExpr, f *dsl.Func, p dsl.Param, e syntax.Expr) {
	k := u.infer(e)
	if k.name == "" || k.name == "NoneType" && !p.Required {
		return
	}
	if !u.c.table().takes(p.Type, k.name) || p.Type == "dict" && u.listOfTexts(e) {
		hint := ""
		switch {
		case p.Name == "env" && (k.name == "string" || slices.Contains(n.Args, e) && k.name != "dict") && param(f, "argv") != nil:
			hint = `the program and its arguments are one list: ` + f.Name + `(["ls", "-l"])`
		case p.Type == "dict":
			hint = `write {"name": "value"}`
		case p.Type == "function":
			hint = "give the function itself, without (), or lambda: …"
		case p.Type == "str" && (k.name == "int" || k.name == "float"):
			hint = `write "…" around it, or str(…)`
		case p.Type == "str" && (k.name == "function" || k.name == "builtin"):
			hint = "call it, with (), or write its name as a text, in quotes"
		case k.name == "Match" || k.name == "Response" || k.name == "Finished":
			hint = "take what you need of it: " + member(k.name)
		case p.Type == "list" && k.name == "string":
			hint = "write [ ] around it"
		case p.Type == "int" && k.name == "string", p.Type == "bool" && k.name == "string":
			hint = "write it without quotes"
		}
		u.error(e, "type", fmt.Sprintf("%s: %s is %s, want %s", f.Name, p.Name, spoken(k.name), spoken(p.Type)), hint)
		return
	}
	if p.Type == "duration" {
		u.duration(n, f, p, e)
	}
}

// listOfTexts says whether an expression is a list of plain texts, which no dict can be made of.
func (u *unit) listOfTexts(e syntax.Expr) bool {
	l, ok := unparen(e).(*syntax.ListExpr)
	return ok && len(l.List) > 0 && u.infer(l.List[0]).name == "string"
}

// duration checks a duration that is written out.
func (u *unit) duration(n *syntax.CallExpr, f *dsl.Func, p dsl.Param, e syntax.Expr) {
	v, ok := constant(e)
	if !ok {
		return
	}
	var d dsl.Duration
	if err := d.Unpack(v); err != nil {
		hint := ""
		if _, named := isKeyword(n, p.Name); !named && v.Type() == "string" && param(f, "pattern") != nil {
			hint = `several patterns are one list: ` + f.Name + `([r"one", r"two"])`
		}
		u.error(e, "duration", fmt.Sprintf("%s: %s: %s", f.Name, p.Name, err), hint)
	}
}

// isKeyword returns the argument that a call gives by this name.
func isKeyword(n *syntax.CallExpr, name string) (syntax.Expr, bool) {
	for _, a := range n.Args {
		if kw, ok := a.(*syntax.BinaryExpr); ok && kw.Op == syntax.EQ && kw.X.(*syntax.Ident).Name == name {
			return kw.Y, true
		}
	}
	return nil, false
}

// constant returns the value of a number or text that is written out.
func constant(e syntax.Expr) (starlark.Value, bool) {
	switch e := unparen(e).(type) {
	case *syntax.Literal:
		switch x := e.Value.(type) {
		case string:
			return starlark.String(x), e.Token == syntax.STRING
		case int64:
			return starlark.MakeInt64(x), true
		case float64:
			return starlark.Float(x), true
		}
	case *syntax.UnaryExpr:
		v, ok := constant(e.X)
		if !ok || e.Op != syntax.MINUS {
			return nil, false
		}
		switch x := v.(type) {
		case starlark.Int:
			return starlark.MakeInt(0).Sub(x), true
		case starlark.Float:
			return -x, true
		}
	}
	return nil, false
}

// userCall checks the call of a function of the script.
func (u *unit) userCall(n *syntax.CallExpr, def *syntax.DefStmt) {
	var names []string
	required := map[string]bool{}
	most, rest, restKw, star := 0, false, false, false
	for _, p := range def.Params {
		switch p := p.(type) {
		case *syntax.Ident:
			names = append(names, p.Name)
			required[p.Name] = true
		case *syntax.BinaryExpr:
			names = append(names, p.X.(*syntax.Ident).Name)
		case *syntax.UnaryExpr:
			rest = rest || p.Op == syntax.STAR && p.X != nil
			restKw = restKw || p.Op == syntax.STARSTAR
			star = true
			continue
		}
		if !star {
			most++
		}
	}
	given, at := map[string]bool{}, 0
	for _, a := range n.Args {
		if un, ok := a.(*syntax.UnaryExpr); ok && (un.Op == syntax.STAR || un.Op == syntax.STARSTAR) {
			return
		}
		kw, ok := a.(*syntax.BinaryExpr)
		if !ok || kw.Op != syntax.EQ {
			if at < most {
				given[names[at]] = true
			} else if at == most && !rest {
				u.error(a, "arguments", fmt.Sprintf("%s takes %d arguments, not %d", def.Name.Name, most, len(n.Args)), defined(def))
			}
			at++
			continue
		}
		id := kw.X.(*syntax.Ident)
		isParam := false
		for _, name := range names {
			isParam = isParam || name == id.Name
		}
		if !isParam && !restKw {
			u.error(id, "arguments", fmt.Sprintf("%s has no parameter %q%s", def.Name.Name, id.Name, didYouMean(id.Name, names)), defined(def))
		}
		given[id.Name] = true
	}
	for _, name := range names {
		if required[name] && !given[name] {
			u.error(n, "arguments", fmt.Sprintf("%s lacks its argument %s", def.Name.Name, name), defined(def))
			return
		}
	}
}

func defined(def *syntax.DefStmt) string {
	return fmt.Sprintf("%s is defined in %s, line %d", def.Name.Name, def.Def.Filename(), def.Def.Line)
}

func didYouMean(name string, names []string) string {
	if near := interp.Nearest(name, names); near != "" {
		return fmt.Sprintf(" (did you mean %s?)", near)
	}
	return ""
}
