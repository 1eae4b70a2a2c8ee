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
	"omniexpect/internal/mask"
	"omniexpect/internal/match"
)

type interactArgs struct {
	Until   string         `star:"until?" doc:"the key that gives the terminal back to the script; \"\" for none"`
	On      *starlark.Dict `star:"on?,kw" type:"dict" doc:"patterns of the output and what to do: a text is sent, a function gets the match, and what it returns other than None ends interact and is its value"`
	OnInput *starlark.Dict `star:"on_input?,kw" type:"dict" doc:"patterns of what is typed, likewise; the program does not get a text that matched"`
}

// interaction is one call of interact.
type interaction struct {
	s   *Session
	tty *userTTY
	out *mask.Writer // to the terminal, through modes

	modes ttyModes

	onOutput []starlark.Value
	onInput  []starlark.Value
	outputs  *waiting
	hits     hitQueue
	typed    typed
	pending  []byte // typed, and not looked at yet
	none     *match.Set
	entered  bool // the session has had the terminal
	resumed  bool // we were stopped, and go on

	rows, cols int // what the program gets back once it draws again
}

// handled is why the terminal was taken back from the user.
type handled struct {
	action starlark.Value // what to do with m, or nil
	m      *matchValue
	over   bool // the program's end, or the key
	stop   bool // a signal asks us to stop
	err    error
}

func (st *State) interact(c *dsl.Call, s *Session, a interactArgs) (_ starlark.Value, err error) {
	if err := s.usable("interact"); err != nil {
		return nil, err
	}
	if s.Pipes {
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
	defer tty.close()
	st.takeStops()
	it := &interaction{s: s, tty: tty, hits: hitQueue{more: make(chan struct{}, 1)}}
	it.modes.to = tty
	it.out = st.Mask.Writer(&it.modes)
	cancel, err := it.prepare(a)
	if err != nil {
		return nil, err
	}
	defer cancel()
	if s.show != nil && term.IsTerminal(int(os.Stderr.Fd())) { // it would stand there twice
		s.Tap(st.tee(s.Name, nil))
		defer func() { s.Tap(st.tee(s.Name, s.show)) }()
	}
	rows, cols := s.Rows, s.Cols
	defer func() { s.Resize(rows, cols) }()
	defer it.leave()
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

// attended joins the user's terminal with the session's until something is to be done, and gives it back in the modes
// it had, whatever happens.
func (it *interaction) attended(ctx context.Context) (h handled) {
	it.tty.rearm()
	if !it.s.st.attended.CompareAndSwap(nil, it.s) {
		return handled{err: fault.New(fault.Usage, "interact: a person has one terminal, and %s is joined with it already: hand over one "+
			"session after the other", it.s.st.attended.Load().Name)}
	}
	defer it.s.st.attended.Store(nil)
	winch, cont := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(winch, syscall.SIGWINCH)
	defer signal.Stop(winch)
	signal.Notify(cont, syscall.SIGCONT)
	defer signal.Stop(cont)
	if err := it.tty.raw(); err != nil {
		return handled{err: err}
	}
	defer it.tty.cooked()
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
	defer it.tty.stopAt(inner)()
	events := make(chan handled, 2)
	var pumps sync.WaitGroup
	for _, pump := range []func(context.Context) handled{it.show, it.take} {
		pumps.Go(func() { events <- guarded(inner, pump) })
	}
	for done := false; !done; {
		select {
		case h = <-events:
			done = true
		case <-it.hits.more:
			h, done = it.serve(inner)
		case <-winch:
			it.follow()
		case <-it.s.st.stops:
			h, done = handled{stop: true}, true
		case <-cont: // whoever stopped us had the terminal meanwhile
			it.tty.raw()
			it.follow()
			redrawn = it.redraw()
		case <-redrawn:
			redrawn = nil
			it.ownSize()
		case <-ctx.Done():
			h, done = handled{err: ctx.Err()}, true
		}
	}
	if redrawn != nil {
		it.ownSize()
	}
	cancel()
	it.tty.interrupt()
	pumps.Wait()
	it.tty.rearm()
	if ctx.Err() == nil {
		it.last()
	}
	it.hits.again()
	return h
}

// halt stops us as a signal asked for, with the terminal given back meanwhile.
func (it *interaction) halt() {
	it.leave()
	it.modes.keys = 0
	stopHere()
	io.WriteString(it.tty, it.modes.enter())
	it.resumed = true
}

// redrawSoon is how long a program has to notice the other size by which it is asked to draw its screen again.
const redrawSoon = 50 * time.Millisecond

// redraw has the program draw its screen again after somebody else had the user's terminal: it gets another size, and its
// own again when the channel says so. Programs draw nothing for a size that they know already.
func (it *interaction) redraw() <-chan time.Time {
	it.rows, it.cols = it.s.Rows, it.s.Cols
	other := it.rows - 1
	if other == 0 {
		other = 2
	}
	it.s.Resize(other, it.cols)
	return time.After(redrawSoon)
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

// guarded turns a panic of a pump into an error, so that the terminal is given back.
func guarded(ctx context.Context, pump func(context.Context) handled) (h handled) {
	defer func() {
		if p := recover(); p != nil {
			h = handled{err: fault.Panicked(p)}
		}
	}()
	return pump(ctx)
}

// follow gives the session's terminal the size of the user's window.
func (it *interaction) follow() {
	if rows, cols := it.tty.size(); rows > 0 && cols > 0 && (rows != it.s.Rows || cols != it.s.Cols) {
		it.s.Resize(rows, cols)
	}
}

// act does what a pattern asks for, and says whether the script has to take over for that.
func (it *interaction) act(ctx context.Context, m *matchValue, action starlark.Value) (h handled, done bool) {
	if action == nil {
		return handled{over: true}, true
	}
	if _, calls := action.(starlark.Callable); calls {
		return handled{action: action, m: m}, true
	}
	it.send(ctx, []byte(it.s.st.Mask.Resolve(textOf(action))))
	return handled{}, false
}

// typingPatience is how long a program may take to read what is typed, before the bell says that it does not.
const typingPatience = time.Second

func (it *interaction) send(ctx context.Context, p []byte) {
	if len(p) == 0 {
		return
	}
	if err := it.s.Send(ctx, p, typingPatience, true); fault.KindOf(err) == fault.Timeout && err != nil {
		it.tty.Write([]byte{7})
	}
}

// show passes output on to the user, beginning with what is unread. What was shown is read.
func (it *interaction) show(ctx context.Context) handled {
	s := it.s
	want := match.Want{Set: it.none, Count: 1, Peek: true}
	for {
		res, err := s.Out.Wait(ctx, want)
		switch {
		case errors.Is(err, match.ErrBusy):
			return handled{err: s.busy("", "interact", s.Name)}
		case err != nil:
			return handled{err: err}
		case res.Why == match.Matched:
			if err := it.pass(res.Start); err != nil {
				return handled{err: err}
			}
			want.Idle = showIdle
		case res.Why == match.WentIdle:
			it.out.Flush()
			want.Idle = 0
		default:
			it.out.Flush()
			return handled{over: true}
		}
	}
}

// showIdle is how long what may be the beginning of a secret is kept from the screen.
const showIdle = 50 * time.Millisecond

func (it *interaction) pass(from int64) error {
	text, _ := it.s.Out.Unread(true)
	it.s.Out.Consume(true, match.Result{End: from + int64(len(text))})
	_, err := it.out.Write(text)
	return err
}

// last shows what came while the terminal was taken back, and leaves the cursor at the beginning of a line.
func (it *interaction) last() {
	ctx, cancel := context.WithTimeout(context.Background(), showIdle)
	defer cancel()
	defer it.tty.stopAt(ctx)()
	it.tty.Write(nil) // what was being shown
	if res, err := it.s.Out.Wait(ctx, match.Want{Set: it.none, Count: 1, Peek: true, Once: true}); err == nil && res.Why == match.Matched {
		it.pass(res.Start)
	}
	it.out.Flush()
	it.s.handed.Store(it.s.Out.End(false))
	io.WriteString(it.tty, "\r\n")
}

// enter switches the user's terminal to what the program has switched its own to, in the output that was read already.
func (it *interaction) enter() {
	unread, _ := it.s.Out.Unread(true)
	all, _ := it.s.Out.Output(true)
	it.modes.note(all[:max(0, len(all)-len(unread))])
	it.modes.keys = 0 // those were never the user's terminal's
	io.WriteString(it.tty, it.modes.enter())
}

// leave puts back what the program has switched in the user's terminal.
func (it *interaction) leave() {
	if !it.entered {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), showIdle)
	defer cancel()
	it.tty.rearm()
	defer it.tty.stopAt(ctx)()
	io.WriteString(it.tty, it.modes.leave())
}

// take passes on what the user types.
func (it *interaction) take(ctx context.Context) handled {
	buf := make([]byte, 4096)
	for {
		for len(it.pending) > 0 {
			pass, hit, groups, rest := it.typed.feed(it.pending)
			it.pending = rest
			it.send(ctx, pass)
			if hit < 0 {
				continue
			}
			m := it.s.st.matchValue(match.Result{Text: groups[0], Groups: groups[1:], Index: max(hit-1, 0)}, it.s)
			if h, done := it.act(ctx, m, it.onInput[hit]); done {
				return h
			}
		}
		hold := time.Duration(0)
		if len(it.typed.held) > 0 && it.typed.held[0] == 0x1b {
			hold = showIdle // the Esc key by itself, or the beginning of another one
		}
		p, err := it.tty.read(buf, hold)
		switch {
		case errors.Is(err, errQuiet):
			it.send(ctx, it.typed.release())
		case errors.Is(err, errWoken):
			return handled{err: ctx.Err()}
		case err != nil:
			return handled{err: fault.New(fault.Env, "interact: your terminal is gone: %w", err)}
		}
		it.pending = append(it.pending, p...)
	}
}

type mirrorArgs struct {
	On bool `star:"on?" doc:"False ends it"`
}

func (st *State) mirror(_ *dsl.Call, s *Session, a mirrorArgs) (starlark.Value, error) {
	if st.Mirror == nil {
		return starlark.None, nil
	}
	s.show = nil
	if a.On {
		s.show = st.Mirror
	}
	s.Tap(st.tee(s.Name, s.show))
	return starlark.None, nil
}

func (st *State) interactMethods() []*dsl.Func {
	return []*dsl.Func{
		dsl.Method("Session", "interact", "any", fmt.Sprintf(`Hand the session over to the person at the terminal, until a key, until the program ends, or until an action returns something. Unread output is shown first; the session gets the size of the window and follows it. Secrets stay hidden. The terminal gets its modes back whatever happens, also while a function of on= runs; the alternate screen, a hidden cursor and what else the program has switched in it go at the end. Without a terminal that is a failure of kind %q.`, fault.Env),
			`def by_hand():
    s = spawn("bash", env = {"HISTFILE": ""})
    s.interact(on = {r"logout\n": lambda m: "left"})

assert.eq(type(by_hand), "function")`, interactArgs{Until: "ctrl-]"}, st.interact),
		dsl.Method("Session", "mirror", "None", `Show on standard error what the session writes, as it comes, with secrets hidden. The option -v does that for all sessions.`,
			`s = spawn("echo hello")
s.mirror()
s.expect_eof()
s.mirror(False)`, mirrorArgs{On: true}, st.mirror),
	}
}
