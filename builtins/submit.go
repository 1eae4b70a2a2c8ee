package builtins

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/match"
)

type submitArgs struct {
	Text    Text         `star:"text" doc:"what to type before Enter"`
	Timeout dsl.Duration `star:"timeout?" doc:"deadline for the whole call"`
	Quiet   dsl.Duration `star:"quiet?,kw" doc:"how long the output must be quiet before Enter is pressed"`
}

// The pauses of submit: programs that tell typing from pasting by time take an Enter that comes later than submitGap as a
// key of its own. One that goes on writing gets it after submitBusy.
const (
	submitGap   = 200 * time.Millisecond
	submitRetry = time.Second
	submitBusy  = 2 * time.Second
)

// submission is a text on its way into a full-screen program.
type submission struct {
	s       *Session
	c       *dsl.Call
	began   time.Time
	at      time.Time // the deadline; zero: none
	timeout dsl.Duration
	text    string
	typed   int64 // where the raw output stood before the text
	entered bool
	pressed int64 // where it stood before Enter
	tells   bool  // the program has told its state before
	busy    bool  // the program never was quiet before Enter: that it writes shows nothing
}

// submit types text into a full-screen program and presses Enter as a key of its own.
func (st *State) submit(c *dsl.Call, s *Session, a submitArgs) (starlark.Value, error) {
	if err := s.usable("submit"); err != nil {
		return nil, err
	}
	x := &submission{s: s, c: c, began: st.Clock.Now(), timeout: a.Timeout, text: textOf(a.Text.v), typed: s.Out.End(true)}
	x.at, _ = s.deadline(c, a.Timeout, x.began)
	seen, _ := s.Out.RawSince(0)
	x.tells = bytes.Contains(seen, []byte(stateReport))
	if err := s.send(c, s.bracketed(x.text), a.Timeout, false); err != nil {
		return nil, err
	}
	if err := x.takeIn(max(a.Quiet.D, submitGap)); err != nil {
		return nil, err
	}
	return starlark.None, x.enter()
}

// takeIn waits until the program has taken the text in, as far as its output shows. A busy program may be quiet and not
// have done so: it gets some time to show something of the text.
func (x *submission) takeIn(quiet time.Duration) error {
	for waited := time.Duration(0); ; waited += quiet {
		still, err := x.settle(quiet, quiet+submitBusy, "Enter was not pressed")
		if err != nil {
			return err
		}
		x.busy = !still
		if x.busy || x.text == "" || x.s.Out.End(true) > x.typed || waited+quiet >= submitRetry || x.s.gone() {
			return nil
		}
	}
}

const unknown = "it is not known whether the text was taken"

// enter presses Enter and looks whether the program took it. One that did draws something. Where nothing comes, Enter is
// pressed once more, unless the program has not shown what was typed either: then there is nothing to tell.
func (x *submission) enter() error {
	shows := x.text == "" || x.s.Out.End(true) > x.typed
	if err := x.press(); err != nil {
		return err
	}
	x.s.lastSent = x.text
	if known, err := x.answered(submitGap); known || err != nil {
		return err
	}
	switch {
	case x.drew(): // a program that reports its state may yet do so
		if known, err := x.answered(submitRetry); known || err != nil {
			return err
		}
	case shows:
		if known, err := x.answered(submitRetry); known || err != nil {
			return err
		}
		if x.drew() {
			break
		}
		if err := x.press(); err != nil {
			return err
		}
		if known, err := x.answered(submitRetry); known || err != nil {
			return err
		}
	}
	why := "nothing came after Enter"
	switch {
	case x.drew() && x.busy:
		why = "the output never was quiet"
	case x.drew():
		why = "the program did not say that it works on it"
	}
	x.s.st.note(fmt.Sprintf("submit to %s: %s: %s", x.s.Name, why, unknown))
	return nil
}

// answered waits until the program has been quiet for a while after Enter, and reports whether it is known that it took
// the text.
func (x *submission) answered(quiet time.Duration) (bool, error) {
	_, err := x.settle(quiet, submitRetry, unknown)
	return err == nil && x.taken(), err
}

// press presses Enter.
func (x *submission) press() error {
	x.entered, x.pressed = true, x.s.Out.End(true)
	return x.s.send(x.c, x.s.LineEnd(), x.timeout, true)
}

// settle waits until the program has been quiet for a while, or it is known that it took the text, but no longer than
// patience. It reports whether the program was quiet. At the deadline it fails and says what holds.
func (x *submission) settle(quiet, patience time.Duration, holds string) (bool, error) {
	end := x.s.st.Clock.Now().Add(patience)
	for {
		at := x.s.st.Clock.Now().Add(quiet + submitGap)
		if end.Before(at) {
			at = end
		}
		if !x.at.IsZero() && x.at.Before(at) {
			at = x.at
		}
		_, res, err := x.s.quiet(x.c, at, quiet, stdout)
		now := x.s.st.Clock.Now()
		switch {
		case err != nil:
			return false, err
		case res.Why != match.TimedOut, x.entered && x.taken():
			return res.Why != match.TimedOut, nil
		case !x.at.IsZero() && !now.Before(x.at):
			return false, x.s.failure(fault.Timeout, fmt.Sprintf("submit to %s: no answer within %s: %s", x.s.Name, fault.Human(x.at.Sub(x.began)), holds), nil, res)
		case !now.Before(end):
			return false, nil
		}
	}
}

// drew reports whether the program has written anything since Enter.
func (x *submission) drew() bool { return x.s.Out.End(true) > x.pressed }

// taken reports whether it is known that the program took the text, or has ended. A program that
// reports its state is believed. Of one that wrote all the time, the first line end counts.
func (x *submission) taken() bool {
	if x.s.gone() {
		return true
	}
	all, from := x.s.Out.RawSince(x.typed)
	at := max(x.pressed-from, 0)
	before, since := all[:at], all[at:]
	if x.tells || bytes.Contains(all, []byte(stateReport)) {
		return acting(since)
	}
	if !x.busy {
		return len(since) > 0
	}
	return bytes.IndexByte(since, '\n') >= 0 && bytes.IndexByte(before, '\n') < 0
}

// stateReport begins the sequence by which programs tell their state.
const stateReport = "\x1b]7501;state="

// acting reports whether a program says in some output that it works, or waits for an answer.
func acting(raw []byte) bool {
	return bytes.Contains(raw, []byte(stateReport+"working")) || bytes.Contains(raw, []byte(stateReport+"blocked"))
}

// bracketed is a text as a paste, where the program asked for that. The end of a paste within it would be the end of it.
func (s *Session) bracketed(text string) string {
	if !s.Out.BracketedPaste() {
		return text
	}
	const end = "\x1b[201~"
	for strings.Contains(text, end) { // what is left may be one again
		text = strings.ReplaceAll(text, end, "")
	}
	return "\x1b[200~" + text + end
}
