package repl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"omniexpect/internal/check"
	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/interp"
	"omniexpect/internal/spell"
)

// command is a line that begins with a dot.
type command struct {
	name string
	args string
	doc  string
	do   func(l *Loop, ctx context.Context, arg string) error
}

func commands() []command {
	return []command{
		{".help", "", "this list", (*Loop).cmdHelp},
		{".sessions", "", "the sessions, and how they are", (*Loop).cmdSessions},
		{".use", "NAME", "make a session the current one", (*Loop).cmdUse},
		{".output", "[LINES]", "what the current session wrote: the last 1000 lines, or that many", (*Loop).cmdOutput},
		{".load", "FILE", "run a script here", (*Loop).cmdLoad},
		{".save", "FILE", "write what worked so far as a script; .save! overwrites", (*Loop).cmdSave},
		{".edit", "[new]", "edit the last statement in $EDITOR, or a new one, and run it", (*Loop).cmdEdit},
		{".reset", "", "end all sessions, forget all names", (*Loop).cmdReset},
		{".time", "", "say how long the last statement took, and each from now on; again ends that", (*Loop).cmdTime},
		{".trace", "", "all that is known about the last failure", (*Loop).cmdTrace},
		{".continue", "", "go on with the script that is paused", (*Loop).cmdContinue},
		{".quit", "", "leave; Ctrl-D and Ctrl-C twice do so too", (*Loop).cmdQuit},
	}
}

// command executes a line that begins with a dot.
func (l *Loop) command(ctx context.Context, line string) error {
	name, arg, _ := strings.Cut(line, " ")
	arg = strings.TrimSpace(arg)
	if name == ".save!" || strings.HasPrefix(line, ".save! ") {
		return l.save(strings.TrimSpace(strings.TrimPrefix(line, ".save!")), true)
	}
	var names []string
	for _, c := range commands() {
		if c.name == name || c.name == ".quit" && (name == ".exit" || name == ".q") {
			if arg != "" && c.args == "" { // .reset NAME, and everything would be gone
				return fault.New(fault.Usage, "%s: got %q, want nothing after it", name, arg)
			}
			return c.do(l, ctx, arg)
		}
		names = append(names, c.name)
	}
	e := fault.New(fault.Usage, "unknown command %s", name)
	if near := spell.Nearest(name, names); near != "" {
		e.Msg += fmt.Sprintf(" (did you mean %s?)", near)
	} else {
		e.Hints = []string{".help lists the commands"}
	}
	return e
}

func (l *Loop) cmdHelp(context.Context, string) error {
	var b strings.Builder
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %-18s %s\n", strings.TrimSpace(c.name+" "+c.args), c.doc)
	}
	b.WriteString("\n  NAME? or help(NAME) explains a name, help() lists all; _ is the last value.\n")
	if l.editor != nil {
		b.WriteString("  Tab completes; Up looks for what begins like the line, Ctrl-R for what has it.\n  Alt-Enter begins a new line.\n")
		b.WriteString("  Ctrl-C stops a wait (twice: kills the sessions) or clears the line.\n")
	}
	l.screenOut(b.String())
	return nil
}

// locked calls f with the run's lock.
func (l *Loop) locked(f func()) {
	l.Run.Host.Lock.Lock()
	defer l.Run.Host.Lock.Unlock()
	f()
}

func (l *Loop) all() (list []Session) {
	l.locked(func() { list = l.Sessions() })
	return list
}

func (l *Loop) cmdSessions(context.Context, string) error {
	list := l.all()
	if len(list) == 0 {
		l.screenOut("no sessions\n")
	}
	for _, s := range list {
		mark, state := " ", "running"
		if s.ID == l.current {
			mark = "*"
		}
		if s.Brief != "" {
			state = s.Brief
		}
		l.screenOut(fmt.Sprintf("%s %-20s pid %-8d %s\n", mark, s.Name, s.PID, state))
	}
	return nil
}

func (l *Loop) cmdUse(_ context.Context, name string) error {
	list := l.all()
	var names []string
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Name == name {
			l.current = list[i].ID
			l.take(false)
			return nil
		}
		names = append(names, list[i].Name)
	}
	// A variable that holds one will do.
	var v starlark.Value
	l.locked(func() { v = l.console.Names[name] })
	if s, ok := l.Session(v); ok && v != nil {
		l.current = s.ID
		l.take(false)
		return nil
	}
	if name == "" {
		return fault.New(fault.Usage, ".use: which session? there are %s", list2(names))
	}
	e := fault.New(fault.Usage, ".use: no session is called %s", name)
	if near := spell.Nearest(name, names); near != "" {
		e.Msg += fmt.Sprintf(" (did you mean %s?)", near)
	} else {
		e.Msg += "; there are " + list2(names)
	}
	return e
}

func list2(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func (l *Loop) cmdOutput(_ context.Context, arg string) error {
	s, ok := l.session()
	if !ok {
		return fault.New(fault.Usage, ".output: no session yet: spawn() a program first, or .use one")
	}
	n := 1000
	if arg != "" {
		if _, err := fmt.Sscanf(arg, "%d", &n); err != nil || n < 1 {
			return fault.New(fault.Usage, ".output %s: want a number of lines", arg)
		}
	}
	lines := strings.Split(strings.TrimSuffix(plainLines(l.Mask.Mask(s.Output())), "\n"), "\n")
	if len(lines) > n {
		l.screenOut(fmt.Sprintf("… %d lines before …\n", len(lines)-n))
		lines = lines[len(lines)-n:]
	}
	l.screenOut(strings.Join(lines, "\n") + "\n")
	return nil
}

func (l *Loop) cmdLoad(ctx context.Context, name string) error {
	if name == "" {
		return fault.New(fault.Usage, ".load: which file?")
	}
	text, err := l.Run.Lib.Read(name)
	if err != nil {
		return err
	}
	return l.File(ctx, name, text)
}

// File runs a script statement by statement, so that what it did until a failure is there.
func (l *Loop) File(ctx context.Context, name, text string) (err error) {
	each, all, err := l.console.ReadFile(name, text)
	if err != nil {
		return err
	}
	l.locked(func() {
		l.console.Forget()
		if err = l.console.Prepare(all); err == nil {
			err = l.checked(all)
		}
		l.console.Drop()
	})
	if err != nil {
		return err
	}
	l.Run.Host.AlsoMain = append(l.Run.Host.AlsoMain, name)
	began := time.Now()
	defer func() { l.took = time.Since(began) }()
	for _, s := range each {
		v, err := l.execute(ctx, s)
		if err != nil {
			return err
		}
		l.log = append(l.log, logged{Statement: s, dir: filepath.Dir(name), valued: v != starlark.None})
		if v != starlark.None && s.Value() {
			l.console.Set("_", v)
		}
	}
	return nil
}

func (l *Loop) cmdSave(_ context.Context, name string) error { return l.save(name, false) }

func (l *Loop) cmdReset(ctx context.Context, _ string) error {
	ctx, end := l.begin(ctx, true)
	defer end()
	l.Reset(ctx)
	l.locked(l.console.Reset)
	l.current, l.log, l.followers = nil, nil, map[any]*follower{}
	l.say("all sessions have ended, all names are forgotten")
	return nil
}

func (l *Loop) cmdTime(context.Context, string) error {
	l.timed = !l.timed
	state := "off"
	if l.timed {
		state = "on"
	}
	l.say("the last statement took %s; timing is %s", l.took.Round(time.Millisecond/10), state)
	return nil
}

func (l *Loop) cmdTrace(context.Context, string) error {
	if l.failed == nil {
		l.say("nothing has failed yet")
		return nil
	}
	l.say("%s", l.Explain(l.failed))
	return nil
}

func (l *Loop) cmdContinue(context.Context, string) error {
	if !l.paused {
		return fault.New(fault.Usage, ".continue: no script is paused here; .quit leaves")
	}
	return errContinue
}

func (l *Loop) cmdQuit(context.Context, string) error { return errLeave }

// cmdEdit opens the editor on the last statement and runs what it leaves.
func (l *Loop) cmdEdit(ctx context.Context, arg string) error {
	if l.editor == nil && !l.dumb {
		return fault.New(fault.Env, ".edit: there is no terminal for an editor")
	}
	text := l.last
	switch arg {
	case "":
	case "new":
		text = ""
	default:
		return fault.New(fault.Usage, ".edit: got %q, want new, or nothing for the last statement", arg)
	}
	dir, err := os.MkdirTemp("", "omniexpect-edit-")
	if err != nil {
		return fault.New(fault.Env, ".edit: %w", err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "statement.star")
	if err := os.WriteFile(name, []byte(strings.TrimSuffix(text, "\n")+"\n"), 0o600); err != nil {
		return fault.New(fault.Env, ".edit: %w", err)
	}
	cmd := exec.Command("sh", "-c", l.Editor+` "$1"`, "sh", name)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = l.In, l.Out, l.Err
	l.restore()
	_, end := l.begin(ctx, false) // Ctrl-C is the editor's
	err = cmd.Run()
	end()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return fault.New(fault.Exit, ".edit: %s ended with %s: nothing was run", l.Editor, exit)
		}
		return fault.New(fault.Env, ".edit: %s: %w", l.Editor, err)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return fault.New(fault.Env, ".edit: %w", err)
	}
	text = strings.TrimRight(string(b), " \t\n")
	if text == "" {
		l.say("nothing to run")
		return nil
	}
	l.screenOut(text + "\n")
	err = l.statements(ctx, text+"\n")
	l.history.add(text)
	var exit *dsl.Exit
	if errors.As(err, &exit) {
		return exit
	}
	return nil // it was shown
}

// verify checks a script that is about to be written, as "omniexpect check" does.
func (l *Loop) verify(name, text string) error {
	names := make([]string, 0, len(l.Run.Predefined))
	for n := range l.Run.Predefined {
		names = append(names, n)
	}
	library := interp.NewLibrary(l.Run.Lib.Embedded, names)
	src, err := library.Parse(name, text)
	if err == nil {
		_, err = library.Params(src, l.Vocabulary.With(dsl.Declares))
	}
	if err == nil {
		err = check.New(l.Vocabulary, l.Run.Predefined).Errors(src)
	}
	return err
}
