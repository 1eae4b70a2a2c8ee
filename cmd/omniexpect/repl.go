package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/term"

	"omniexpect/builtins"
	"omniexpect/internal/dsl"
	"omniexpect/internal/event"
	"omniexpect/internal/fault"
	"omniexpect/internal/repl"
	"omniexpect/internal/run"
)

// replCommand opens the interactive prompt.
func replCommand(args []string) int {
	f := runFlags{prompt: true}
	noHistory := false
	set := newFlags("repl")
	set.BoolVar(&noHistory, "no-history", false, "keep nothing of what is typed")
	f.common(set)
	if code := parsed(set, args, "usage: omniexpect repl [flags] [SCRIPT] [--param value …] [ARGS…]\n\nAfter SCRIPT, if one is given, its names and sessions are there. .help at the prompt lists the commands. Flags:\n"); code >= 0 {
		return code
	}
	if code := f.check("repl"); code >= 0 {
		return code
	}
	sig := newSignals()
	sig.listen()
	defer sig.stop()
	r := f.newRun(sig)
	defer r.Report.Close()
	c := r.console()
	if !noHistory {
		c.HistoryFile = repl.HistoryFile()
	}
	loop, err := repl.New(c)
	if err != nil {
		return r.Refuse(err).Status
	}
	defer loop.Close()
	return r.interactive(loop, set.Args())
}

// interactive runs the loop, after the script if there is one, and cleans up.
func (r *runner) interactive(loop *repl.Loop, args []string) (code int) {
	defer r.attach(loop)()
	session, back := r.Interp.Host.Begin(r.sig.ctx)
	defer back()
	r.State.Pause = r.pauser("")
	var err error
	if len(args) > 0 {
		if code, err = r.script(loop, session, args); code >= 0 {
			return code
		}
	}
	var exit *dsl.Exit
	if !errors.As(err, &exit) {
		if loop.Interactive() || err == nil {
			err = loop.Loop(session)
		}
	}
	if session.Err() != nil && r.sig.ctx.Err() == nil {
		err = context.Cause(session) // exit() in an action of a watcher
	}
	shown := err != nil && !errors.As(err, &exit)
	err = r.Finish(r.sig.ctx, err)
	if err != nil && !shown && !errors.As(err, &exit) && !errors.Is(err, run.ErrPipe) {
		r.Report.Fail(err)
	}
	r.Report.End()
	if code := r.sig.code(); code != 0 && !errors.Is(err, run.ErrPipe) {
		r.Report.Fail(fmt.Errorf("%w", context.Cause(r.sig.ctx)))
		return code
	}
	return run.Status(err)
}

// script runs the script in front of the prompt. A failure is shown, and leaves what was there; a code of 0 or more ends
// the command.
func (r *runner) script(loop *repl.Loop, ctx context.Context, args []string) (code int, err error) {
	src, err := r.Library.Open(args[0])
	if err == nil {
		help, err := r.Params(src, args[1:])
		switch {
		case err != nil:
			return r.Refuse(err).Status, nil
		case help != "":
			return printed(help), nil
		}
	}
	if err == nil {
		err = loop.File(ctx, src.Name, src.Text)
	}
	var exit *dsl.Exit
	if err != nil && !errors.As(err, &exit) {
		r.Report.Fail(err)
	}
	return -1, err
}

// console joins the prompt with the builtins.
func (r *runner) console() repl.Config {
	st := r.State
	see := func(s *builtins.Session) repl.Session {
		return repl.Session{ID: s, Name: s.Name, PID: s.PID, Brief: s.Brief(), News: s.News, Exit: s.Exit(), Output: func() string {
			text, _ := s.Out.Output(false)
			return string(text)
		}}
	}
	return repl.Config{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Term: os.Getenv("TERM"),
		Editor: cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"), "vi"),
		Run:    r.Interp, Vocabulary: r.Vocabulary(), Mask: st.Mask, Explain: r.Report.Text,
		Session: func(current any) (repl.Session, bool) {
			s, ok := current.(*builtins.Session)
			if !ok {
				return repl.Session{}, false
			}
			return see(s), true
		},
		Sessions: func() (list []repl.Session) {
			for _, s := range st.Sessions() {
				list = append(list, see(s))
			}
			return list
		},
		Kill: func() {
			r.Interp.Host.Lock.Lock()
			list := st.Sessions()
			r.Interp.Host.Lock.Unlock()
			at := context.Background()
			now, cancel := context.WithCancel(at)
			cancel()
			for _, s := range list {
				s.Close(now)
			}
		},
		Reset: func(ctx context.Context) {
			closers := r.Interp.Closers
			var exit *dsl.Exit
			if err := r.Interp.Finish(ctx); err != nil && !errors.As(err, &exit) {
				r.Report.Fail(err)
			}
			r.Interp.Closers = closers
		},
	}
}

// attach lets the run write above the line that is being typed, and Ctrl-C stop what the prompt waits for.
func (r *runner) attach(loop *repl.Loop) (back func()) {
	write := r.Report.Redirect(survivor{loop.Stdout(), r.pipes}, survivor{loop.Stderr(), r.pipes})
	source := r.Report.Source
	r.Report.Source = func(file string) string {
		return cmp.Or(loop.Source(file), source(file))
	}
	signal := r.sig.divert(loop.Interrupt)
	deaf := func() {}
	if loop.Interactive() {
		deaf = r.Events.Add(event.Func(func(event.Event) { loop.Kick() }), event.KindOut)
	}
	return func() {
		deaf()
		signal()
		r.Report.Source = source
		write()
	}
}

// pauser serves pause(): it opens the prompt in the middle of a script. Without a terminal, commands are read from standard
// input unless that is where the script came from, or nothing that could be read.
func (r *runner) pauser(script string) func(*dsl.Call, string) error {
	turn := make(chan struct{}, 1)
	return func(c *dsl.Call, message string) error {
		if err := pausable(script); err != nil {
			return err
		}
		err := c.Wait(func(ctx context.Context) error {
			select {
			case turn <- struct{}{}:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		if err != nil {
			return err
		}
		defer func() { <-turn }()
		cfg := r.console()
		cfg.HistoryFile = repl.HistoryFile()
		loop, err := repl.New(cfg)
		if err != nil {
			return err
		}
		defer loop.Close()
		defer r.attach(loop)()
		return loop.Pause(c, message)
	}
}

func pausable(script string) error {
	if term.IsTerminal(int(os.Stdin.Fd())) {
		return nil
	}
	st, err := os.Stdin.Stat()
	switch {
	case script == "<stdin>":
		return fault.New(fault.Env, "pause: there is no terminal, and standard input is the script itself: give the script as a file")
	case err != nil || st.Mode()&os.ModeCharDevice != 0:
		return fault.New(fault.Env, "pause: nobody to ask: standard input is neither a terminal nor a source of commands, as under cron or in CI")
	}
	return nil
}
