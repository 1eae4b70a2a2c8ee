package dsl

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"omniexpect/internal/clock"
	"omniexpect/internal/event"
	"omniexpect/internal/fault"
	"omniexpect/internal/mask"
)

// Host is one run, as its builtins see it.
type Host struct {
	Lock     sync.Mutex // held while Starlark of this run executes
	MainFile string     // the script's file name, as positions have it
	AlsoMain []string   // more files that count as the script: what an interactive session has run
	Print    func(text string)
	PrintRaw func(text string) // likewise, where control characters shall stay what they are; nil: as Print
	Events   *event.Log        // what happens in the run; nil if nobody wants to know
	Clock    clock.Clock       // what the run takes the time from
	Mask     *mask.Masker      // the run's secrets; nil without any
	Load     func(*starlark.Thread, string) (starlark.StringDict, error)

	life     context.Context
	leave    context.CancelCauseFunc
	deferred []Deferred
}

// Begin sets how long things live that outlast the call that made them: as long as the context, which Leave does not end. The
// context that it returns, for the script itself, is ended by Leave as well. Whoever executes something on the host calls it
// first, and back at the end.
func (h *Host) Begin(ctx context.Context) (script context.Context, back func()) {
	script, leave := context.WithCancelCause(ctx)
	h.Lock.Lock()
	defer h.Lock.Unlock()
	life, left := h.life, h.leave
	h.life, h.leave = ctx, leave
	return script, func() {
		h.Lock.Lock()
		h.life, h.leave = life, left
		h.Lock.Unlock()
		leave(nil)
	}
}

// Life is what Begin was told. The lock is held.
func (h *Host) Life() context.Context {
	if h.life == nil {
		return context.Background()
	}
	return h.life
}

// Leave ends the script, whatever it waits for, with an exit() on a strand that nobody waits for.
func (h *Host) Leave(exit error) {
	h.Lock.Lock()
	defer h.Lock.Unlock()
	if h.leave != nil {
		h.leave(exit)
	}
}

// Deferred is a call that is made when the run ends.
type Deferred struct {
	Fn     starlark.Callable
	Args   starlark.Tuple
	Kwargs []starlark.Tuple
	Pos    syntax.Position
}

// Defer notes a call for the end of the run. The lock is held.
func (h *Host) Defer(d Deferred) { h.deferred = append(h.deferred, d) }

// SwapDeferred sets the calls that are made at the end, for a part of the run that has its own. The lock is held.
func (h *Host) SwapDeferred(list []Deferred) (before []Deferred) {
	before, h.deferred = h.deferred, list
	return before
}

// TakeDeferred returns the deferred calls, last one first, and forgets them.
func (h *Host) TakeDeferred() []Deferred {
	h.Lock.Lock()
	defer h.Lock.Unlock()
	out := make([]Deferred, 0, len(h.deferred))
	for i := len(h.deferred) - 1; i >= 0; i-- {
		out = append(out, h.deferred[i])
	}
	h.deferred = nil
	return out
}

// Strand is one line of execution of a run: the main script, a parallel branch, a handler. It has a thread of its own.
type Strand struct {
	Host     *Host
	Ctx      context.Context
	Thread   *starlark.Thread
	Current  any       // the current session of this strand
	Deadline time.Time // no wait inside lasts longer; the zero time is no deadline

	Depth int // of branches in branches
	stop  func() bool
}

const strandKey = "omniexpect.strand"

// NewStrand makes a thread that stops when the context ends. Done has to be called when it is not used any more.
func (h *Host) NewStrand(ctx context.Context, name string) *Strand {
	t := &starlark.Thread{Name: name, Load: h.Load}
	t.Print = func(_ *starlark.Thread, msg string) { h.Print(msg) }
	s := &Strand{Host: h, Ctx: ctx, Thread: t}
	t.SetLocal(strandKey, s)
	s.stop = context.AfterFunc(ctx, func() { t.Cancel("interrupted") })
	return s
}

// Done releases what a strand holds.
func (s *Strand) Done() { s.stop() }

// Run executes f under the lock. A panic in it is an error like any other.
func (s *Strand) Run(f func(*starlark.Thread) error) (err error) {
	s.Host.Lock.Lock()
	defer s.Host.Lock.Unlock()
	defer func() {
		if p := recover(); p != nil {
			err = fault.Panicked(p)
		}
	}()
	return f(s.Thread)
}

// Branch returns a strand for another goroutine, which begins with the same current session.
func (s *Strand) Branch(ctx context.Context, name string) *Strand {
	b := s.Host.NewStrand(ctx, name)
	b.Current, b.Deadline, b.Depth = s.Current, s.Deadline, s.Depth+1
	return b
}

// owned is the key under which the context of a lasting strand, and of what it branches into, knows its owner.
type owned struct{ owner any }

// Lasting returns a strand for what goes on after the strand that makes it, which may be a branch that ends soon, or wait
// under a deadline. It lasts until cancel is called or the run is interrupted. The lock is held.
func (s *Strand) Lasting(owner any, name string) (b *Strand, cancel context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.WithValue(s.Host.Life(), owned{owner}, true))
	b = s.Branch(ctx, name)
	b.Deadline, b.Depth = time.Time{}, 0
	return b, cancel
}

// Within reports whether this is the lasting strand of an owner, or a branch of it.
func (s *Strand) Within(owner any) bool { return s.Ctx.Value(owned{owner}) != nil }

// Call is one call of a builtin.
type Call struct {
	*Strand
	Func *Func
}

func callOf(t *starlark.Thread, f *Func) (*Call, error) {
	s, err := StrandOf(t)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	return &Call{Strand: s, Func: f}, nil
}

// Wait gives the run's lock up while f waits, so that other Starlark of the run can go on.
func (c *Call) Wait(f func(ctx context.Context) error) error {
	c.Host.Lock.Unlock()
	defer c.Host.Lock.Lock()
	if err := c.Ctx.Err(); err != nil {
		return context.Cause(c.Ctx)
	}
	err := f(c.Ctx)
	if c.Ctx.Err() != nil {
		return context.Cause(c.Ctx)
	}
	return err
}

// Sleep waits for d by the run's clock.
func (c *Call) Sleep(d time.Duration) error {
	return c.Wait(func(ctx context.Context) error { return clock.Sleep(ctx, c.Host.Clock, d) })
}

// Invoke calls a Starlark function on this call's thread.
func (c *Call) Invoke(fn starlark.Value, args ...starlark.Value) (starlark.Value, error) {
	return starlark.Call(c.Thread, fn, args, nil)
}

// Pos returns where in the script the builtin was called.
func (c *Call) Pos() syntax.Position {
	for i := range c.Thread.CallStackDepth() {
		if p := c.Thread.CallFrame(i).Pos; p.Line > 0 {
			return p
		}
	}
	return syntax.Position{}
}

// Where returns the strand and the place of the call, for an event.
func (c *Call) Where() (strand string, pos event.Pos) {
	p := c.Pos()
	if p.Line > 0 {
		pos = event.Pos{File: p.Filename(), Line: p.Line, Col: p.Col}
	}
	return c.Thread.Name, pos
}

// InMainFile reports whether the call stands in the script itself, and not in a module that it loads.
func (c *Call) InMainFile() bool {
	name := c.Pos().Filename()
	return name == c.Host.MainFile || slices.Contains(c.Host.AlsoMain, name)
}

// Exit is how exit() and skip() end a run. No catch stops it.
type Exit struct {
	Code    int
	Skipped bool
	Reason  string
}

// Error is for errors.As alone: the script ended itself.
func (e *Exit) Error() string {
	if e.Skipped {
		return "skipped: " + e.Reason
	}
	return fmt.Sprintf("exit(%d)", e.Code)
}

// Elsewhere marks an error of another strand, so that the call chain shows both: where it happened, and who waited.
func Elsewhere(err error) error {
	if err == nil {
		return nil
	}
	return &elsewhere{err}
}

type elsewhere struct{ error }

// Unwrap returns the error of the other strand.
func (e *elsewhere) Unwrap() error { return e.error }

// StrandOf returns the strand of a thread that NewStrand made.
func StrandOf(t *starlark.Thread) (*Strand, error) {
	s, ok := t.Local(strandKey).(*Strand)
	if !ok {
		return nil, fmt.Errorf("thread %q belongs to no run", t.Name)
	}
	return s, nil
}

// MaskOf returns the secrets of the run that a thread belongs to, nil if there is none.
func MaskOf(t *starlark.Thread) *mask.Masker {
	if s, err := StrandOf(t); err == nil {
		return s.Host.Mask
	}
	return nil
}
