package builtins

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"go.starlark.net/starlark"

	"omniexpect/internal/event"
	"omniexpect/internal/fault"
	"omniexpect/internal/match"
	"omniexpect/internal/usertty"
)

// guarded turns a panic of a pump into an error, so that the terminal is given back.
func guarded(ctx context.Context, pump func(context.Context) handled) (h handled) {
	defer func() {
		if p := recover(); p != nil {
			h = handled{err: fault.Panicked(p)}
		}
	}()
	return pump(ctx)
}

// typingPatience is how long a program may take to read what is typed, before the bell says that it does not.
const typingPatience = time.Second

// send sends to the program, and returns what it has not got because the context has ended.
func (it *interaction) send(ctx context.Context, p []byte) (unsent []byte) {
	if len(p) == 0 {
		return nil
	}
	it.s.emitInput(nil, event.In{Text: string(p), By: "person"})
	n, err := it.s.SendPart(ctx, p, typingPatience, true)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return p[n:]
	case fault.KindOf(err) == fault.Timeout:
		it.tty.Write([]byte{7})
	}
	return nil
}

// flush sends what the program is to get of what was typed, and reports whether it has all of it.
func (it *interaction) flush(ctx context.Context) bool {
	it.unsent = it.send(ctx, it.unsent)
	return len(it.unsent) == 0
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
			return handled{gone: true}
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
	defer it.tty.StopAt(ctx)()
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
	it.tty.Rearm()
	defer it.tty.StopAt(ctx)()
	io.WriteString(it.tty, it.modes.leave())
}

// take passes on what the user types.
func (it *interaction) take(ctx context.Context) handled {
	buf := make([]byte, 4096)
	for {
		if h, done := it.look(ctx); done {
			return h
		}
		hold := time.Duration(0)
		if it.typed.Pause() {
			hold = showIdle
		}
		n, err := it.tty.Read(buf, hold)
		switch {
		case errors.Is(err, usertty.ErrQuiet):
			it.unsent = append(it.unsent, it.typed.Release()...)
		case errors.Is(err, usertty.ErrWoken) && ctx.Err() != nil:
			return handled{err: ctx.Err()}
		case errors.Is(err, usertty.ErrWoken):
			it.tty.Rearm()
		case errors.Is(err, io.EOF):
			return handled{err: fault.New(fault.Env, "interact: your terminal is gone: %w", os.ErrClosed)}
		case err != nil:
			return handled{err: fault.New(fault.Env, "interact: your terminal is gone: %w", err)}
		}
		it.pending = append(it.pending, buf[:n]...)
	}
}

// look looks for patterns in what was typed, until the script has to take over for one. What comes before a match is sent
// before anything is done for it, and where that has to wait the match does too.
func (it *interaction) look(ctx context.Context) (h handled, done bool) {
	for {
		if !it.flush(ctx) {
			return handled{err: context.Canceled}, true
		}
		if len(it.pending) == 0 {
			return handled{}, false
		}
		pass, hit, rest := it.typed.Feed(it.pending)
		it.pending = rest
		it.unsent = append(it.unsent, pass...)
		if hit == nil {
			continue
		}
		if !it.flush(ctx) {
			it.pending = append(hit.Raw, rest...)
			return handled{err: context.Canceled}, true
		}
		action := it.onInput[hit.Index]
		switch action.(type) {
		case nil:
			return handled{over: true, typed: hit.Raw}, true
		case starlark.Callable:
			m := it.s.st.matchValue(match.Result{Text: hit.Groups[0], Groups: hit.Groups[1:], Index: hit.Index - 1}, it.s)
			return handled{action: action, m: m, typed: hit.Raw}, true
		}
		it.unsent = []byte(it.s.st.Mask.Resolve(textOf(action)))
	}
}
