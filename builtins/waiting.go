package builtins

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.starlark.net/starlark"

	"omniexpect/internal/clock"
	"omniexpect/internal/dsl"
	"omniexpect/internal/event"
	"omniexpect/internal/fault"
	"omniexpect/internal/match"
)

type expectArgs struct {
	Pattern Patterns `star:"pattern" doc:"a regular expression, exact(…), glob(…), bytes, EOF, TIMEOUT, FULL, a list of them, or a dict from patterns to actions"`
	waitingArgs
	NoEcho bool `star:"skip_echo?,kw" doc:"ignore (and consume) the terminal's echo of the last line sent, even if it wrapped"`
}

// deadlineArgs say how long a wait lasts.
type deadlineArgs struct {
	Timeout dsl.Duration `star:"timeout?" doc:"deadline, which nothing extends; 0 tries once, None waits for ever"`
}

func sessionDeadline() deadlineArgs { return deadlineArgs{sessionTimeout()} }

// streamDeadline is for waits on what has no timeout of its own: streams, sockets and stub servers.
func streamDeadline() deadlineArgs { return deadlineArgs{dsl.Seconds(30)} }

// waitingArgs say how long a wait lasts, and where it looks.
type waitingArgs struct {
	deadlineArgs
	idleArgs
	Settle dsl.Duration `star:"settle?,kw" doc:"accept the match only when it has not grown for this long; 0 or None: accept it at once"`
	viewArgs
}

// idleArgs say when a wait gives up before its deadline.
type idleArgs struct {
	Idle dsl.Duration `star:"idle?,kw" doc:"fail after this long without any output; None: no limit"`
}

// viewArgs say which output is looked at, and as what.
type viewArgs struct {
	View string `star:"view?,kw" doc:"\"text\" or \"raw\""`
	whichArgs
}

// whichArgs say which output is looked at.
type whichArgs struct {
	Stream string `star:"stream?,kw" doc:"\"stdout\", or \"stderr\" of a session with pty=False, which has a position of its own"`
}

func expectDefaults() expectArgs {
	return expectArgs{waitingArgs: waitingArgs{deadlineArgs: sessionDeadline()}}
}

// waiting is one wait of a script: the patterns, the clocks, and what to say when it fails.
type waiting struct {
	who      string
	session  *Session
	out      *match.Stream // the output that is read
	patterns []match.Pattern
	set      *match.Set
	want     match.Want
	awaits   string // what messages say is waited for; "" is the patterns
	began    time.Time
	limit    time.Duration
}

// waitingFor is waiting with everything that a script can say of a wait.
func (s *Session) waitingFor(c *dsl.Call, who string, list []match.Pattern, a waitingArgs) (*waiting, error) {
	w, err := s.waiting(c, who, list, a.Timeout, a.viewArgs)
	if err != nil {
		return nil, err
	}
	w.want.Settle = s.st.scaled(a.Settle.D)
	return w, w.giveUp(a.idleArgs)
}

// giveUp has the wait end after a time without output.
func (w *waiting) giveUp(a idleArgs) error {
	if a.Idle.Set && !a.Idle.Forever && a.Idle.D == 0 {
		return fault.New(fault.Usage, "%s: idle=0: want a duration above 0, or None for no limit; timeout=0 tries once", w.who)
	}
	w.want.Idle = w.session.st.scaled(a.Idle.D)
	return nil
}

func (s *Session) waiting(c *dsl.Call, who string, list []match.Pattern, timeout dsl.Duration, view viewArgs) (*waiting, error) {
	if err := s.usable(who); err != nil {
		return nil, err
	}
	raw, err := s.viewFor(who, view.View, list)
	if err != nil {
		return nil, err
	}
	out, err := s.streamOf(who, view.Stream)
	if err != nil {
		return nil, err
	}
	set, err := s.compile(list, raw, view.Stream)
	if err != nil {
		return nil, err
	}
	w := &waiting{who: who, session: s, out: out, patterns: list, set: set, began: s.st.Clock.Now()}
	at, limit := s.deadline(c, timeout, w.began)
	w.limit = limit
	w.want = match.Want{Set: set, Deadline: at, Once: !at.IsZero() && limit == 0, Here: true}
	return w, nil
}

// source is what messages call the output that is read.
func (w *waiting) source() string {
	if w.out == w.session.Err {
		return "standard error of " + w.session.Name
	}
	return w.session.Name
}

// String is what messages call the wait.
func (w *waiting) String() string {
	awaits := w.awaits
	if awaits == "" {
		awaits = w.session.st.patternNames(w.patterns)
	}
	return w.who + " " + awaits + " from " + w.source()
}

// Patterns returns the patterns as messages show them.
func (w *waiting) Patterns() []string {
	names := make([]string, len(w.patterns))
	for i, p := range w.patterns {
		names[i] = p.String()
	}
	return names
}

// do waits once. Whatever is not a match, or an outcome that the patterns ask for, is an error that says what was seen.
func (w *waiting) do(c *dsl.Call) (match.Result, error) {
	res, err := w.try(c)
	if err != nil || res.Index >= 0 {
		return res, err
	}
	return res, w.failure(res)
}

// try waits once and returns whatever the outcome is.
func (w *waiting) try(c *dsl.Call) (match.Result, error) {
	s := w.session
	span := s.st.begin(c, event.Wait{Who: w.who, Session: s.Name, What: w, Began: w.began, Deadline: w.want.Deadline})
	var res match.Result
	err := s.waitAlive(c, func(ctx context.Context) (err error) {
		res, err = w.out.Wait(ctx, w.want)
		if err == nil && res.Why == match.AtEOF && res.Index < 0 && s.Err != nil && w.out == s.Out {
			return s.st.drain(ctx, s.Err, stderrTimeout)
		}
		return err
	})
	span.end(verdict(res, err), res.Index)
	if errors.Is(err, match.ErrBusy) {
		err = s.busy(c.Thread.Name, w.who, w.source())
	}
	return res, err
}

// busy is the error of a second wait on one output, and says how to do with one.
func (s *Session) busy(strand, who, source string) error {
	const inAction = "let the action of always send a text or set a variable, and wait for more in the script, or with expect({pattern: action, …})"
	const oneReader = "one output has one reader: spawn a session in each branch, or wait in one place for all that may come: expect([p, q]), or expect_any({s1: p, s2: q}) for several sessions"
	other, hints := "another branch waits on "+source, []string{oneReader}
	switch {
	case strand == alwaysStrand:
		other, hints = "the script waits on "+source+" itself, and an action of always cannot wait on it too", []string{inAction}
	case len(s.always) > 0:
		other, hints = "another branch, or an action of always, waits on "+source, []string{inAction, oneReader}
	}
	e := fault.New(fault.Usage, "%s: %w: %s", who, match.ErrBusy, other)
	e.Hints = hints
	return e
}

// failure is the error of a wait that did not find what it was for.
func (w *waiting) failure(res match.Result) error {
	s := w.session
	kind, why := fault.Timeout, ""
	switch res.Why {
	case match.TimedOut:
		why = "not seen within " + fault.Human(w.limit)
		if w.want.Once && w.limit == 0 {
			why = "not in the output so far"
		}
	case match.WentIdle:
		why = fmt.Sprintf("no output for %s (idle), %s after the wait began", fault.Human(w.want.Idle), fault.Human(res.Elapsed))
		if w.limit > 0 {
			why += fmt.Sprintf(" (deadline %s)", fault.Human(w.limit))
		}
	case match.AtEOF:
		kind, why = fault.EOF, s.ending()
	case match.Gap:
		kind, why = fault.Fail, fmt.Sprintf("%d bytes before it were dropped: the buffer was full", res.Lost)
	}
	return s.failure(kind, w.String()+": "+why, w, res)
}

// result makes the value that a script gets.
func (w *waiting) result(res match.Result) *matchValue {
	w.session.noteLost(w, res.Missed)
	m := w.session.st.matchValue(res, w.session)
	m.waiting = w
	if res.Index >= 0 {
		m.pattern = w.patterns[res.Index]
		m.names = w.set.Names(res.Index)
		m.bytes = w.set.Raw()
	}
	return m
}

// noteLost notes, once for a session, that a script gets output without a part of it.
func (s *Session) noteLost(w *waiting, lost int64) {
	if lost > 0 {
		s.sayLost("%s from %s: %d bytes of unread output before it were dropped", w.who, w.source(), lost)
	}
}

func (s *Session) sayLost(format string, args ...any) {
	if !s.lostSaid {
		s.lostSaid = true
		s.st.note(fmt.Sprintf(format, args...) + ": the buffer was full, spawn(…, buffer=…) keeps more")
	}
}

// act does what a dict of patterns says, and reports whether the wait goes on.
func (w *waiting) act(c *dsl.Call, m *matchValue, action starlark.Value) (again bool, err error) {
	switch a := action.(type) {
	case starlark.NoneType:
		return false, nil
	case continueValue:
		return true, nil
	case starlark.String, starlark.Bytes, secretValue:
		return false, w.session.send(c, textOf(a), w.session.timeout, false)
	case *starlark.List, starlark.Tuple:
		for i := range a.(starlark.Indexable).Len() { // all of them, wherever CONTINUE stands
			more, err := w.act(c, m, a.(starlark.Indexable).Index(i))
			if err != nil {
				return false, err
			}
			again = again || more
		}
		return again, nil
	case starlark.Callable:
		args := []starlark.Value{m}
		if f, ok := a.(*starlark.Function); ok && f.NumParams() == 0 && !f.HasVarargs() {
			args = nil
		}
		v, err := c.Invoke(a, args...)
		if err != nil {
			return false, err
		}
		_, again = v.(continueValue)
		m.value = v
		return again, nil
	}
	return false, fault.New(fault.Usage, "expect: %w", actionable(m.pattern, action))
}

// find is do, or beyondEcho.
func (w *waiting) find(c *dsl.Call, skipEcho bool) (match.Result, error) {
	if skipEcho {
		return w.beyondEcho(c)
	}
	return w.do(c)
}

// asksFor reports whether one of the patterns is of a kind.
func (w *waiting) asksFor(kind match.Kind) bool {
	return slices.ContainsFunc(w.patterns, func(p match.Pattern) bool { return p.Kind == kind })
}

// timedOut is the outcome of a wait whose deadline is over, whatever else there would be to find.
func (w *waiting) timedOut(c *dsl.Call) (match.Result, error) {
	late := match.Result{Why: match.TimedOut, Elapsed: clock.Since(w.session.st.Clock, w.began)}
	late.Index = slices.IndexFunc(w.patterns, func(p match.Pattern) bool { return p.Kind == match.Timeout })
	if late.Index < 0 {
		return late, w.failure(late)
	}
	list := []match.Pattern{{Kind: match.Timeout}}
	stream := stdout
	if w.out == w.session.Err {
		stream = stderr
	}
	set, err := w.session.compile(list, w.set.Raw(), stream)
	if err != nil {
		return match.Result{}, err
	}
	res, err := (&waiting{who: w.who, session: w.session, out: w.out, patterns: w.patterns, set: set, began: w.began,
		want: match.Want{Set: set, Once: true, Peek: true}}).try(c)
	if err != nil {
		return res, err
	}
	res.Why, res.Index, res.Elapsed = late.Why, late.Index, late.Elapsed
	return res, nil
}

// backlogTimeout is how long an expect whose actions go on looks at what came before its deadline.
const backlogTimeout = 100 * time.Millisecond

// cutoff ends an expect whose actions go on. What was there when the deadline came is still looked at, for a while, with
// timeout=0 to its end: a program that never stops writing what the actions are for must not extend the deadline.
type cutoff struct {
	at  time.Time // when it was seen that the deadline is over
	end int64     // where the output stood then
}

func (l *cutoff) over(w *waiting, res match.Result) bool {
	now := w.session.st.Clock.Now()
	if w.want.Deadline.IsZero() || now.Before(w.want.Deadline) {
		return false
	}
	if l.at.IsZero() {
		l.at, l.end = now, w.out.End(w.set.Raw())
		w.want.Once = true
		return false
	}
	return res.End >= l.end || w.limit > 0 && now.Sub(l.at) > backlogTimeout
}
