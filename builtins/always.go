package builtins

import (
	"cmp"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/match"
)

type alwaysArgs struct {
	Pattern Patterns       `star:"pattern" doc:"a pattern or a list of them"`
	Action  starlark.Value `star:"action" type:"str or function" doc:"a text to send, or a function that is called with the match"`
	Limit   int            `star:"limit?,kw" doc:"how often the action may run; more is a failure"`
	whichArgs
}

// toServe returns where an always waits, and for what.
func (s *Session) toServe(a alwaysArgs) (*match.Stream, *match.Set, error) {
	if err := s.usable("always"); err != nil {
		return nil, nil, err
	}
	if a.Limit < 1 || a.Limit > 1_000_000 {
		return nil, nil, fault.New(fault.Usage, "always: limit=%d, want 1 to 1000000", a.Limit)
	}
	err := cmp.Or(a.Pattern.looksOnly("always", "the action is the second argument"),
		a.Pattern.without("always", "it is served for text that comes; expect waits for the end, a deadline and a full buffer",
			match.EOF, match.Timeout, match.Full))
	if err != nil {
		return nil, nil, err
	}
	if a.Action == starlark.None || actionable(a.Pattern.list[0], a.Action) != nil {
		return nil, nil, fault.New(fault.Usage, "always: action: got %s, want a text to send or a function", a.Action.Type())
	}
	out, err := s.streamOf("always", a.Stream)
	if err != nil {
		return nil, nil, err
	}
	set, err := s.st.compile("always: ", a.Pattern.list, s.raw)
	if err != nil {
		return nil, nil, err
	}
	if err := neverEmpty("always", a.Pattern.list, set); err != nil {
		return nil, nil, err
	}
	return out, set, nil
}

func (st *State) alwaysDo(c *dsl.Call, s *Session, a alwaysArgs) (starlark.Value, error) {
	out, set, err := s.toServe(a)
	if err != nil {
		return nil, err
	}
	w := &waiting{who: "always", session: s, out: out, patterns: a.Pattern.list, set: set}
	wt := &watcher{quit: make(chan struct{}), done: make(chan struct{}), more: make(chan struct{}, 1)}
	strand, cancel := c.Lasting(wt, alwaysStrand)
	wt.cancel = cancel
	wt.stop = out.Always(set, func(r match.Result) { wt.found(r, a.Limit) })
	s.always = append(s.liveWatchers(), wt)
	go func() {
		defer close(wt.done)
		defer cancel()
		defer strand.Done()
		for {
			select {
			case <-wt.more:
				for r, ok := wt.next(); ok && !wt.over(strand.Ctx); r, ok = wt.next() {
					wt.serve(&dsl.Call{Strand: strand, Func: c.Func}, w, r, a)
				}
			case <-wt.quit:
				return
			case <-strand.Ctx.Done():
				return
			}
		}
	}()
	return starlark.NewBuiltin("cancel", func(t *starlark.Thread, _ *starlark.Builtin, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		strand, err := dsl.StrandOf(t)
		if err != nil {
			return nil, err
		}
		wt.end(strand)
		return starlark.MakeInt(wt.served()), nil
	}), nil
}

// neverEmpty returns an error for a pattern that would be served without end.
func neverEmpty(who string, list []match.Pattern, set *match.Set) error {
	for i, p := range list {
		if set.Empty(i) {
			return fault.New(fault.Usage, "%s: %s may match the empty text, so it would match for ever: name the text to wait for", who, p)
		}
	}
	return nil
}

func (wt *watcher) serve(c *dsl.Call, w *waiting, r match.Result, a alwaysArgs) {
	wt.mu.Lock()
	wt.count++
	n := wt.count
	wt.mu.Unlock()
	var err error
	if n > a.Limit {
		wt.stop()
		err = fault.New(fault.Fail, "always %s: served %d times, which is its limit", w.session.st.patternNames(w.patterns), a.Limit)
	} else {
		err = c.Strand.Run(func(*starlark.Thread) error {
			_, err := w.act(c, w.result(r), a.Action)
			return err
		})
	}
	if err != nil && c.Ctx.Err() == nil {
		wt.mu.Lock()
		wt.err = err
		wt.mu.Unlock()
		if ends(err) {
			c.Host.Leave(err)
		}
		w.session.failWait(err)
	}
}

func (st *State) alwaysMethods() []*dsl.Func {
	return []*dsl.Func{
		dsl.Method("Session", "always", "function", `Act on a pattern whenever it appears from now on, also while the script waits for something else. The action is a text to send, or a function that is called with the match. Nothing is consumed. Matches of one pattern, or of one list, are handled in the order of the output; patterns of separate calls do not wait for each other. exit() in the function ends the run. Returns a function that stops this and returns how often the action ran.`,
			`s = spawn(["sh", "-c", "echo 'Press any key'; read x; echo done"])
stop = s.always("any key", "\r")
s.expect("done")
assert.eq(stop(), 1)`, alwaysArgs{Limit: 1000}, st.alwaysDo).As(dsl.Current),
	}
}
