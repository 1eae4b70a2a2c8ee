// Package report writes what a run tells its user: steps, waits, notes and failures, all on standard error.
//
// Standard output belongs to the script; Print passes it through, so that the live line of a long wait never mixes with
// it. On a terminal a wait of more than a second shows one live line that is rewritten and vanishes; elsewhere a plain
// line comes after ten seconds, and then ever more seldom. Everything passes through the run's masker.
package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// Reporter writes for one run. It is safe for concurrent use.
type Reporter struct {
	Out, Err io.Writer
	TTY      bool                      // Err is a terminal
	Width    func() int                // of that terminal
	Quiet    bool                      // failures only
	Mask     func(string) string       // hides secrets
	MaskTo   func(io.Writer) io.Writer // the same for a stream, which may cut a secret anywhere
	Source   func(file string) string
	Hint     func(msg string) string // what to write instead; may be nil

	mu    sync.Mutex
	began time.Time
	steps []step
	live  string               // what the live line shows now
	taps  map[string]io.Writer // the output of sessions, by name
	mid   bool                 // the session output on the terminal stands in the middle of a line

	waitMu sync.Mutex // taken before mu
	waits  []*wait
	timer  *time.Timer
	due    time.Time // when it runs out; zero if it does not
}

type step struct {
	name  string
	began time.Time
}

// New returns a reporter whose clock starts now.
func New(out, err io.Writer) *Reporter {
	return &Reporter{Out: out, Err: err, Mask: func(s string) string { return s }, Width: func() int { return 80 },
		MaskTo: func(w io.Writer) io.Writer { return w },
		Source: func(string) string { return "" }, began: time.Now()}
}

// Redirect makes the reporter write elsewhere, until back is called.
func (r *Reporter) Redirect(out, err io.Writer) (back func()) {
	set := func(out, err io.Writer) (io.Writer, io.Writer) {
		r.mu.Lock()
		defer r.mu.Unlock()
		oldOut, oldErr := r.Out, r.Err
		r.clear()
		r.Out, r.Err, r.taps = out, err, nil
		return oldOut, oldErr
	}
	oldOut, oldErr := set(out, err)
	return func() { set(oldOut, oldErr) }
}

// Print writes a script's output.
func (r *Reporter) Print(text string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clear()
	_, err := io.WriteString(r.Out, r.Mask(text)+"\n")
	return err
}

// line writes a whole line to standard error. The lock is held.
func (r *Reporter) line(text string) {
	r.clear()
	if r.mid {
		text = "\n" + text
		r.mid = false
	}
	fmt.Fprintln(r.Err, r.Mask(text))
}

// clear removes the live line.
func (r *Reporter) clear() {
	if r.live != "" {
		io.WriteString(r.Err, "\r\x1b[K")
		r.live = ""
	}
}

// Note writes a line that the user should see.
func (r *Reporter) Note(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.line("note: " + text)
}

// Debug writes a line of -d.
func (r *Reporter) Debug(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.line("debug: " + text)
}

// Output writes what a session wrote, for -v.
func (r *Reporter) Output(session string, p []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clear()
	w := r.taps[session]
	if w == nil {
		w = r.MaskTo(r.Err)
		if r.taps == nil {
			r.taps = map[string]io.Writer{}
		}
		r.taps[session] = w
	}
	w.Write(p)
	r.mid = p[len(p)-1] != '\n'
}

// Step says that a step begins, and how long the one before took.
func (r *Reporter) Step(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	r.steps = append(r.steps, step{name, now})
	if !r.Quiet {
		r.line(fmt.Sprintf("[%6s] %s", Seconds(now.Sub(r.began)), name))
	}
}

// Seconds writes a duration in seconds.
func Seconds(d time.Duration) string { return fmt.Sprintf("%.1fs", d.Seconds()) }

// Passed ends a run that went well.
func (r *Reporter) Passed(name, how string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clear()
	if r.Quiet || len(r.steps) == 0 && how == "passed" {
		return
	}
	end := time.Now()
	text := fmt.Sprintf("%s: %s in %s", name, how, Seconds(end.Sub(r.began)))
	var parts []string
	for i, s := range r.steps {
		until := end
		if i+1 < len(r.steps) {
			until = r.steps[i+1].began
		}
		parts = append(parts, s.name+" "+Seconds(until.Sub(s.began)))
	}
	if len(parts) > 0 {
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	r.line(text)
}

// End removes what is only there while the run lasts.
func (r *Reporter) End() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clear()
}

// Progress watches a wait. The function that it returns ends that. All waits share one timer, since most of them are over
// in no time and a timer of their own would be their largest cost; for the same reason what is called only to show them.
func (r *Reporter) Progress(what func() string, began, deadline time.Time) (done func()) {
	if r.Quiet {
		return func() {}
	}
	first := 10 * time.Second
	if r.TTY {
		first = time.Second
	}
	w := &wait{r: r, what: what, began: began, deadline: deadline, next: time.Now().Add(first)}
	r.waitMu.Lock()
	defer r.waitMu.Unlock()
	r.waits = append(r.waits, w)
	r.arm(w.next)
	return w.end
}

// wait is one wait that is shown once it lasts.
type wait struct {
	r        *Reporter
	what     func() string
	began    time.Time
	deadline time.Time
	next     time.Time // when it is shown
	shown    bool
}

// arm makes the timer run out at a time or before. waitMu is held.
func (r *Reporter) arm(at time.Time) {
	switch {
	case !r.due.IsZero() && !at.Before(r.due):
		return
	case r.timer == nil:
		r.timer = time.AfterFunc(time.Until(at), r.tick)
	default:
		r.timer.Reset(time.Until(at))
	}
	r.due = at
}

// tick shows the waits whose time has come.
func (r *Reporter) tick() {
	r.waitMu.Lock()
	defer r.waitMu.Unlock()
	r.due = time.Time{}
	now := time.Now()
	for _, w := range r.waits {
		if !w.next.After(now) {
			w.show(now)
		}
		r.arm(w.next)
	}
}

// show says how long the wait lasts, and when to say it again.
func (w *wait) show(now time.Time) {
	w.shown = true
	elapsed := now.Sub(w.began)
	text := fmt.Sprintf("waiting %s for %s", Seconds(elapsed), w.what())
	if !w.deadline.IsZero() {
		text += fmt.Sprintf(" (of %s)", Seconds(w.deadline.Sub(w.began)))
	}
	w.r.show(text)
	again := time.Second
	if !w.r.TTY {
		again = min(max(elapsed, time.Second), time.Minute)
	}
	w.next = now.Add(again)
}

func (w *wait) end() {
	r := w.r
	r.waitMu.Lock()
	defer r.waitMu.Unlock()
	if i := slices.Index(r.waits, w); i >= 0 {
		r.waits = slices.Delete(r.waits, i, i+1)
	}
	if w.shown && r.TTY {
		r.End()
	}
}

// show writes the live line, or a plain one.
func (r *Reporter) show(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.TTY {
		r.line("... " + text)
		return
	}
	text = r.Mask(text)
	if rs := []rune(text); len(rs) > r.Width()-1 {
		text = string(rs[:max(r.Width()-2, 0)]) + "…"
	}
	r.clear()
	io.WriteString(r.Err, "\r"+text)
	r.live = text
}
