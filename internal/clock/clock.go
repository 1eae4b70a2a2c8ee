// Package clock is where a run takes the time from.
//
// Whatever a run waits for, it waits by its clock: deadlines, quiet times, pauses between tries. System is the machine's.
// Virtual stands still until it is moved, so that a wait of a minute takes no time, and twice the same.
//
// Of the operating system's own time is what no script can feel: the grace of a process that is being ended, the spinning
// of a read, the time-outs of a TLS handshake. A test in package internal lists those places.
package clock

import (
	"context"
	"time"
)

// Clock tells the time and waits.
type Clock interface {
	Now() time.Time
	NewTimer(time.Duration) Timer
	AfterFunc(time.Duration, func()) Timer
}

// Timer is a wait that can be ended, as time.Timer is.
type Timer interface {
	C() <-chan time.Time // nil for AfterFunc
	Reset(time.Duration) bool
	Stop() bool
}

// System is the machine's clock.
type System struct{}

type systemTimer struct{ *time.Timer }

func (t systemTimer) C() <-chan time.Time { return t.Timer.C }

// Now returns the time.
func (System) Now() time.Time { return time.Now() }

// NewTimer is time.NewTimer.
func (System) NewTimer(d time.Duration) Timer { return systemTimer{time.NewTimer(d)} }

// AfterFunc is time.AfterFunc.
func (System) AfterFunc(d time.Duration, f func()) Timer { return systemTimer{time.AfterFunc(d, f)} }

// Or returns c, or the system's clock if it is nil.
func Or(c Clock) Clock {
	if c == nil {
		return System{}
	}
	return c
}

// Since returns the time that has gone by since t.
func Since(c Clock, t time.Time) time.Duration { return c.Now().Sub(t) }

// Until returns the time that is left until t.
func Until(c Clock, t time.Time) time.Duration { return t.Sub(c.Now()) }

// Sleep waits for d or until the context ends, whose error it returns then.
func Sleep(ctx context.Context, c Clock, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := c.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// WithDeadline is context.WithDeadline by a clock. Its error is context.DeadlineExceeded when the time has come.
func WithDeadline(ctx context.Context, c Clock, at time.Time) (context.Context, context.CancelFunc) {
	if _, real := c.(System); real {
		return context.WithDeadline(ctx, at)
	}
	inner, cancel := context.WithCancelCause(ctx)
	d := &deadline{Context: inner, at: at}
	t := c.AfterFunc(Until(c, at), func() { cancel(context.DeadlineExceeded) })
	return d, func() {
		t.Stop()
		cancel(context.Canceled)
	}
}

// WithTimeout is context.WithTimeout by a clock.
func WithTimeout(ctx context.Context, c Clock, d time.Duration) (context.Context, context.CancelFunc) {
	return WithDeadline(ctx, c, c.Now().Add(d))
}

// WithTimeoutCause is context.WithTimeoutCause by a clock.
func WithTimeoutCause(ctx context.Context, c Clock, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	if _, real := c.(System); real {
		return context.WithTimeoutCause(ctx, d, cause)
	}
	inner, cancel := context.WithCancelCause(ctx)
	t := c.AfterFunc(d, func() { cancel(cause) })
	return inner, func() {
		t.Stop()
		cancel(context.Canceled)
	}
}

// deadline is a context that ends by a clock which is not the system's.
type deadline struct {
	context.Context
	at time.Time
}

// Deadline returns when the context ends.
func (d *deadline) Deadline() (time.Time, bool) {
	if outer, ok := d.Context.Deadline(); ok && outer.Before(d.at) {
		return outer, true
	}
	return d.at, true
}

// Err returns context.DeadlineExceeded once the time has come.
func (d *deadline) Err() error {
	err := d.Context.Err()
	if err != nil && context.Cause(d.Context) == context.DeadlineExceeded {
		return context.DeadlineExceeded
	}
	return err
}
