package report

import (
	"fmt"
	"slices"
	"strings"

	"omniexpect/internal/event"
	"omniexpect/internal/match"
)

// maxShown is how much output of sessions waits to be shown while nobody reads standard error.
const maxShown = 8 << 20

// Listen has the reporter show what happens in a run: notes and steps, long waits unless Quiet, with Verbose what sessions
// write, with Debug every attempt to match. Those fields are set before.
func (r *Reporter) Listen(log *event.Log) {
	r.log = log
	kinds := []event.Kind{event.KindNote, event.KindStep}
	if !r.Quiet {
		kinds = append(kinds, event.KindWait, event.KindGot)
	}
	if r.Debug {
		kinds = append(kinds, event.KindTry)
	}
	if r.Verbose {
		kinds = append(kinds, shown()...)
	}
	log.Add(r, kinds...)
}

// Log writes a line of -d that a library wrote.
func (r *Reporter) Log(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.line("debug: " + text)
}

// shown are the kinds of events that showing output takes.
func shown() []event.Kind { return []event.Kind{event.KindOut, event.KindExit, event.KindClose} }

// Mirror shows from now on what a session writes, or does not, whatever Verbose says.
func (r *Reporter) Mirror(session string, on bool) {
	r.queueMu.Lock()
	if r.mirror == nil {
		r.mirror = map[string]bool{}
	}
	r.mirror[session] = on
	first := on && !r.Verbose && !r.mirrors
	r.mirrors = r.mirrors || first
	r.queueMu.Unlock()
	if first && r.log != nil {
		r.log.Add(r, shown()...)
	}
}

// Take takes an event. It does not write: what it shows is written by a goroutine of its own, so that nobody who reads
// standard error slowly, or not at all, holds up the run.
func (r *Reporter) Take(e event.Event) {
	switch b := e.Body.(type) {
	case *event.Wait:
		r.begin(b)
	case *event.Got:
		if r.end(b.ID) {
			r.enqueue(e)
		}
	case *event.Out:
		if r.shows(b) {
			r.enqueue(e)
		}
	default:
		r.enqueue(e)
	}
}

// shows reports whether output of a session is shown. What interact() shows on the same terminal would stand there twice.
func (r *Reporter) shows(b *event.Out) bool {
	r.queueMu.Lock()
	defer r.queueMu.Unlock()
	on, said := r.mirror[b.Session]
	if !said {
		on = r.Verbose
	}
	return on && !(b.Handed && r.TTY)
}

// enqueue leaves an event to the writing goroutine, which the first one starts.
func (r *Reporter) enqueue(e event.Event) {
	r.queueMu.Lock()
	if r.queue == nil {
		r.queue = event.NewQueue(event.Func(r.write), maxShown)
	}
	q := r.queue
	r.queueMu.Unlock()
	q.Take(e)
}

// Flush waits until what has happened so far is written.
func (r *Reporter) Flush() {
	r.queueMu.Lock()
	q := r.queue
	r.queueMu.Unlock()
	if q != nil {
		q.Flush()
	}
}

// Close writes what waits and ends the writing goroutine.
func (r *Reporter) Close() {
	r.queueMu.Lock()
	q := r.queue
	r.queue = nil
	r.queueMu.Unlock()
	if q != nil {
		q.Close(0)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.release("")
}

// write shows an event, on the writing goroutine.
func (r *Reporter) write(e event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch b := e.Body.(type) {
	case *event.Step:
		r.step(b.Name)
	case *event.Note:
		r.line("note: " + b.Text)
	case *event.Got: // of a wait that the live line shows
		r.clear()
	case *event.Try:
		r.line("debug: " + b.Session + ": " + r.attempt(b))
	case *event.Out:
		r.output(b)
	case *event.Exit:
		for _, stream := range []event.Stream{event.Terminal, event.Stderr} {
			if t := r.taps[b.Session+string(stream)]; t != nil {
				t.over = true
				t.Settle()
			}
		}
	case *event.Close:
		r.release(b.Session)
	case *event.Gap:
		r.line(fmt.Sprintf("note: %d bytes of output are not shown here: standard error was not read in time", b.Bytes))
	}
}

// output shows what a session wrote.
func (r *Reporter) output(b *event.Out) {
	name := b.Session + string(b.Stream)
	t := r.taps[name]
	if t == nil {
		t = &tap{Stream: r.MaskTo(liveOutput{r}), session: b.Session}
		if r.taps == nil {
			r.taps = map[string]*tap{}
		}
		r.taps[name] = t
	}
	t.Write(b.Data)
	if t.over {
		t.Settle()
	}
}

// tap is the output of a session on its way to the terminal.
type tap struct {
	Stream
	session string
	over    bool // the program has ended; what it wrote last may still come
}

// release writes what was held back of the output of a session, or of all of them.
func (r *Reporter) release(session string) {
	for name, t := range r.taps {
		if session == "" || t.session == session {
			t.Flush()
			delete(r.taps, name)
		}
	}
}

// liveOutput is where the output of sessions is written. The lock is held.
type liveOutput struct{ r *Reporter }

func (l liveOutput) Write(p []byte) (int, error) {
	l.r.clear()
	l.r.mid = p[len(p)-1] != '\n'
	return l.r.Err.Write(p)
}

// attempt writes an attempt to match as a line: what was looked for, where, and why it is not there.
func (r *Reporter) attempt(t *event.Try) string {
	all := make([]string, len(t.Patterns))
	for i, p := range t.Patterns {
		all[i] = match.Shorten(r.Mask(p))
	}
	patterns := strings.Join(all, " or ")
	seen := r.window(t)
	switch {
	case t.Verdict == event.Absent:
		why := "no match"
		switch {
		case r.hides(strings.Join(t.Patterns, " or ")): // parts of it would show what is hidden
		case len(t.Needs) == 1:
			why = "no " + r.quoted(t.Needs[0])
		case len(t.Needs) > 1:
			needs := make([]string, len(t.Needs))
			for i, n := range t.Needs {
				needs[i] = match.Shorten(n)
			}
			why = fmt.Sprintf("none of %q", needs)
		}
		return fmt.Sprintf("%s: %s in it; %s", patterns, why, seen)
	case t.Verdict == event.Matched && t.Again:
		return fmt.Sprintf("%s: less of it, to see where the match is complete: matched %s; %s", patterns, r.quoted(t.Text), seen)
	case t.Verdict == event.Matched:
		return fmt.Sprintf("%s: matched %s; %s", patterns, r.quoted(t.Text), seen)
	case t.Again: // after a match: a person would take it for the end of the wait
		return fmt.Sprintf("%s: less of it, to see where the match is complete: no match; %s", patterns, seen)
	case len(t.Needs) > 0:
		return fmt.Sprintf("%s: no match: what it needs is there, but not in one piece; %s", patterns, seen)
	}
	return fmt.Sprintf("%s: no match; %s", patterns, seen)
}

// window describes what was looked at by its place, its length and its end.
func (r *Reporter) window(t *event.Try) string {
	text := []byte(r.Conceal(string(slices.Concat(t.Before, t.Tail))))
	text = text[max(0, len(text)-len(t.Tail)):]
	for len(text) > 0 && !t.Raw && text[0]&0xC0 == 0x80 { // the rest of a character that is cut
		text = text[1:]
	}
	more := ""
	if int64(len(text)) < t.To-t.From {
		more = "…"
	}
	unit := "bytes"
	if t.To-t.From == 1 {
		unit = "byte"
	}
	return fmt.Sprintf("looked at %d %s from %d: %s%q", t.To-t.From, unit, t.From, more, text)
}

// quoted writes a text without what must not be shown, and without the middle of a long one. Where its end is kept back, for it may be the beginning of that, it
// says so.
func (r *Reporter) quoted(text string) string {
	shown := r.Conceal(text)
	if len(shown) < len(text) && strings.HasPrefix(text, shown) {
		return fmt.Sprintf("%q…", match.Shorten(shown))
	}
	return fmt.Sprintf("%q", match.Shorten(shown))
}

// hides reports whether a text holds what must not be shown.
func (r *Reporter) hides(text string) bool { return !strings.HasPrefix(text, r.Conceal(text)) }
