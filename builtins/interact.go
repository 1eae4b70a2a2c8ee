package builtins

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"go.starlark.net/starlark"
	"golang.org/x/term"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/keys"
	"omniexpect/internal/mask"
	"omniexpect/internal/match"
	"omniexpect/internal/usertty"
)

type interactArgs struct {
	Until   string         `star:"until?" doc:"the key that returns the terminal to the script; \"\" for none"`
	On      *starlark.Dict `star:"on?,kw" type:"dict" doc:"patterns of the output, to actions: a text is sent; a function is called with the match, and if it returns something other than None, interact ends and returns that"`
	OnInput *starlark.Dict `star:"on_input?,kw" type:"dict" doc:"the same for what is typed; the program does not get what matched"`
}

// interaction is one call of interact.
type interaction struct {
	s   *Session
	tty *usertty.TTY
	out *mask.Writer // to the terminal, through modes

	modes ttyModes

	onOutput []starlark.Value
	onInput  []starlark.Value
	outputs  *waiting
	hits     hitQueue
	typed    keys.Filter
	pending  []byte    // typed, and not looked at yet
	unsent   []byte    // typed, and the program's, which has not got it yet
	todo     []handled // what has come up and is not done yet
	gone     bool      // the program's output has ended
	none     *match.Set
	entered  bool // the session has had the terminal
	resumed  bool // we were stopped, and go on

	rows, cols int // what the program gets back once it draws again
}

// handled is why the terminal was taken back from the user.
type handled struct {
	action starlark.Value // what to do with m, or nil
	m      *matchValue
	typed  []byte // the keys that ask for it
	over   bool   // interact ends
	gone   bool   // the program's output has ended
	stop   bool   // a signal asks us to stop
	err    error
}

func (st *State) interact(c *dsl.Call, s *Session, a interactArgs) (_ starlark.Value, err error) {
	if err := s.usable("interact"); err != nil {
		return nil, err
	}
	if !s.HasTerminal() {
		return nil, fault.New(fault.Usage, "interact: %s has no terminal to join with yours: it was spawned with pty=False", s.Name)
	}
	in, out := st.UserIn, st.UserOut
	if in == nil {
		in, out = os.Stdin, os.Stdout
	}
	tty, err := openUserTTY(in, out)
	if err != nil {
		return nil, err
	}
	defer tty.Close()
	st.takeStops()
	it := &interaction{s: s, tty: tty, hits: hitQueue{more: make(chan struct{}, 1)}, typed: keys.NewFilter(), pending: st.typedAhead}
	st.typedAhead = nil
	it.modes.to = tty
	it.out = st.Mask.Writer(&it.modes)
	cancel, err := it.prepare(a)
	if err != nil {
		return nil, err
	}
	defer cancel()
	s.Handed.Store(true)
	defer s.Handed.Store(false)
	rows, cols := s.Rows, s.Cols
	defer func() { s.Resize(rows, cols) }()
	defer it.leave()
	defer it.giveUp(c)
	for {
		var h handled
		err := c.Wait(func(ctx context.Context) error {
			h = it.attended(ctx)
			return h.err
		})
		if err != nil {
			return nil, err
		}
		switch {
		case h.over:
			return starlark.None, nil
		case h.stop:
			it.halt()
			continue
		}
		v, err := c.Invoke(h.action, h.m)
		if err != nil {
			return nil, err
		}
		if _, again := v.(continueValue); v != starlark.None && !again {
			return v, nil
		}
	}
}

// openUserTTY takes the user's terminal.
func openUserTTY(in, out *os.File) (*usertty.TTY, error) {
	for _, f := range []struct {
		file *os.File
		name string
	}{{in, "standard input"}, {out, "standard output"}} {
		if f.file == nil || !term.IsTerminal(int(f.file.Fd())) {
			return nil, fault.New(fault.Env, "interact: there is no terminal to hand over: %s is not one, as under cron, in CI or "+
				"behind a pipe", f.name)
		}
	}
	t, err := usertty.New(int(in.Fd()), int(out.Fd()))
	if err != nil {
		return nil, fault.New(fault.Env, "interact: %w", err)
	}
	return t, nil
}

// attended joins the user's terminal with the session's until something is to be done, and gives it back in the modes
// it had, whatever happens.
func (it *interaction) attended(ctx context.Context) handled {
	if h, is := it.due(ctx); is {
		return h
	}
	it.tty.Rearm()
	if !it.s.st.attended.CompareAndSwap(nil, it.s) {
		return handled{err: fault.New(fault.Usage, "interact: there is only one terminal to join, and %s has joined it already: hand over one "+
			"session after the other", it.s.st.attended.Load().Name)}
	}
	defer it.s.st.attended.Store(nil)
	winch, cont := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(winch, syscall.SIGWINCH)
	defer signal.Stop(winch)
	signal.Notify(cont, syscall.SIGCONT)
	defer signal.Stop(cont)
	if err := it.tty.Raw(); err != nil {
		return handled{err: fault.New(fault.Env, "interact: the terminal cannot be made raw: %w", err)}
	}
	defer it.tty.Restore()
	if !it.entered {
		it.entered = true
		it.enter()
	}
	it.follow()
	var redrawn <-chan time.Time
	if it.resumed {
		it.resumed = false
		redrawn = it.redraw()
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := it.tty.StopAt(inner)
	ends := make(chan handled, 2)
	var pumps sync.WaitGroup
	for _, pump := range []func(context.Context) handled{it.show, it.take} {
		pumps.Go(func() { ends <- guarded(inner, pump) })
	}
	for !it.gone && len(it.todo) == 0 && ctx.Err() == nil {
		select {
		case h := <-ends:
			it.note(h)
		case <-it.hits.more:
			if h, done := it.serve(inner); done {
				it.note(h)
			}
		case <-winch:
			it.follow()
		case <-it.s.st.stops:
			it.note(handled{stop: true})
		case <-cont: // a shell had the terminal meanwhile
			it.tty.Raw()
			it.follow()
			redrawn = it.redraw()
		case <-redrawn:
			redrawn = nil
			it.ownSize()
		case <-ctx.Done():
		}
	}
	if redrawn != nil {
		it.ownSize()
	}
	cancel()
	pumps.Wait()
	stop()
	it.tty.Rearm()
	if ctx.Err() != nil {
		return handled{err: ctx.Err()}
	}
	it.last()
	close(ends)
	for h := range ends { // both may have something
		it.note(h)
	}
	it.hits.again()
	h, _ := it.due(ctx)
	return h
}

// note keeps what has come up. That a pump was told to end is nothing.
func (it *interaction) note(h handled) {
	switch {
	case errors.Is(h.err, context.Canceled), errors.Is(h.err, usertty.ErrWoken):
	case h.gone:
		it.gone = true
	default:
		it.todo = append(it.todo, h)
	}
}

// due returns what is to be done before the terminals are joined again: what has come up, and where the program is gone what
// its output and the keys still ask for, and then its end.
func (it *interaction) due(ctx context.Context) (h handled, is bool) {
	if len(it.todo) > 0 {
		h, it.todo = it.todo[0], it.todo[1:]
		return h, true
	}
	if !it.gone {
		return handled{}, false
	}
	if h, is = it.serve(ctx); is {
		return h, true
	}
	if h, is = it.look(ctx); is {
		return h, true
	}
	return handled{over: true}, true
}

// giveUp leaves what was typed, and not done, to the next reader of the terminal, and what was held back to the program.
func (it *interaction) giveUp(c *dsl.Call) {
	var ahead []byte
	for _, h := range it.todo {
		ahead = append(ahead, h.typed...)
	}
	it.s.st.typedAhead = append(ahead, it.pending...)
	it.unsent = append(it.unsent, it.typed.Release()...)
	if len(it.unsent) > 0 && !it.gone {
		c.Wait(func(ctx context.Context) error { it.flush(ctx); return nil })
	}
}

// halt stops us as a signal asked for, with the terminal given back meanwhile.
func (it *interaction) halt() {
	it.leave()
	it.modes.keys = 0
	usertty.StopProcess()
	io.WriteString(it.tty, it.modes.enter())
	it.resumed = true
}

// redrawDelay is how long a program has to notice the other size by which it is asked to draw its screen again.
const redrawDelay = 50 * time.Millisecond

// redraw has the program draw its screen again after somebody else had the user's terminal: it gets another size, and its
// own again when the channel says so. Programs draw nothing for a size that they know already.
func (it *interaction) redraw() <-chan time.Time {
	it.rows, it.cols = it.s.Rows, it.s.Cols
	other := it.rows - 1
	if other == 0 {
		other = 2
	}
	it.s.Resize(other, it.cols)
	return time.After(redrawDelay)
}

// ownSize ends what redraw has begun.
func (it *interaction) ownSize() {
	it.s.Resize(it.rows, it.cols)
	it.follow() // the window may have changed meanwhile
}

// serve does what the matches of the output ask for, until the script has to take over for one.
func (it *interaction) serve(ctx context.Context) (h handled, done bool) {
	for !done && ctx.Err() == nil {
		r, ok, err := it.hits.next()
		switch {
		case err != nil:
			return handled{err: err}, true
		case !ok:
			return h, false
		}
		h, done = it.act(ctx, it.outputs.result(r), it.onOutput[r.Index])
	}
	return h, done
}

// follow gives the session's terminal the size of the user's window.
func (it *interaction) follow() {
	if rows, cols := it.tty.Size(); rows > 0 && cols > 0 && (rows != it.s.Rows || cols != it.s.Cols) {
		it.s.Resize(rows, cols)
	}
}

// act does what a pattern of the output asks for, and reports whether the script has to take over for that.
func (it *interaction) act(ctx context.Context, m *matchValue, action starlark.Value) (h handled, done bool) {
	if _, calls := action.(starlark.Callable); calls {
		return handled{action: action, m: m}, true
	}
	it.send(ctx, []byte(it.s.st.Mask.Resolve(textOf(action))))
	return handled{}, false
}

type mirrorArgs struct {
	On bool `star:"on?" doc:"False ends it"`
}

func (st *State) mirror(_ *dsl.Call, s *Session, a mirrorArgs) (starlark.Value, error) {
	if st.Mirror != nil {
		st.Mirror(s.Name, a.On)
	}
	return starlark.None, nil
}

func (st *State) interactMethods() []*dsl.Func {
	return []*dsl.Func{
		dsl.Method("Session", "interact", "any", fmt.Sprintf(`Hand the session over to the person at the terminal, until a key, until the program ends, or until an action returns something. Unread output is shown first; the session gets the size of the window and follows it. Secrets stay hidden.

What a pattern of on_input matched does not reach the program, whatever kind of pattern it is, and its action runs once. What may still become a match is held back, however long the person takes, so the program neither gets nor shows it yet; if it begins with Esc, only for an instant. A pattern without an end, such as .*x, holds back 4096 bytes at most, and what takes nearly every character, as the dot and [^x] do, takes no control key such as Ctrl-C. A match counts as soon as it is complete: of "ab" and "abc" the second never comes. Enter is \n or \r in a pattern, ^ and $ are the ends of a line that is typed. When interact ends, what is held back goes to the program. What was typed after the key that ended it goes to the next interact() or ask_user().

The terminal gets its modes back whatever happens, also while a function of on= runs; the alternate screen, a hidden cursor and what else the program has switched in it go at the end. Without a terminal that is a failure of kind %q.`, fault.Env),
			`def by_hand():
    s = spawn("bash", env = {"HISTFILE": ""})
    s.interact(on = {r"logout\n": lambda m: "left"})

assert.eq(type(by_hand), "function")`, interactArgs{Until: "ctrl-]"}, st.interact).As(dsl.Current),
		dsl.Method("Session", "mirror", "None", `Show on standard error what the session writes, as it comes, with secrets hidden. The flag -v does so for all sessions.`,
			`s = spawn("echo hello")
s.mirror()
s.expect_eof()
s.mirror(False)`, mirrorArgs{On: true}, st.mirror).As(dsl.Current),
	}
}
