package builtins

import (
	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/match"
)

func (st *State) expect(c *dsl.Call, s *Session, a expectArgs) (starlark.Value, error) {
	w, err := s.waitingFor(c, "expect", a.Pattern.list, a.waitingArgs)
	if err != nil {
		return nil, err
	}
	var late cutoff
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

type eofArgs struct {
	deadlineArgs
	whichArgs
}

func (st *State) expectEOF(c *dsl.Call, s *Session, a eofArgs) (starlark.Value, error) {
	w, err := s.waiting(c, "expect_eof", []match.Pattern{{Kind: match.EOF}}, a.Timeout, viewArgs{whichArgs: a.whichArgs})
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
assert.eq(m.index, 1)`, expectDefaults(), st.expect).As(dsl.Current),
		dsl.Method("Session", "expect_eof", "str", `Wait until the program has ended and all its output is read. Returns the text that was unread.`,
			`s = spawn("echo bye")
assert.eq(s.expect_eof(), "bye\n")`, eofArgs{deadlineArgs: sessionDeadline()}, st.expectEOF).As(dsl.Current),
	}
}
