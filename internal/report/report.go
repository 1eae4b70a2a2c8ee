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

	"omniexpect/internal/event"
	"omniexpect/internal/vt"
)

// Reporter writes for one run. It is safe for concurrent use.
type Reporter struct {
	Out, Err io.Writer
	TTY      bool                   // Err is a terminal
	Width    func() int             // of that terminal
	Quiet    bool                   // failures only
	Verbose  bool                   // what sessions write, too
	Debug    bool                   // every attempt to match, too
	Mask     func(string) string    // hides secrets
	MaskTo   func(io.Writer) Stream // the same for a stream, which may cut a secret anywhere
	Conceal  func(string) string    // the same for a piece of a stream, whose end may be the beginning of a secret
	Source   func(file string) string
	Hint     func(msg string) string // what to write instead; may be nil

	log     *event.Log
	queueMu sync.Mutex
	queue   *event.Queue    // what is to be written; nil until something is
	mirror  map[string]bool // the sessions that mirror() was called for
	mirrors bool            // output is taken for mirror()

	mu    sync.Mutex
	began time.Time
	steps []step
	live  string          // what the live line shows now
	taps  map[string]*tap // the output of sessions, by name and stream
	mid   bool            // the session output on the terminal stands in the middle of a line

	waitMu sync.Mutex // taken before mu
	waits  []wait
	timer  *time.Timer
	dueAt  time.Time // when it runs out; zero if it does not
}

type step struct {
	name  string
	began time.Time
}

// Stream hides secrets in what comes in pieces, and holds back what may be the beginning of one: Flush writes that, and
// Settle what is too short to give anything away.
type Stream interface {
	io.Writer
	Flush() error
	Settle() error
}

// open is a stream that hides nothing.
type open struct{ io.Writer }

func (open) Flush() error  { return nil }
func (open) Settle() error { return nil }

// New returns a reporter whose clock starts now.
func New(out, err io.Writer) *Reporter {
	return &Reporter{Out: out, Err: err, Mask: func(s string) string { return s }, Width: func() int { return 80 },
		MaskTo: func(w io.Writer) Stream { return open{w} }, Conceal: func(s string) string { return s },
		Source: func(string) string { return "" }, began: time.Now()}
}

// Redirect makes the reporter write elsewhere, until back is called.
func (r *Reporter) Redirect(out, err io.Writer) (back func()) {
	set := func(out, err io.Writer) (io.Writer, io.Writer) {
		r.Flush()
		r.mu.Lock()
		defer r.mu.Unlock()
		oldOut, oldErr := r.Out, r.Err
		r.clear()
		r.release("")
		r.Out, r.Err, r.taps = out, err, nil
		return oldOut, oldErr
	}
	oldOut, oldErr := set(out, err)
	return func() { set(oldOut, oldErr) }
}

// Print writes a script's output. What a terminal would obey is shown instead.
func (r *Reporter) Print(text string) error { return r.print(vt.Visible(r.Mask(text))) }

// PrintRaw writes a script's output as it is, but for its secrets.
func (r *Reporter) PrintRaw(text string) error { return r.print(r.Mask(text)) }

func (r *Reporter) print(text string) error {
	r.Flush()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clear()
	_, err := io.WriteString(r.Out, text+"\n")
	return err
}

// line writes a whole line to standard error. The lock is held.
func (r *Reporter) line(text string) {
	r.clear()
	for _, t := range r.taps {
		t.Settle()
	}
	text = vt.Visible(r.Mask(text))
	if r.mid {
		text = "\n" + text
		r.mid = false
	}
	fmt.Fprintln(r.Err, text)
}

// clear removes the live line.
func (r *Reporter) clear() {
	if r.live != "" {
		io.WriteString(r.Err, "\r\x1b[K")
		r.live = ""
	}
}

// step shows that a step begins. The lock is held.
func (r *Reporter) step(name string) {
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
	r.Flush()
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
	r.Flush()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clear()
}

// wait is one wait that is shown once it lasts.
type wait struct {
	*event.Wait
	next  time.Time // when it is shown
	shown bool
}

// begin watches a wait until end. All waits share one timer, since most of them are over in no time and a timer of their own
// would be their largest cost; for the same reason a wait describes itself only when it is shown.
func (r *Reporter) begin(b *event.Wait) {
	first := 10 * time.Second
	if r.TTY {
		first = time.Second
	}
	w := wait{Wait: b, next: time.Now().Add(first)}
	r.waitMu.Lock()
	defer r.waitMu.Unlock()
	r.waits = append(r.waits, w)
	r.arm(w.next)
}

// end watches a wait no more, and reports whether the live line shows it.
func (r *Reporter) end(id uint64) (live bool) {
	r.waitMu.Lock()
	defer r.waitMu.Unlock()
	i := slices.IndexFunc(r.waits, func(w wait) bool { return w.ID == id })
	if i < 0 {
		return false
	}
	live = r.waits[i].shown && r.TTY
	r.waits = slices.Delete(r.waits, i, i+1)
	return live
}

// arm makes the timer run out at a time or before. waitMu is held.
func (r *Reporter) arm(at time.Time) {
	switch {
	case !r.dueAt.IsZero() && !at.Before(r.dueAt):
		return
	case r.timer == nil:
		r.timer = time.AfterFunc(time.Until(at), r.tick)
	default:
		r.timer.Reset(time.Until(at))
	}
	r.dueAt = at
}

// tick shows the waits whose time has come. It writes without waitMu, which emitters need.
func (r *Reporter) tick() {
	texts := r.due()
	for _, text := range texts {
		r.show(text)
	}
	if len(texts) > 0 && !r.lasts() { // it ended meanwhile
		r.mu.Lock()
		r.clear()
		r.mu.Unlock()
	}
}

// lasts reports whether a wait that was shown is still under way.
func (r *Reporter) lasts() bool {
	r.waitMu.Lock()
	defer r.waitMu.Unlock()
	return slices.ContainsFunc(r.waits, func(w wait) bool { return w.shown })
}

// due returns what is to be said of the waits whose time has come, and sets the timer anew.
func (r *Reporter) due() (texts []string) {
	r.waitMu.Lock()
	defer r.waitMu.Unlock()
	r.dueAt = time.Time{}
	now := time.Now()
	for i := range r.waits {
		w := &r.waits[i]
		if !w.next.After(now) {
			w.shown = true
			texts = append(texts, w.lasting(now))
			w.next = now.Add(r.again(now.Sub(w.Began)))
		}
		r.arm(w.next)
	}
	return texts
}

// lasting returns in words how long a wait lasts.
func (w *wait) lasting(now time.Time) string {
	text := fmt.Sprintf("waiting %s for %s", Seconds(now.Sub(w.Began)), w.What)
	if !w.Deadline.IsZero() {
		text += fmt.Sprintf(" (of %s)", Seconds(w.Deadline.Sub(w.Began)))
	}
	return text
}

// again is how long after a wait was shown it is shown again.
func (r *Reporter) again(elapsed time.Duration) time.Duration {
	if r.TTY {
		return time.Second
	}
	return min(max(elapsed, time.Second), time.Minute)
}

// show writes the live line, or a plain one.
func (r *Reporter) show(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.TTY {
		r.line("... " + text)
		return
	}
	text = vt.Visible(r.Mask(text))
	if rs := []rune(text); len(rs) > r.Width()-1 {
		text = string(rs[:max(r.Width()-2, 0)]) + "…"
	}
	r.clear()
	io.WriteString(r.Err, "\r"+text)
	r.live = text
}
