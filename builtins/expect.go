package builtins

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"omniexpect/internal/clock"
	"omniexpect/internal/dsl"
	"omniexpect/internal/event"
	"omniexpect/internal/fault"
	"omniexpect/internal/match"
	"omniexpect/internal/vt"
)

type expectArgs struct {
	Pattern Patterns     `star:"pattern" doc:"a regular expression, exact(…), glob(…), bytes, EOF, TIMEOUT, FULL, a list of them, or a dict from patterns to actions"`
	Timeout dsl.Duration `star:"timeout?" doc:"deadline, which output does not extend; 0 tries once, None waits for ever"`
	Idle    dsl.Duration `star:"idle?,kw" doc:"fail after this long without any output; None: no limit"`
	Settle  dsl.Duration `star:"settle?,kw" doc:"accept the match only when it has not grown for this long; 0 or None: accept it at once"`
	View    string       `star:"view?,kw" doc:"\"text\" or \"raw\""`
	Stream  string       `star:"stream?,kw" doc:"\"stdout\", or \"stderr\" of a session with pty=False, which has a position of its own"`
	NoEcho  bool         `star:"skip_echo?,kw" doc:"ignore (and consume) the terminal's echo of the last line sent, even if it wrapped"`
}

func expectDefaults() expectArgs { return expectArgs{Timeout: sessionTimeout()} }

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

func (s *Session) waiting(c *dsl.Call, who string, list []match.Pattern, a expectArgs) (*waiting, error) {
	if err := s.usable(who); err != nil {
		return nil, err
	}
	raw, err := s.viewFor(who, a.View, list)
	if err != nil {
		return nil, err
	}
	out, err := s.streamOf(who, a.Stream)
	if err != nil {
		return nil, err
	}
	if a.Idle.Set && !a.Idle.Forever && a.Idle.D == 0 {
		return nil, fault.New(fault.Usage, "%s: idle=0: want a duration above 0, or None for no limit; timeout=0 tries once", who)
	}
	set, err := s.compile(list, raw, a.Stream)
	if err != nil {
		return nil, err
	}
	w := &waiting{who: who, session: s, out: out, patterns: list, set: set, began: s.st.Clock.Now()}
	at, limit := s.deadline(c, a.Timeout, w.began)
	w.limit = limit
	w.want = match.Want{Set: set, Deadline: at, Once: !at.IsZero() && limit == 0,
		Idle: s.st.scaled(a.Idle.D), Settle: s.st.scaled(a.Settle.D), Here: true}
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
	err := s.heed(c, func(ctx context.Context) (err error) {
		res, err = w.out.Wait(ctx, w.want)
		if err == nil && res.Why == match.AtEOF && res.Index < 0 && s.Err != nil && w.out == s.Out {
			return s.st.drain(ctx, s.Err, errorsLast)
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

// errorsLast is how long an output is read whose end is near: standard error, for a failed wait to show it, when standard
// output has ended before it; and the last words of a program that has ended.
const errorsLast = 200 * time.Millisecond

// drain reads an output to its end, for a time at most. Nothing of it is consumed.
func (st *State) drain(ctx context.Context, out *match.Stream, most time.Duration) error {
	set, err := match.Compile([]match.Pattern{{Kind: match.EOF}}, false)
	if err != nil {
		return err
	}
	_, err = out.Wait(ctx, match.Want{Set: set, Deadline: st.Clock.Now().Add(most), Peek: true})
	if errors.Is(err, match.ErrBusy) {
		return nil // another wait reads it
	}
	return err
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

// ending says how the output ended.
func (s *Session) ending() string {
	st, over := s.Status()
	if !over || s.Closed() {
		return "the session was closed meanwhile"
	}
	why := "the program " + st.Sentence() + " without printing it"
	if s.lastSent != "" && s.Out.End(false) == s.sentAt {
		why += "; nothing came after the last send, which it may not have read before it ended"
	}
	if held := s.heldBy(); held != "" {
		why += strings.Replace(held, ", but", ";", 1) + " (eof=\"hangup\" waits for it)"
	}
	return why
}

// heldBy names, at the end of a sentence, who still has the terminal or the pipes of a program that has ended.
func (s *Session) heldBy() string {
	if s.Ended() {
		return ""
	}
	holders := s.Holders()
	if len(holders) == 0 {
		return ""
	}
	what := "the terminal"
	if s.Pipes {
		what = "its output"
	}
	return fmt.Sprintf(", but %s still has %s open", holders[0], what)
}

// failure adds what was seen to a message.
func (s *Session) failure(kind fault.Kind, msg string, w *waiting, res match.Result) error {
	e := fault.New(kind, "%s", msg)
	if st, over := s.Status(); over && kind != fault.EOF {
		e.Msg += "; the program " + st.Sentence() + s.heldBy()
	}
	raw, out := w != nil && w.set.Raw(), s.Out
	if w != nil {
		out = w.out
	}
	unread, lost := out.Unread(raw)
	e.Detail = s.st.seenOf(out, unread, raw, max(lost, res.Lost))
	if other, name := s.other(out); other != nil {
		if text, _ := other.Unread(false); len(text) > 0 {
			e.Detail += "\n" + name + ":\n" + vt.Visible(string(match.Tail([]byte(s.st.maskOf(string(text), !other.Gone())), tailLength)))
		}
	}
	if res.Why == match.Gap {
		e.Hints = []string{fmt.Sprintf("spawn(…, buffer=…) keeps more than %d bytes unread; lost_ok=True continues after what was dropped", s.Limit)}
	} else if w != nil && kind != fault.Assert {
		e.Hints = s.explain(out, w.patterns, raw)
	}
	if kind == fault.Timeout {
		e.Hints = append(append(s.paged(), s.tabbed()...), e.Hints...)
	}
	e.Hints = append(s.stopped(), e.Hints...)
	return e
}

// noteLost says once for a session that a script gets output without a part of it.
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

func (st *State) expect(c *dsl.Call, s *Session, a expectArgs) (starlark.Value, error) {
	w, err := s.waiting(c, "expect", a.Pattern.list, a)
	if err != nil {
		return nil, err
	}
	var late lateness
	served := make(rounds, len(a.Pattern.actions))
	for {
		res, err := w.find(c, a.NoEcho)
		if err != nil {
			return nil, served.explain(w, err)
		}
		m := w.result(res)
		if a.Pattern.actions == nil {
			return m, nil
		}
		again, err := w.act(c, m, a.Pattern.actions[res.Index])
		if err != nil || !again {
			return m, err
		}
		if res.Why != match.Matched && res.Why != match.Overfull {
			return m, nil // an end or a deadline does not come twice
		}
		if res.Why == match.Matched && res.Text == "" && res.Before.Len() == 0 {
			return nil, fault.New(fault.Usage, "expect: %s matches the empty text and its action continues, so it would "+
				"match for ever: name the text to continue after", st.patternName(m.pattern))
		}
		served[res.Index]++
		if late.over(w, res) {
			if res, err = w.timedOut(c); err != nil {
				return nil, served.explain(w, err)
			}
			m := w.result(res)
			_, err = w.act(c, m, a.Pattern.actions[res.Index])
			return m, err
		}
	}
}

// backlogLast is how long an expect whose actions go on looks at what came before its deadline.
const backlogLast = 100 * time.Millisecond

// lateness ends an expect whose actions go on. What was there when the deadline came is still looked at, for a while, with
// timeout=0 to its end: a program that never stops writing what the actions are for must not extend the deadline.
type lateness struct {
	at  time.Time // when it was seen that the deadline is over
	end int64     // where the output stood then
}

func (l *lateness) over(w *waiting, res match.Result) bool {
	now := w.session.st.Clock.Now()
	if w.want.Deadline.IsZero() || now.Before(w.want.Deadline) {
		return false
	}
	if l.at.IsZero() {
		l.at, l.end = now, w.out.End(w.set.Raw())
		w.want.Once = true
		return false
	}
	return res.End >= l.end || w.limit > 0 && now.Sub(l.at) > backlogLast
}

// asksFor says whether one of the patterns is of a kind.
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

// find is do, or beyondEcho.
func (w *waiting) find(c *dsl.Call, skipEcho bool) (match.Result, error) {
	if skipEcho {
		return w.beyondEcho(c)
	}
	return w.do(c)
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

type eofArgs struct {
	Timeout dsl.Duration `star:"timeout?" doc:"deadline"`
	Stream  string       `star:"stream?,kw" doc:"\"stdout\", or \"stderr\" of a session with pty=False"`
}

func (st *State) expectEOF(c *dsl.Call, s *Session, a eofArgs) (starlark.Value, error) {
	w, err := s.waiting(c, "expect_eof", []match.Pattern{{Kind: match.EOF}}, expectArgs{Timeout: a.Timeout, Stream: a.Stream})
	if err != nil {
		return nil, err
	}
	res, err := w.do(c)
	if err != nil {
		return nil, err
	}
	s.noteLost(w, res.Lost)
	if w.set.Raw() {
		return starlark.Bytes(res.Before.String()), nil
	}
	return starlark.String(res.Before.String()), nil
}

func (st *State) expectMethods() []*dsl.Func {
	return []*dsl.Func{
		dsl.Method("Session", "expect", "Match", `Wait until the output matches. Only the text up to the end of the match is consumed; a timeout consumes nothing. Of several patterns the one that is complete first in the output wins; of those that are complete at the same character the one that begins first, then the one listed first. 

A dict maps patterns to actions. A text, bytes or a secret is sent as it is, and the wait ends. A function is called with the match, or without arguments if it takes none; what it returns is the match's .value, and CONTINUE goes on waiting. None ends the wait, CONTINUE goes on. The actions of a list run in order, and the wait goes on if CONTINUE is in the list or one of its functions returns it: ["y\r", CONTINUE] answers each time, [lambda m: seen.append(m[1]), "y\r", CONTINUE] does two things. The deadline is for the whole wait. With pty=False, stream="stderr" waits for standard error, which has a position of its own.`,
			`s = spawn("sh -c 'echo name: bob; echo done'")
m = s.expect(r"name: (\w+)\n")
assert.eq(m[1], "bob")
m = s.expect(["failed", "done"])
assert.eq(m.index, 1)`, expectDefaults(), st.expect),
		dsl.Method("Session", "expect_eof", "str", `Wait until the program has ended and all its output is read. Returns the text that was unread.`,
			`s = spawn("echo bye")
assert.eq(s.expect_eof(), "bye\n")`, eofArgs{Timeout: sessionTimeout()}, st.expectEOF),
	}
}
