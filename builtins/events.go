package builtins

import (
	"time"

	"omniexpect/internal/clock"
	"omniexpect/internal/dsl"
	"omniexpect/internal/event"
	"omniexpect/internal/httpc"
	"omniexpect/internal/match"
)

// note emits a line that the user should see. It belongs to no call.
func (st *State) note(line string) {
	st.Events.Emit("", event.Pos{}, &event.Note{Text: line})
}

// waitSpan is a wait whose beginning was emitted, if somebody wants to know.
type waitSpan struct {
	log    *event.Log
	clock  clock.Clock
	id     uint64
	began  time.Time
	strand string
	pos    event.Pos
}

// begin emits the beginning of a wait.
func (st *State) begin(c *dsl.Call, w event.Wait) waitSpan {
	if !st.Events.Wants(event.KindWait) && !st.Events.Wants(event.KindGot) {
		return waitSpan{}
	}
	strand, pos := c.Where()
	begun := w // not w itself: that would be an allocation of each call, with or without a listener
	begun.ID = st.Events.Next()
	if begun.Who == "" {
		begun.Who = c.Func.Name
	}
	st.Events.Emit(strand, pos, &begun)
	return waitSpan{st.Events, st.Clock, begun.ID, begun.Began, strand, pos}
}

// end emits the end of the wait: why, and which pattern matched, or -1.
func (w waitSpan) end(why string, index int) {
	if w.log != nil {
		w.log.Emit(w.strand, w.pos, &event.Got{ID: w.id, Why: why, Index: index, Elapsed: clock.Since(w.clock, w.began)})
	}
}

// watch emits the beginning of a wait that is not a wait for patterns; the caller calls what it returns when the wait is over.
func (st *State) watch(c *dsl.Call, what string, began, deadline time.Time) (done func()) {
	span := st.begin(c, event.Wait{What: event.Text(what), Began: began, Deadline: deadline})
	return func() { span.end("", -1) }
}

// verdict names the outcome of a wait for patterns.
func verdict(res match.Result, err error) string {
	if err != nil {
		return "interrupted"
	}
	switch res.Why {
	case match.TimedOut:
		return "timeout"
	case match.WentIdle:
		return "idle"
	case match.AtEOF:
		return "eof"
	case match.Overfull:
		return "full"
	case match.Held:
		return "held"
	}
	return "matched"
}

// emitInput emits what is sent to the session. c is nil for what a person types.
func (s *Session) emitInput(c *dsl.Call, in event.In) {
	if !s.st.Events.Wants(event.KindIn) {
		return
	}
	var strand string
	var pos event.Pos
	if c != nil {
		strand, pos = c.Where()
	}
	sent := in
	sent.Session = s.Name
	s.st.Events.Emit(strand, pos, &sent)
}

// emitHTTP emits a request and its answer, and before it each answer that led on.
func (st *State) emitHTTP(c *dsl.Call, method, url string, began time.Time, resp *httpc.Response, err error) {
	if !st.Events.Wants(event.KindHTTP) {
		return
	}
	strand, pos := c.Where()
	if err != nil {
		st.Events.Emit(strand, pos, &event.HTTP{Method: method, URL: url, Elapsed: clock.Since(st.Clock, began), Err: err.Error()})
		return
	}
	for _, r := range append(resp.History, resp) {
		st.Events.Emit(strand, pos, &event.HTTP{Method: r.Method, URL: r.URL, Status: r.Status, Elapsed: r.Elapsed})
	}
}

// emitServed emits a request that a stub server has answered.
func (st *State) emitServed(r *httpc.Received) {
	if !st.Events.Wants(event.KindHTTP) {
		return
	}
	e := &event.HTTP{Method: r.Method, URL: r.RawURL, Status: r.Status, Served: true, Elapsed: clock.Since(st.Clock, r.Time)}
	if r.Err != nil {
		e.Err = r.Err.Error()
	}
	st.Events.Emit("", event.Pos{}, e)
}
