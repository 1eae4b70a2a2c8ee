package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"omniexpect/builtins"
	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/repl"
)

// replCommand opens the interactive prompt.
func replCommand(args []string) int {
	f := runFlags{prompt: true}
	noHistory := false
	set := flag.NewFlagSet("repl", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.BoolVar(&noHistory, "no-history", false, "keep nothing of what is typed")
	f.common(set)
	err := set.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return flagHelp(set, "usage: omniexpect repl [flags] [SCRIPT] [--param value …] [ARGS…]\n\nAfter SCRIPT, if one is given, its names and sessions are there. .help at the prompt lists the commands. Flags:\n")
	case err != nil:
		return usageError("repl: %s", flagProblem(set, err))
	}
	if code := f.check("repl"); code >= 0 {
		return code
	}
	r := newRunner(f)
	r.declare()
	r.words()
	sig := newSignals()
	sig.listen()
	defer sig.stop()
	r.prepare(sig)
	c := r.console()
	if !noHistory {
		c.HistoryFile = repl.HistoryFile()
	}
	loop, err := repl.New(c)
	if err != nil {
		r.report.Fail(err)
		return fault.KindOf(err).ExitCode()
	}
	defer loop.Close()
	return r.interactive(loop, sig, set.Args())
}

// interactive runs the loop, after the script if there is one, and cleans up.
func (r *runner) interactive(loop *repl.Loop, sig *signals, args []string) (code int) {
	defer r.attach(loop, sig)()
	session, back := r.run0.Host.Begin(sig.ctx)
	defer back()
	r.state.Pause = r.pauser(sig, "")
	if loop.Interactive() {
		r.state.Listen(loop.Kick)
	}
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
	if session.Err() != nil && sig.ctx.Err() == nil {
		err = context.Cause(session) // exit() in an action of a standing pattern
	}
	shown := err != nil && !errors.As(err, &exit)
	err = r.run0.End(sig.ctx, err)
	if err == nil {
		err = r.state.Late()
	}
	if err != nil && !shown && !errors.As(err, &exit) {
		r.report.Fail(err)
	}
	r.report.End()
	if err = sig.unwritten(err); errors.Is(err, errPipe) {
		return pipeStatus
	}
	if code := sig.code(); code != 0 {
		r.report.Fail(fmt.Errorf("%w", context.Cause(sig.ctx)))
		return code
	}
	return status(err)
}

// script runs the script in front of the prompt. A failure is shown, and leaves what was there; a code of 0 or more ends
// the command.
func (r *runner) script(loop *repl.Loop, ctx context.Context, args []string) (code int, err error) {
	src, err := r.lib.Open(args[0])
	if err == nil {
		if code := r.params(src, args[1:]); code >= 0 {
			return code, nil
		}
		err = loop.File(ctx, src.Name, src.Text)
	}
	var exit *dsl.Exit
	if err != nil && !errors.As(err, &exit) {
		r.report.Fail(err)
	}
	return -1, err
}

// console joins the prompt with the builtins.
func (r *runner) console() repl.Config {
	st := r.state
	see := func(s *builtins.Session) repl.Session {
		return repl.Session{ID: s, Name: s.Name, PID: s.PID, Brief: s.Brief(), News: s.News, Exit: s.Exit(), Output: func() string {
			text, _ := s.Out.Output(false)
			return string(text)
		}}
	}
	return repl.Config{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Term: os.Getenv("TERM"),
		Editor: cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"), "vi"),
		Run:    r.run0, Vocabulary: st.Vocabulary(), Mask: st.Mask, Explain: r.report.Text,
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
			r.run0.Host.Lock.Lock()
			list := st.Sessions()
			r.run0.Host.Lock.Unlock()
			at := context.Background()
			now, cancel := context.WithCancel(at)
			cancel()
			for _, s := range list {
				s.Close(now)
			}
		},
		Reset: func(ctx context.Context) {
			closers := r.run0.Closers
			var exit *dsl.Exit
			if err := r.run0.Finish(ctx); err != nil && !errors.As(err, &exit) {
				r.report.Fail(err)
			}
			r.run0.Closers = closers
		},
	}
}

// attach lets the run write above the line that is being typed, and Ctrl-C stop what the prompt waits for.
func (r *runner) attach(loop *repl.Loop, sig *signals) (back func()) {
	write := r.report.Redirect(survivor{loop.Stdout(), r.pipes}, survivor{loop.Stderr(), r.pipes})
	source := r.report.Source
	r.report.Source = func(file string) string {
		return cmp.Or(loop.Source(file), source(file))
	}
	signal := sig.divert(loop.Interrupt)
	return func() {
		signal()
		r.report.Source = source
		write()
	}
}

// pauser serves pause(): it opens the prompt in the middle of a script. Without a terminal, commands are read from standard
// input unless that is where the script came from, or nothing that could be read.
func (r *runner) pauser(sig *signals, script string) func(*dsl.Call, string) error {
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
		defer r.attach(loop, sig)()
		if loop.Interactive() {
			defer r.state.Listen(loop.Kick)()
		}
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
		return fault.New(fault.Env, "pause: there is nobody to ask: standard input is no terminal and nothing to read commands from, as under cron or in CI")
	}
	return nil
}
