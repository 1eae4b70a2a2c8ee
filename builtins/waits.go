package builtins

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/match"
)

// peekArgs are those of expect but for the dict, which has actions.
type peekArgs struct {
	Pattern Patterns `star:"pattern" doc:"a regular expression, exact(…), glob(…), bytes, EOF, TIMEOUT, FULL, or a list of them; not a dict, because peek runs no actions"`
	waitingArgs
	NoEcho bool `star:"skip_echo?,kw" doc:"ignore the terminal's echo of the last line sent, even if it wrapped"`
}

func (st *State) peek(c *dsl.Call, s *Session, args peekArgs) (starlark.Value, error) {
	a := expectArgs(args)
	if err := a.Pattern.looksOnly("peek", "peek does nothing but look"); err != nil {
		return nil, err
	}
	w, err := s.waitingFor(c, "peek", a.Pattern.list, a.waitingArgs)
	if err != nil {
		return nil, err
	}
	w.want.Peek = true
	res, err := w.find(c, a.NoEcho)
	if err != nil {
		return nil, err
	}
	return w.result(res), nil
}

type notArgs struct {
	Pattern Patterns     `star:"pattern" doc:"what must not appear"`
	Within  dsl.Duration `star:"within" doc:"for how long; 0 checks once"`
	viewArgs
}

func (st *State) expectNot(c *dsl.Call, s *Session, a notArgs) (starlark.Value, error) {
	if a.Within.Forever {
		return nil, fault.New(fault.Usage, "expect_not: within=None would never end: say for how long")
	}
	err := cmp.Or(a.Pattern.looksOnly("expect_not", "it fails when one of them comes"),
		a.Pattern.without("expect_not", "that the time has passed is what it waits for", match.Timeout))
	if err != nil {
		return nil, err
	}
	w, err := s.waiting(c, "expect_not", a.Pattern.list, a.Within, a.viewArgs)
	if err != nil {
		return nil, err
	}
	w.want.Peek = true
	res, err := w.try(c)
	if err != nil {
		return nil, err
	}
	if res.Index < 0 {
		return starlark.None, nil
	}
	came := fmt.Sprintf("%q came after %s", res.Text, fault.Human(res.Elapsed))
	switch {
	case res.Why == match.AtEOF:
		came = "the output has ended after " + fault.Human(res.Elapsed)
	case res.Why == match.Overfull:
		came = fmt.Sprintf("%d bytes of output were unread after %s, which is all that is kept (buffer=)", res.Before.Len(), fault.Human(res.Elapsed))
	case res.Elapsed < time.Millisecond:
		came = fmt.Sprintf("%q was in the output already", res.Text)
	}
	return nil, s.failure(fault.Assert, fmt.Sprintf("expect_not %s from %s: %s", st.patternName(w.patterns[res.Index]), w.source(), came), w, res)
}

type allArgs struct {
	Patterns starlark.Tuple `star:"*patterns" type:"pattern" doc:"patterns that must all match, in any order"`
	Timeout  dsl.Duration   `star:"timeout?,kw" doc:"deadline for all of them"`
	idleArgs
	viewArgs
}

// expectAll looks for each pattern in the unread text from the same beginning, so that the order makes no difference;
// what is read afterwards is all up to the end of the last match.
func (st *State) expectAll(c *dsl.Call, s *Session, a allArgs) (starlark.Value, error) {
	var list Patterns
	for i, v := range a.Patterns {
		p, err := onePattern(v)
		if err != nil {
			return nil, fault.New(fault.Usage, "expect_all: pattern %d: %w", i, err)
		}
		list.list = append(list.list, p)
	}
	if len(list.list) == 0 {
		return nil, fault.New(fault.Usage, "expect_all: no patterns")
	}
	if err := list.without("expect_all", "it comes when the others have not: catch the failure instead", match.Timeout); err != nil {
		return nil, err
	}
	if _, err := s.viewFor("expect_all", a.View, list.list); err != nil { // before one of them is waited for
		return nil, err
	}
	began := st.Clock.Now()
	at, limit := s.deadline(c, a.Timeout, began)
	out := make([]starlark.Value, len(list.list))
	found := make([]match.Result, len(list.list))
	waits := make([]*waiting, len(list.list))
	for i, p := range list.list {
		w, err := s.waiting(c, "expect_all", []match.Pattern{p}, a.Timeout, a.viewArgs)
		if err == nil {
			err = w.giveUp(a.idleArgs)
		}
		if err != nil {
			return nil, err
		}
		w.began, w.want.Deadline, w.limit, w.want.Peek = began, at, limit, true
		res, err := w.try(c)
		if err != nil {
			return nil, err
		}
		if res.Index < 0 {
			return nil, w.missing(res, list.list, i)
		}
		out[i], found[i], waits[i] = w.result(res), res, w
	}
	for i, w := range waits { // places in the two views do not compare; what is behind another one is read then
		w.out.Consume(w.set.Raw(), found[i])
	}
	return starlark.NewList(out), nil
}

// missing is the failure of expect_all: which patterns came and which did not.
func (w *waiting) missing(res match.Result, all []match.Pattern, at int) error {
	err := w.failure(res)
	if e, ok := err.(*fault.Error); ok && at > 0 {
		e.Msg += fmt.Sprintf(" (%s came)", w.session.st.patternNames(all[:at]))
	}
	return err
}

type anyArgs struct {
	Sessions *starlark.Dict `star:"sessions" type:"dict of pattern" doc:"a dict from sessions to patterns, or to lists of them"`
	deadlineArgs
	whichArgs
}

func (st *State) expectAny(c *dsl.Call, a anyArgs) (starlark.Value, error) {
	var waits []*waiting
	for _, kv := range a.Sessions.Items() {
		s, ok := kv[0].(*Session)
		if !ok {
			return nil, fault.New(fault.Usage, "expect_any: got %s as a key, want sessions", kv[0].Type())
		}
		var p Patterns
		if err := p.Unpack(kv[1]); err != nil {
			return nil, fault.New(fault.Usage, "expect_any: %s: %w", s.Name, err)
		}
		if err := p.looksOnly("expect_any", "ask the match for its session and index, and act then"); err != nil {
			return nil, err
		}
		w, err := s.waiting(c, "expect_any", p.list, a.Timeout, viewArgs{whichArgs: a.whichArgs})
		if err != nil {
			return nil, err
		}
		w.want.Peek = true
		waits = append(waits, w)
	}
	if len(waits) == 0 {
		return nil, fault.New(fault.Usage, "expect_any: no sessions")
	}
	w, res, err := firstOf(c, waits)
	if err != nil {
		return nil, err
	}
	if w == nil {
		if w, res, err = lateAny(c, waits); w == nil {
			return nil, cmp.Or(err, st.noneOf(waits))
		}
	}
	w.out.Consume(w.set.Raw(), res)
	return w.result(res), nil
}

// lateAny returns the wait that asks for TIMEOUT, if the deadline is why nothing was found. Its own session may have ended
// before, which did not count then.
func lateAny(c *dsl.Call, waits []*waiting) (*waiting, match.Result, error) {
	if gone(waits) == len(waits) {
		return nil, match.Result{}, nil
	}
	for _, w := range waits {
		if w.asksFor(match.Timeout) {
			res, err := w.timedOut(c)
			if err != nil {
				return nil, res, err
			}
			return w, res, nil
		}
	}
	return nil, match.Result{}, nil
}

// gone counts the waits whose program has ended.
func gone(waits []*waiting) (n int) {
	for _, w := range waits {
		if _, over := w.session.Status(); over {
			n++
		}
	}
	return n
}

// outcome is what one of several waits came to.
type outcome struct {
	w   *waiting
	res match.Result
	err error
}

// firstOf runs several waits at the same time and returns the first that found something. An end or a deadline of one
// session counts only when all have come to that.
func firstOf(c *dsl.Call, waits []*waiting) (*waiting, match.Result, error) {
	var first *outcome
	leaveReading(waits)
	sessions := make([]*Session, len(waits))
	names := make([]string, len(waits))
	last := waits[0]
	for i, w := range waits {
		sessions[i], names[i] = w.session, w.session.st.patternNames(w.patterns)+" from "+w.source()
		if w.want.Deadline.IsZero() || !last.want.Deadline.IsZero() && w.want.Deadline.After(last.want.Deadline) {
			last = w
		}
	}
	done := waits[0].session.st.watch(c, "expect_any "+strings.Join(names, " or "), last.began, last.want.Deadline)
	defer done()
	err := waitAllAlive(c, sessions, func(outer context.Context) error {
		ctx, cancel := context.WithCancel(outer)
		defer cancel()
		results := make(chan outcome, len(waits))
		for _, w := range waits {
			go func() {
				res, err := w.out.Wait(ctx, w.want)
				results <- outcome{w, res, err}
			}()
		}
		var failed error
		for range waits {
			o := <-results
			switch {
			case first != nil:
			case o.err == nil && o.res.Index >= 0:
				first = &o
				cancel()
			case o.err != nil && ctx.Err() == nil:
				failed = o.err
				if errors.Is(failed, match.ErrBusy) {
					failed = o.w.session.busy(c.Thread.Name, "expect_any", o.w.source())
				}
				cancel()
			}
		}
		if first != nil {
			return nil
		}
		return cmp.Or(failed, outer.Err())
	})
	if err != nil || first == nil {
		return nil, match.Result{}, err
	}
	return first.w, first.res, nil
}

// leaveReading has several waits not read themselves: who sleeps in a system call is late to hear that another one has
// found something.
func leaveReading(waits []*waiting) {
	for _, w := range waits {
		w.want.Here = w.want.Here && len(waits) == 1
	}
}

func (st *State) noneOf(waits []*waiting) error {
	longest := waits[0].limit
	e := fault.New(fault.Timeout, "")
	for i, w := range waits {
		longest = max(longest, w.limit)
		unread, lost := w.out.Unread(w.set.Raw())
		if i > 0 {
			e.Detail += "\n"
		}
		e.Detail += fmt.Sprintf("%s, waiting for %s: %s", w.source(), st.patternNames(w.patterns), st.seen(unread, lost, !w.out.Gone()))
	}
	e.Msg = "expect_any: nothing matched within " + fault.Human(longest)
	if gone(waits) == len(waits) {
		e.Kind, e.Msg = fault.EOF, "expect_any: all programs have ended and nothing matched"
	}
	return e
}

type quietArgs struct {
	Quiet   dsl.Duration `star:"quiet" doc:"for how long the output must be quiet"`
	Timeout dsl.Duration `star:"timeout?" doc:"deadline for the whole call"`
	whichArgs
}

func (st *State) waitIdle(c *dsl.Call, s *Session, a quietArgs) (starlark.Value, error) {
	if err := s.usable("wait_idle"); err != nil {
		return nil, err
	}
	if a.Quiet.Forever || a.Quiet.D == 0 {
		got := "0"
		if a.Quiet.Forever {
			got = "None"
		}
		return nil, fault.New(fault.Usage, "wait_idle: quiet=%s: want a duration above 0", got)
	}
	at, limit := s.deadline(c, a.Timeout, st.Clock.Now())
	w, res, err := s.quiet(c, at, a.Quiet.D, a.Stream)
	if err != nil {
		return nil, err
	}
	if res.Why == match.TimedOut {
		return nil, s.failure(fault.Timeout, fmt.Sprintf("wait_idle for %s: %s was never quiet for %s in %s", w.source(), s.Name,
			fault.Human(a.Quiet.D), fault.Human(limit)), w, res)
	}
	s.noteLost(w, res.Lost)
	return starlark.String(res.Before.String()), nil
}

type readArgs struct {
	N int `star:"n" missing:"expect_eof() returns all up to the end" doc:"how many characters, or bytes in the raw view; 0 reads nothing"`
	deadlineArgs
	viewArgs
	LostOK bool `star:"lost_ok?,kw" doc:"continue after output that was dropped because the buffer was full, instead of failing"`
}

func (st *State) read(c *dsl.Call, s *Session, a readArgs) (starlark.Value, error) {
	if a.N < 0 || a.N > s.Limit {
		return nil, fault.New(fault.Usage, "read: n=%d, want 0 to %d", a.N, s.Limit)
	}
	w, err := s.waiting(c, "read", nil, a.Timeout, a.viewArgs)
	if err != nil {
		return nil, err
	}
	var res match.Result
	if w.want.Count, w.want.Whole = a.N, !a.LostOK; a.N > 0 {
		if res, err = w.try(c); err != nil {
			return nil, err
		}
		if res.Why != match.Matched {
			w.awaits = characters(a.N, w.set.Raw())
			return nil, w.failure(res)
		}
	}
	if w.set.Raw() {
		return starlark.Bytes(res.Text), nil
	}
	return starlark.String(res.Text), nil
}

// characters returns a number of characters, or of bytes in the raw view, in words.
func characters(n int, raw bool) string {
	unit := "character"
	if raw {
		unit = "byte"
	}
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s", n, unit)
}

type readlineArgs struct {
	deadlineArgs
	whichArgs
	LostOK bool `star:"lost_ok?,kw" doc:"continue after output that was dropped because the buffer was full, instead of failing"`
}

// readline reads to the next line end; at the end of the output, what is left of a line.
func (st *State) readline(c *dsl.Call, s *Session, a readlineArgs) (starlark.Value, error) {
	list := []match.Pattern{{Kind: match.Exact, Source: "\n"}, {Kind: match.EOF}}
	w, err := s.waiting(c, "readline", list, a.Timeout, viewArgs{View: "text", whichArgs: a.whichArgs})
	if err != nil {
		return nil, err
	}
	w.want.Whole = !a.LostOK
	res, err := w.try(c)
	if err != nil {
		return nil, err
	}
	if res.Why != match.Matched && (res.Why != match.AtEOF || res.Before.Len() == 0) {
		w.patterns, w.awaits = list[:1], "a line"
		return nil, w.failure(res)
	}
	return starlark.String(res.Before.String()), nil
}

func (st *State) waitMethods() []*dsl.Func {
	return []*dsl.Func{
		dsl.Method("Session", "peek", "Match", `Like expect, but nothing is consumed: the same text can be expected afterwards.`,
			`s = spawn("echo alpha beta")
s.peek("beta")
s.expect("alpha")`, peekArgs(expectDefaults()), st.peek).As(dsl.Current),
		dsl.Method("Session", "expect_not", "None", `Fail as soon as the output matches. Pass when the time is over or the program has ended without a match. Nothing is consumed.`,
			`s = spawn("echo fine")
s.expect_not("ERROR", within = 0.2)`, notArgs{}, st.expectNot).As(dsl.Current | dsl.Absent),
		dsl.Method("Session", "expect_all", "list", `Wait until all patterns have matched, in any order. Text up to the end of the last match is consumed.`,
			`s = spawn("echo alpha beta gamma")
s.expect_all("gamma", "alpha")`, allArgs{Timeout: sessionTimeout()}, st.expectAll).As(dsl.Current | dsl.Each),
		dsl.Method("Session", "wait_idle", "str", `Wait until the program has written nothing for a while, and return the unread text. It stays unread.`,
			`s = spawn("echo ready")
assert.contains(s.wait_idle(0.1), "ready")`, quietArgs{Timeout: sessionTimeout()}, st.waitIdle).As(dsl.Current),
		dsl.Method("Session", "read", "str", `Read a number of characters. At the end of the output it may return fewer. If unread output was dropped because the buffer was full, it fails and reads nothing.`,
			`s = spawn("printf abcdef")
assert.eq(s.read(3), "abc")`, readArgs{deadlineArgs: sessionDeadline()}, st.read).As(dsl.Current),
		dsl.Method("Session", "readline", "str", `Read the next line, without its line ending. If unread output was dropped because the buffer was full, it fails and reads nothing.`,
			`s = spawn("echo one")
assert.eq(s.readline(), "one")`, readlineArgs{deadlineArgs: sessionDeadline()}, st.readline).As(dsl.Current),
	}
}

// quiet waits until nothing was written for a while. The unread output stays.
func (s *Session) quiet(c *dsl.Call, deadline time.Time, idle time.Duration, stream string) (*waiting, match.Result, error) {
	out, err := s.streamOf("wait_idle", stream)
	if err != nil {
		return nil, match.Result{}, err
	}
	set, err := s.compile(nil, false, stream)
	if err != nil {
		return nil, match.Result{}, err
	}
	w := &waiting{who: "wait_idle", session: s, out: out, set: set, began: s.st.Clock.Now(),
		want: match.Want{Set: set, Deadline: deadline, Idle: idle}}
	res, err := w.try(c)
	return w, res, err
}
