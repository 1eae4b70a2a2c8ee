package builtins

import (
	"context"
	"fmt"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/event"
	"omniexpect/internal/fault"
	"omniexpect/internal/match"
)

// tap lets expect() work on the text of an HTTP stream as it does on a session: what comes is pushed to a match stream.
type tap struct {
	name string
	in   *match.Pushed
	out  *match.Stream
	sets map[string]*match.Set
	said bool // that text was dropped
	done chan struct{}
}

// noteLost notes, once for a stream, that a script gets its text without a part of it.
func (t *tap) noteLost(st *State, lost int64) {
	if lost > 0 && !t.said {
		t.said = true
		st.note(fmt.Sprintf("expect from %s: %d bytes of unread text before it were dropped, for more than %d were unread", t.name, lost, match.DefaultLimit))
	}
}

// newTap returns a tap; the engine writes into in. Its owner calls follow, or drop where there is no stream.
func (st *State) newTap(name string) *tap {
	in := match.NewPushed()
	// The width is such that no line is wrapped: this is not a terminal.
	out := match.New(match.Config{Source: in, Rows: 1, Cols: 1 << 30, Clock: st.Clock, Piecemeal: st.Piecemeal})
	return &tap{name: name, in: in, out: out, sets: map[string]*match.Set{}, done: make(chan struct{})}
}

// follow ends the tap's text when the stream ends.
func (t *tap) follow(ended <-chan struct{}) {
	go func() {
		defer close(t.done)
		<-ended
		t.in.End()
		t.out.Exited()
	}()
}

// close waits until the text has ended, which it has once the stream is closed, and gives everything back.
func (t *tap) close() {
	<-t.done
	t.out.Close()
}

func (t *tap) drop() {
	t.in.End()
	close(t.done)
	t.out.Exited()
	t.close()
}

type tapArgs struct {
	Pattern Patterns `star:"pattern" doc:"a pattern, or a list of them"`
	deadlineArgs
}

// expect waits for a pattern in the text, which it consumes up to the end of the match.
func (t *tap) expect(st *State, c *dsl.Call, a tapArgs) (starlark.Value, error) {
	if a.Pattern.actions != nil {
		return nil, fault.New(fault.Usage, "expect: got a dict, want a pattern or a list: nothing can be sent to %s", t.name)
	}
	key := string(appendKey(nil, a.Pattern.list))
	if t.sets[key] == nil {
		set, err := st.compile("expect: ", a.Pattern.list, false)
		if err != nil {
			return nil, err
		}
		t.sets[key] = set
	}
	set := t.sets[key]
	began, limit := st.Clock.Now(), st.waitLimit(c, a.Timeout)
	want := match.Want{Set: set, Once: limit == 0}
	if limit >= 0 {
		want.Deadline = began.Add(limit)
	}
	what := fmt.Sprintf("expect %s from %s", st.patternNames(a.Pattern.list), t.name)
	span := st.begin(c, event.Wait{What: event.Text(what), Began: began, Deadline: want.Deadline})
	var res match.Result
	err := c.Wait(func(ctx context.Context) (err error) {
		res, err = t.out.Wait(ctx, want)
		return err
	})
	span.end(verdict(res, err), res.Index)
	if err != nil {
		return nil, err
	}
	if res.Index < 0 {
		kind, why := fault.Timeout, "not seen within "+fault.Human(limit)
		switch {
		case res.Why == match.AtEOF:
			kind, why = fault.EOF, "the stream has ended without it"
		case want.Once:
			why = "not in the text so far"
		}
		unread, lost := t.out.Unread(false)
		return nil, fault.New(kind, "%s: %s", what, why).WithDetail(st.seen(unread, lost, !t.out.Gone()))
	}
	m := st.matchValue(res, nil)
	t.noteLost(st, res.Missed)
	m.pattern, m.names, m.tap = a.Pattern.list[res.Index], set.Names(res.Index), t
	return m, nil
}
