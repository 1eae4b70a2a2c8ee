package repl

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"omniexpect/internal/check"
	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/interp"
	"omniexpect/internal/lazy"
	"omniexpect/internal/nest"
)

var commandLine = lazy.Regexp(`^\s*\.[A-Za-z]\w*!?(\s|$)`)

// isCommand reports whether a line is a command of ours: a dot and a word, which begins no statement.
func isCommand(line string) bool {
	return commandLine().MatchString(line) || strings.TrimSpace(line) == "."
}

// questionMark is a name and a question mark, or what IPython has.
var questionMark = lazy.Regexp(`^\s*(?:\?{1,2}\s*([A-Za-z_][\w.]*)|([A-Za-z_][\w.]*)\s*\?{1,2})\s*$`)

// scriptName is what somebody types who wants a script to run.
var scriptName = lazy.Regexp(`^\s*(?:(?:omniexpect\s+)?run\s+)?([\w./-]+\.star)\s*$`)

func isQuestion(line string) bool { return questionMark().MatchString(line) }

// do executes what was typed: a command, a question, or statements.
func (l *Loop) do(ctx context.Context, text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return nil
	case isCommand(text):
		err := l.command(ctx, strings.TrimSpace(text))
		l.history.add(text)
		if err == nil || err == errLeave || err == errContinue {
			return err
		}
		return l.fail(err, text)
	case isQuestion(text), l.isWord(text, "help"):
		name := ""
		if m := questionMark().FindStringSubmatch(text); m != nil {
			name = m[1] + m[2]
		}
		err := l.help(ctx, name)
		l.history.add(text)
		if err != nil {
			return l.fail(err, text)
		}
		return nil
	}
	if l.isWord(text, "exit") || l.isWord(text, "quit") {
		return errLeave
	}
	err := l.statements(ctx, text)
	l.history.add(text)
	return err
}

// isWord reports whether a word was typed that means itself, since no statement has given it another meaning.
func (l *Loop) isWord(text, word string) bool {
	return strings.TrimSpace(text) == word && l.console.Globals()[word] == nil
}

// statements executes what was typed, until one fails.
func (l *Loop) statements(ctx context.Context, text string) error {
	l.last = text
	l.console.Skip(mainName, l.begins) // only a pipe counts
	list, err := l.console.Read(mainName, text)
	if err != nil {
		return l.fail(err, text)
	}
	for _, s := range list {
		if err := l.statement(ctx, s, text); err != nil {
			return err
		}
	}
	return nil
}

// statement executes one statement and shows its value.
func (l *Loop) statement(ctx context.Context, s *interp.Statement, typed string) error {
	began := time.Now()
	if loads(s) {
		l.locked(l.console.Forget)
	}
	v, err := l.execute(ctx, s)
	l.took = time.Since(began)
	if l.Interactive() {
		l.take(false)
	}
	var exit *dsl.Exit
	if errors.As(err, &exit) {
		return exit
	}
	if err == nil {
		l.log = append(l.log, logged{Statement: s, dir: mainDir})
		if v != starlark.None {
			l.console.Set("_", v)
			l.log[len(l.log)-1].valued = true
			l.screenOut(brief(v) + "\n")
			err = context.Cause(ctx) // it may not have been written
		}
	}
	if errors.Is(context.Cause(ctx), syscall.EPIPE) { // nobody reads any more, and there is nobody to tell
		return context.Cause(ctx)
	}
	if err != nil {
		err = l.fail(err, typed) // first, since it marks the place below the line that was typed
	}
	if l.timed {
		l.say("took %s", l.took.Round(time.Millisecond/10))
	}
	return err
}

// execute prepares, checks and executes a statement, and makes the current session what it leaves.
func (l *Loop) execute(ctx context.Context, s *interp.Statement) (v starlark.Value, err error) {
	ctx, end := l.begin(ctx, true)
	defer end()
	if l.twice {
		l.killAll()
	}
	strand := l.Run.Host.NewStrand(ctx, "main")
	strand.Current = l.current
	err = strand.Run(func(t *starlark.Thread) error {
		if err := l.console.Prepare(s); err != nil {
			return err
		}
		if err := l.checked(s); err != nil {
			l.console.Drop()
			return err
		}
		v, err = l.console.Exec(t, s)
		return err
	})
	strand.Done()
	l.current = strand.Current
	switch {
	case ctx.Err() != nil && err != nil:
		err = context.Cause(ctx)
	case ctx.Err() != nil: // too late for this one: it stops what comes next
		l.mu.Lock()
		l.missed++
		l.mu.Unlock()
	}
	return v, err
}

// checked looks for mistakes before a statement is executed. A name that was given another value is not a builtin any more.
func (l *Loop) checked(s *interp.Statement) error {
	mine := l.console.Globals()
	v := &dsl.Vocabulary{Types: l.Vocabulary.Types}
	for _, f := range l.Vocabulary.Funcs {
		module, _, _ := strings.Cut(f.Name, ".")
		if mine[module] == nil {
			v.Funcs = append(v.Funcs, f)
		}
	}
	for _, c := range l.Vocabulary.Consts {
		if mine[c.Name] == nil {
			v.Consts = append(v.Consts, c)
		}
	}
	values := starlark.StringDict{}
	for n, x := range l.Run.Predefined {
		if mine[n] == nil {
			values[n] = x
		}
	}
	taken := map[string]bool{}
	for n := range mine {
		taken[n] = true
	}
	c := check.New(v, values)
	c.Taken(taken)
	return c.Errors(s.Source)
}

// maxShown is how many characters of a value are shown.
const maxShown = 4000

func brief(v starlark.Value) string {
	text := nest.String(v)
	if len(text) <= maxShown {
		return text
	}
	cut := maxShown
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… (%d characters in all; print(_) shows them)", text[:cut], utf8.RuneCountInString(text))
}

// help shows what help(x) does, of a name or of its value; without a name, what help() does.
func (l *Loop) help(ctx context.Context, name string) error {
	first, _, _ := strings.Cut(name, ".")
	call := fmt.Sprintf("help(%s)", name)
	if name != "" && !l.console.Names.Has(first) && starlark.Universe[first] == nil {
		call = fmt.Sprintf("help(%q)", name)
	}
	list, err := l.console.Read("<help>", call)
	if err != nil {
		return err
	}
	_, err = l.execute(ctx, list[0])
	return err
}

// fail shows a failure in a line or two, and keeps it for .trace.
func (l *Loop) fail(err error, typed string) error {
	l.failed = err
	l.say("%s", l.short(err, typed))
	return err
}

// short is a failure in a line or two: what and where; the first hint.
func (l *Loop) short(err error, typed string) string {
	f := l.Run.Lib.Explain(err)
	if name := interp.NoValueYet(err); name != "" {
		f.Kind, f.Msg = fault.Script, fmt.Sprintf("%s has no value yet: it gets one further down", name)
	}
	text := fmt.Sprintf("%s: %s", f.Kind, f.Msg)
	switch {
	case len(f.Chain) == 0 && f.At.Line > 0: // found before anything ran
		text = l.marked(f, text, typed)
		if m := scriptName().FindStringSubmatch(typed); m != nil {
			f.Hints = []string{".load " + m[1] + " runs a script here"}
		}
	case len(f.Chain) > 0 && (!l.Interactive() || !strings.HasPrefix(f.Chain[0].At.File, "<")):
		// At a terminal, the statement stands right above.
		text = f.Chain[0].At.String() + ": " + text
	}
	if len(f.Chain) > 1 || f.Detail != "" {
		text += " (.trace tells more)"
	}
	if len(f.Hints) > 0 {
		text += "\nhint: " + f.Hints[0]
	}
	if n := len(f.More); n > 0 {
		text += fmt.Sprintf("\n(and %d more: .trace)", n)
	}
	return text
}

// marked shows where in the text a mistake is: below the line that was typed, which stands above, or below a copy of it.
func (l *Loop) marked(f interp.Failure, msg, typed string) string {
	if !strings.HasPrefix(f.At.File, "<") || !l.Interactive() {
		return fmt.Sprintf("%s: %s", f.At, msg)
	}
	col := max(int(f.At.Col)-1, 0)
	if !strings.Contains(typed, "\n") && l.column+col < 70 && isASCII(typed) {
		return strings.Repeat(" ", l.column+col) + "^ " + msg
	}
	line := strings.TrimRight(strings.ReplaceAll(f.Line, "\t", " "), " ")
	if r := []rune(line); col > 60 && col <= len(r) {
		line, col = "…"+string(r[col-40:]), 41
	}
	return line + "\n" + strings.Repeat(" ", col) + "^ " + msg
}

func isASCII(s string) bool { return strings.IndexFunc(s, func(r rune) bool { return r > '~' }) < 0 }
