package httpc

import (
	"context"
	"fmt"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"omniexpect/internal/clock"
)

// limits is the context of one exchange with its two timers, and knows how far the exchange has come.
type limits struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	clock  clock.Clock
	start  time.Time
	whole  clock.Timer
	limit  time.Duration // of a connection

	connected atomic.Bool
	kept      atomic.Bool // the connection had carried a call before
	answered  atomic.Bool
	read      atomic.Int64 // bytes of the body
}

// since returns the time since t, as answers have it.
func (k *limits) since(t time.Time) time.Duration {
	return clock.Since(k.clock, t).Round(time.Microsecond)
}

// newLimits starts the whole timeout, if there is one. Its owner calls stop.
func (x *exchange) newLimits(ctx context.Context) *limits {
	c := x.client.opts.Clock
	k := &limits{clock: c, start: c.Now(), limit: x.req.ConnectTimeout}
	k.ctx, k.cancel = context.WithCancelCause(ctx)
	if x.req.Timeout > 0 {
		k.whole = c.AfterFunc(x.req.Timeout, func() { k.cancel(errWhole) })
	}
	return k
}

// stop releases the timer and ends whatever still uses the context.
func (k *limits) stop() {
	k.release()
	k.cancel(context.Canceled)
}

// release lets what comes take its time: a stream has its headers.
func (k *limits) release() {
	if k.whole != nil {
		k.whole.Stop()
	}
}

// connecting returns the context of one round trip, in which making a connection has its own limit. A name lookup and
// the TLS handshake count, which is why the limit is not the dialer's.
func (k *limits) connecting() (context.Context, func()) {
	k.connected.Store(false)
	if k.limit <= 0 {
		return k.traced(func() {}), func() {}
	}
	timer := k.clock.AfterFunc(k.limit, func() { k.cancel(errConnect) })
	stop := func() { timer.Stop() }
	return k.traced(stop), stop
}

func (k *limits) traced(got func()) context.Context {
	return httptrace.WithClientTrace(k.ctx, &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		got()
		k.kept.Store(info.Reused)
		k.connected.Store(true)
	}})
}

// missing describes what has not happened yet, for a timeout's message.
func (k *limits) missing() string {
	switch {
	case k.answered.Load():
		return fmt.Sprintf("the answer did not end (%s read)", size(k.read.Load()))
	case k.connected.Load():
		return "no answer"
	}
	return "no connection"
}

// size writes a number of bytes for people.
func size(n int64) string {
	switch {
	case n >= 1<<20:
		return trimZero(float64(n)/(1<<20)) + " MiB"
	case n >= 1<<10:
		return trimZero(float64(n)/(1<<10)) + " KiB"
	case n == 1:
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

func trimZero(f float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", f), ".0") }
