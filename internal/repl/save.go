package repl

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode"

	"go.starlark.net/syntax"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/format"
	"omniexpect/internal/interp"
	"omniexpect/internal/lazy"
	"omniexpect/internal/newfile"
)

// logged is a statement that worked.
type logged struct {
	*interp.Statement
	dir    string // relative names in load() are below it
	valued bool   // it had a value, which became _
}

const mainDir = "."

// secretLiteral is a text in a script that is a secret.
type secretLiteral struct {
	from, to int // in bytes; of the whole call if it is secret("…")
	value    string
}

// saved is a script that is being put together.
type saved struct {
	l       *Loop
	dir     string // where it will be
	loads   []string
	secrets []string // values, by the number of their parameter
	body    []string
}

// save writes what worked so far as a script. What it writes passes the check, or nothing is written.
func (l *Loop) save(name string, overwrite bool) error {
	if name == "" {
		return fault.New(fault.Usage, ".save: to which file?")
	}
	if _, err := os.Lstat(name); err == nil && !overwrite {
		return fault.New(fault.Usage, ".save: %s is there already; .save! %s overwrites it", name, name)
	}
	sv := &saved{l: l, dir: filepath.Dir(name)}
	used := l.lastValues()
	n := 0
	for i, s := range l.log {
		text, err := sv.text(s)
		if err != nil {
			return err
		}
		if used[i] {
			text = "_ = " + text
		}
		if loads(s.Statement) {
			if !slices.Contains(sv.loads, text) {
				sv.loads = append(sv.loads, text)
			}
		} else {
			sv.body = append(sv.body, text)
		}
		n++
	}
	if n == 0 {
		return fault.New(fault.Usage, ".save: nothing has worked yet")
	}
	text := sv.script()
	if tidy, err := format.Source(name, text); err == nil {
		text = tidy
	}
	if l.Mask.Mask(text) != text {
		return fault.New(fault.Usage, ".save: a secret is part of another text, and would be written to %s: keep it in a variable of its own, as in pw = secret(\"…\")", name)
	}
	if err := l.verify(name, text); err != nil {
		e := fault.New(fault.Script, ".save: nothing was written, because what worked here does not pass the check as a script: %s", firstOf(err))
		e.Hints = []string{"a name that a failed statement left is not in the script: set it again, and save"}
		return e
	}
	if err := newfile.Write(name, text, 0o644, nil); err != nil {
		return fault.New(fault.Env, ".save: %s: %w", name, unwritten(name, err))
	}
	what := fmt.Sprintf("%d statements", n)
	if n == 1 {
		what = "1 statement"
	}
	l.say("%s in %s", what, name)
	if len(sv.secrets) > 0 {
		l.say("secrets are parameters of it: omniexpect run %s --secret-1 …", name)
	}
	return nil
}

func firstOf(err error) string {
	if several, ok := err.(interp.Several); ok {
		err = several[0]
	}
	return err.Error()
}

// unwritten is why a file could not be written, which is put together beside it.
func unwritten(name string, err error) error {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return syscall.EISDIR
	}
	dir := filepath.Dir(name)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return errors.New("there is no directory " + dir)
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}
	return fault.Reason(err)
}

func (s *saved) script() string {
	var b strings.Builder
	for _, t := range s.loads {
		b.WriteString(t + "\n")
	}
	if len(s.loads) > 0 {
		b.WriteString("\n")
	}
	for i := range s.secrets {
		fmt.Fprintf(&b, "secret_%d = param(\"secret_%d\", help=\"a secret that was typed at the prompt\", required=True, secret=True)\n", i+1, i+1)
	}
	if len(s.secrets) > 0 {
		b.WriteString("\n")
	}
	for _, t := range s.body {
		b.WriteString(t + "\n")
	}
	return b.String()
}

// lastValues returns which statements have a value that a later one uses as _.
func (l *Loop) lastValues() map[int]bool {
	used := map[int]bool{}
	last := -1
	for i, s := range l.log {
		if last >= 0 && s.Reads("_") {
			used[last] = true
		}
		if s.valued && s.Value() {
			last = i
		}
	}
	return used
}

// loads reports whether a statement is a load.
func loads(s *interp.Statement) bool {
	for _, st := range s.Source.File.Stmts {
		if _, ok := st.(*syntax.LoadStmt); ok {
			return true
		}
	}
	return false
}

// text is a statement as the script has it: with parameters in place of secrets, and names of modules as they are seen
// from there.
func (s *saved) text(st logged) (string, error) {
	text := st.Text
	if loads(st.Statement) {
		return s.relocated(text, st.dir), nil
	}
	found := secretLiterals(text, s.l.Vocabulary)
	for _, lit := range literals(text) {
		known := s.l.Mask.Mask(lit.value) == "***" && lit.value != "***"
		if known && !slices.ContainsFunc(found, func(f secretLiteral) bool { return f.from <= lit.from && lit.to <= f.to }) {
			found = append(found, lit)
		}
	}
	slices.SortFunc(found, func(a, b secretLiteral) int { return b.from - a.from })
	for _, lit := range found {
		text = text[:lit.from] + s.param(lit.value) + text[lit.to:]
	}
	return text, nil
}

// param returns the name of the parameter for a secret.
func (s *saved) param(value string) string {
	i := slices.Index(s.secrets, value)
	if i < 0 {
		i = len(s.secrets)
		s.secrets = append(s.secrets, value)
	}
	return fmt.Sprintf("secret_%d", i+1)
}

var loadLabel = lazy.Regexp(`^(\s*load\s*\(\s*)(["'])([^"']*)(["'])`)

func (s *saved) relocated(text, dir string) string {
	m := loadLabel().FindStringSubmatchIndex(text)
	if m == nil {
		return text
	}
	label := text[m[6]:m[7]]
	if strings.HasPrefix(label, "@") || filepath.IsAbs(label) || strings.HasPrefix(dir, "@") {
		return text
	}
	from, err1 := filepath.Abs(s.dir)
	to, err2 := filepath.Abs(filepath.Join(dir, label))
	rel, err3 := filepath.Rel(from, to)
	if err1 != nil || err2 != nil || err3 != nil {
		return text
	}
	return text[:m[6]] + filepath.ToSlash(rel) + text[m[7]:]
}

// literals returns the texts in a script, as far as it can be read.
func literals(text string) (out []secretLiteral) { return walkLiterals(text, nil) }

// secretLiterals returns those that are given to a builtin that takes a secret.
func secretLiterals(text string, v *dsl.Vocabulary) []secretLiteral { return walkLiterals(text, v) }

// concealing returns the builtin or method of a name whose first argument is a secret, or nil.
func concealing(v *dsl.Vocabulary, name string) *dsl.Func {
	is := func(f *dsl.Func) bool { return f.Name == name && f.Is(dsl.Conceals) }
	if i := slices.IndexFunc(v.Funcs, is); i >= 0 {
		return v.Funcs[i]
	}
	for _, t := range v.Types {
		if m := t.Method(name); m.Is(dsl.Conceals) {
			return m
		}
	}
	return nil
}

// beginsSecret reports whether a text that may be no whole statement has the beginning of a secret that is written out.
func beginsSecret(text string, v *dsl.Vocabulary) bool {
	for at, c := range text {
		if c != '(' {
			continue
		}
		before, after := text[:at], text[at+1:]
		name := before[strings.LastIndexFunc(before, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })+1:]
		if concealing(v, name) != nil && after != "" && strings.ContainsRune(`"'r`, rune(after[0])) {
			return true
		}
	}
	return false
}

// walkLiterals returns all texts in a script, or with a vocabulary those that it takes for secrets.
func walkLiterals(text string, v *dsl.Vocabulary) (out []secretLiteral) {
	secret := v != nil
	f, err := interp.Options().Parse("", text, 0)
	if err != nil {
		return nil
	}
	add := func(e syntax.Expr, lit *syntax.Literal) {
		start, end := e.Span()
		out = append(out, secretLiteral{byteOf(text, start), byteOf(text, end), lit.Value.(string)})
	}
	for _, st := range f.Stmts {
		syntax.Walk(st, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Literal:
				if !secret && n.Token == syntax.STRING {
					add(n, n)
				}
			case *syntax.CallExpr:
				if !secret || len(n.Args) == 0 {
					return true
				}
				arg := n.Args[0]
				if kw, ok := arg.(*syntax.BinaryExpr); ok && kw.Op == syntax.EQ {
					arg = kw.Y
				}
				lit, ok := arg.(*syntax.Literal)
				if !ok || lit.Token != syntax.STRING {
					return true
				}
				switch f := concealing(v, calleeName(n.Fn)); {
				case f == nil:
				case f.Returns == "secret":
					add(n, lit)
				default:
					add(lit, lit)
				}
			}
			return true
		})
	}
	return out
}

func calleeName(e syntax.Expr) string {
	switch e := e.(type) {
	case *syntax.Ident:
		return e.Name
	case *syntax.DotExpr:
		return e.Name.Name
	}
	return ""
}

// byteOf returns the offset in bytes of a position.
func byteOf(text string, p syntax.Position) int {
	at := 0
	for line := int32(1); line < p.Line; line++ {
		n := strings.IndexByte(text[at:], '\n')
		if n < 0 {
			return len(text)
		}
		at += n + 1
	}
	for col := int32(1); col < p.Col && at < len(text); col++ {
		at++
		for at < len(text) && text[at]&0xc0 == 0x80 {
			at++
		}
	}
	return at
}
