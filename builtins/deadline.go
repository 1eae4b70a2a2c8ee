package builtins

import (
	"context"
	"math"
	"time"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/httpc"
)

// deadline turns a timeout into the time when it is over, and how long that is from now: longer on a slow machine, and
// never later than the deadline of what the call is part of, such as a poll. The zero time is never.
func (st *State) deadline(c *dsl.Call, d dsl.Duration, now time.Time) (at time.Time, limit time.Duration) {
	if !d.Forever {
		limit = st.scaled(d.D)
		at = now.Add(limit)
	}
	if outer := c.Deadline; !outer.IsZero() && (at.IsZero() || outer.Before(at)) {
		return outer, max(outer.Sub(now), 0)
	}
	return at, limit
}

// limit is a timeout of a call as the engine of HTTP takes it: httpc.Forever for none, and never 0. def stands for none given.
func (st *State) limit(c *dsl.Call, t dsl.Duration, def time.Duration) time.Duration {
	if !t.Set && !t.Forever {
		t.D = def
	}
	at, limit := st.deadline(c, t, st.Clock.Now())
	if at.IsZero() {
		return httpc.Forever
	}
	return max(limit, time.Millisecond)
}

// waitLimit is the timeout of a wait as the engine of HTTP takes it: 0 tries once.
func (st *State) waitLimit(c *dsl.Call, t dsl.Duration) time.Duration {
	if t.Set && !t.Forever && t.D == 0 {
		return 0
	}
	return st.limit(c, t, 30*time.Second)
}

// pauseFor does nothing for a while. Where what the call is part of has its deadline before that, the pause ends then, and
// fails.
func (st *State) pauseFor(c *dsl.Call, who string, d time.Duration, forever bool) error {
	began, left := st.Clock.Now(), d
	cut := !c.Deadline.IsZero() && (forever || began.Add(d).After(c.Deadline))
	if cut {
		left, forever = max(c.Deadline.Sub(began), 0), false
	}
	var err error
	if forever {
		err = c.Wait(func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		})
	} else {
		err = c.Sleep(left)
	}
	if err == nil && cut {
		return fault.New(fault.Timeout, "%s: cut off after %s by the deadline of the call around it", who, fault.Human(left))
	}
	return err
}

// scaled applies --timeout-scale.
func (st *State) scaled(d time.Duration) time.Duration {
	if st.Scale > 0 {
		return time.Duration(min(float64(d)*st.Scale, float64(math.MaxInt64/2)))
	}
	return d
}
