package builtins

import (
	"sync"

	"go.starlark.net/starlark"

	"omniexpect/internal/fault"
	"omniexpect/internal/keys"
	"omniexpect/internal/match"
)

// prepare reads the patterns. cancel ends looking for those of the output.
func (it *interaction) prepare(a interactArgs) (cancel func(), err error) {
	cancel = func() {}
	if it.none, err = match.Compile(nil, true); err != nil {
		return cancel, err
	}
	if a.Until != "" {
		texts, err := keys.Forms(a.Until)
		if err != nil {
			return cancel, fault.New(fault.Usage, "interact: until: %w", err)
		}
		for _, text := range texts {
			it.typed.AddText(text, len(it.onInput))
		}
	}
	it.onInput = append(it.onInput, nil) // the key's
	if a.OnInput != nil {
		var p Patterns
		if err := it.actions(&p, a.OnInput, "on_input"); err != nil {
			return cancel, err
		}
		for i, one := range p.list {
			if err := it.typed.Add(one, len(it.onInput)); err != nil {
				return cancel, fault.New(fault.Usage, "interact: on_input: %w", err)
			}
			it.onInput = append(it.onInput, p.actions[i])
		}
	}
	if a.On == nil || a.On.Len() == 0 {
		return cancel, nil
	}
	var p Patterns
	if err := it.actions(&p, a.On, "on"); err != nil {
		return cancel, err
	}
	set, err := it.s.compile(p.list, it.s.raw, stdout)
	if err != nil {
		return cancel, err
	}
	if err := neverEmpty("interact: on", p.list, set); err != nil {
		return cancel, err
	}
	it.onOutput = p.actions
	it.outputs = &waiting{who: "interact", session: it.s, out: it.s.Out, patterns: p.list, set: set}
	return it.s.Out.Always(set, it.hits.add), nil
}

func (it *interaction) actions(p *Patterns, d *starlark.Dict, which string) error {
	if d.Len() == 0 {
		return nil
	}
	if err := p.Unpack(d); err != nil {
		return fault.New(fault.Usage, "interact: %s: %w", which, err)
	}
	for i, one := range p.list {
		if one.Outcome() {
			return fault.New(fault.Usage, "interact: %s: %s is not a text: interact ends by itself when the program ends", which, one)
		}
		switch p.actions[i].(type) {
		case starlark.String, starlark.Bytes, secretValue, starlark.Callable:
		default:
			return fault.New(fault.Usage, "interact: %s: the action for %s is %s, want a text to send or a function", which, one,
				p.actions[i].Type())
		}
	}
	return nil
}

// hitQueue keeps the matches of the output until they are served.
type hitQueue struct {
	more chan struct{} // says that there are some

	mu   sync.Mutex
	list []match.Result
	full bool
}

// maxHits bounds what is kept.
const maxHits = 100_000

func (q *hitQueue) add(r match.Result) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) >= maxHits {
		q.full = true
		return
	}
	q.list = append(q.list, r)
	q.tell()
}

func (q *hitQueue) tell() {
	select {
	case q.more <- struct{}{}:
	default:
	}
}

// again reports once more what is not served yet.
func (q *hitQueue) again() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) > 0 {
		q.tell()
	}
}

// next takes the oldest match out.
func (q *hitQueue) next() (r match.Result, ok bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.full:
		return r, false, fault.New(fault.Fail, "interact: on: more than %d matches came before their actions could run", maxHits)
	case len(q.list) == 0:
		return r, false, nil
	}
	r = q.list[0]
	q.list[0] = match.Result{}
	q.list = q.list[1:]
	return r, true, nil
}
