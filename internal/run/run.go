package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"go.starlark.net/starlark"

	"omniexpect/builtins"
	"omniexpect/internal/check"
	"omniexpect/internal/clock"
	"omniexpect/internal/dsl"
	"omniexpect/internal/event"
	"omniexpect/internal/fault"
	"omniexpect/internal/interp"
	"omniexpect/internal/mask"
	"omniexpect/internal/report"
	"omniexpect/lib"
	"omniexpect/scripts"
)

// Options say how a run is done. The zero value runs a script in silence.
type Options struct {
	Stdin          io.Reader // where the script "-" comes from
	Stdout, Stderr io.Writer // what the script prints; what is said about the run. Nobody reads what is nil

	UserIn, UserOut *os.File   // the terminal of the person, for interact() and ask_user(); standard input and output if nil
	TTY             bool       // Stderr is a terminal
	Width           func() int // of that terminal

	Quiet   bool // say nothing but failures
	Verbose bool // show what sessions write
	Debug   bool // show every attempt to match

	Scale   float64             // factor for every timeout; 0 is 1
	Secrets []string            // values that are hidden wherever they show up
	Extra   starlark.StringDict // more predeclared names
	Lib     map[string]fs.FS    // where "@name//" modules come from; the binary's own if nil
	Listen  func(*event.Log)    // adds sinks before anything happens; may be nil
	Args    bool                // ARGS are taken although the script does not name them: statements follow it
	Hurry   context.Context     // ends when clean-up has to be cut short; may be nil
	Clock   clock.Clock         // what the time is taken from; the system's if nil
}

// Run is a run that has not ended. Its parts are there for what shows or steers it, such as the prompt.
type Run struct {
	Options
	State   *builtins.State
	Library *interp.Library
	Interp  *interp.Run
	Report  *report.Reporter
	Events  *event.Log

	Lost func(error) // called with the error of a print that could not write; Do sets it where it is nil

	words func() (*dsl.Vocabulary, starlark.StringDict)
	asked bool // a script needed the words
	lost  atomic.Pointer[error]
	steps steps
}

// New makes a run. The vocabulary is made when a script first uses a name that it does not bind itself.
func New(o Options) *Run {
	masker := mask.New()
	for _, s := range o.Secrets {
		masker.Add(s)
	}
	o.Clock = clock.Or(o.Clock)
	began := o.Clock.Now()
	r := &Run{Options: o, Events: &event.Log{Clock: func() time.Duration { return clock.Since(o.Clock, began) }}}
	r.Report = r.reporter(masker)
	r.State = &builtins.State{Marker: newMarker(), Mask: masker, Scale: o.Scale, Events: r.Events, Clock: o.Clock, Mirror: r.Report.Mirror,
		UserIn: o.UserIn, UserOut: o.UserOut}
	if o.Listen != nil {
		o.Listen(r.Events)
	}
	r.Events.Add(&r.steps, event.KindStep)
	r.Report.Listen(r.Events)
	r.declare()
	return r
}

func (r *Run) reporter(masker *mask.Masker) *report.Reporter {
	rep := report.New(orNobody(r.Stdout), orNobody(r.Stderr))
	rep.TTY, rep.Quiet, rep.Verbose, rep.Debug = r.TTY, r.Quiet, r.Verbose, r.Debug
	rep.Mask = masker.Mask
	rep.MaskTo = func(w io.Writer) report.Stream { return masker.Writer(w) }
	rep.Conceal = func(s string) string { return r.State.Conceal(s) }
	if r.Width != nil {
		rep.Width = r.Width
	}
	return rep
}

func orNobody(w io.Writer) io.Writer {
	if w == nil {
		return io.Discard
	}
	return w
}

// newMarker returns the value that marks every process of this run in its environment. It is not a secret, and has to be
// like no other: for that the runtime's own random numbers do, which are there before crypto/rand has started.
func newMarker() string { return fmt.Sprintf("%016x%08x", rand.Uint64(), rand.Uint32()) }

// Embedded returns the modules that are in the binary.
func Embedded() map[string]fs.FS {
	return map[string]fs.FS{"@lib": lib.Files, "@scripts": scripts.Files}
}

// declare makes the interpreter's run and the library.
func (r *Run) declare() {
	r.words = sync.OnceValues(func() (*dsl.Vocabulary, starlark.StringDict) {
		vocabulary := r.State.Vocabulary()
		r.asked = true
		r.Interp.Closers = append(r.Interp.Closers, r.State.Close)
		r.Interp.Predefined = interp.Predeclare(vocabulary)
		maps.Copy(r.Interp.Predefined, r.Extra)
		return vocabulary, r.Interp.Predefined
	})
	modules := r.Lib
	if modules == nil {
		modules = Embedded()
	}
	r.Library = interp.NewLibraryFor(modules, func() []string {
		_, predeclared := r.words()
		return slices.Collect(maps.Keys(predeclared))
	})
	r.Interp = interp.New(r.Library, nil)
	r.Interp.Host.Events = r.Events
	r.Interp.Host.Print = func(text string) { r.print(text, r.Report.Print) }
	r.Interp.Host.PrintRaw = func(text string) { r.print(text, r.Report.PrintRaw) }
	r.Interp.Host.Clock, r.Interp.Host.Mask = r.Clock, r.State.Mask
	r.Interp.Report = r.fail
	r.Interp.Hurry = r.Hurry
	r.Report.Source = r.Library.Text
	r.Report.Hint = r.Library.Hint
}

// Vocabulary returns the builtins of the run.
func (r *Run) Vocabulary() *dsl.Vocabulary {
	vocabulary, _ := r.words()
	return vocabulary
}

// Open reads the script with this name and checks it: a file, a label such as "@scripts//check.star", or "-" for Stdin.
func (r *Run) Open(name string) (*interp.Source, error) {
	if name == "-" {
		text, err := interp.ReadText(r.Stdin)
		if err != nil {
			return nil, fault.New(fault.Env, "standard input: %w", err)
		}
		return r.Parse("<stdin>", string(text))
	}
	text, err := r.Library.Read(name)
	if err != nil {
		return nil, err
	}
	return r.Parse(name, text)
}

// Parse takes a script's text and checks it.
func (r *Run) Parse(name, text string) (*interp.Source, error) {
	src, err := r.Library.Parse(name, text)
	if err != nil {
		return nil, err
	}
	return src, check.NewFor(r.words).Errors(src)
}

// Interruptible reports whether an interrupt of the script makes a difference: it may have something to clean up, or last.
func (r *Run) Interruptible(src *interp.Source) bool { return r.asked || src.Loops() }

// print writes what the script prints. A run whose output nobody takes ends.
func (r *Run) print(text string, write func(string) error) {
	if r.Events.Wants(event.KindPrint) {
		r.Events.Emit("", event.Pos{}, &event.Print{Text: text})
	}
	err := write(text)
	if err == nil {
		return
	}
	if errors.Is(err, syscall.EPIPE) {
		err = fault.New(fault.Env, "%w", ErrPipe)
	} else {
		err = fault.New(fault.Env, "print: standard output: %v", fault.Reason(err))
	}
	r.lost.CompareAndSwap(nil, &err)
	if r.Lost != nil {
		r.Lost(err)
	}
}

// ErrPipe ends a run whose standard output nobody reads any more, as after `| head`. It cleans up and says nothing.
var ErrPipe = fmt.Errorf("print: standard output: %w", syscall.EPIPE)

// pipeStatus is the exit status of a program that SIGPIPE ends, as a shell has it.
const pipeStatus = 128 + int(syscall.SIGPIPE)

// Finish makes the deferred calls, cleans up, and returns how the run ends whose statements ended with err.
func (r *Run) Finish(ctx context.Context, err error) error {
	return r.lateOr(r.Interp.End(ctx, err))
}

// lateOr is how a run ended, which is not a success if an action of always() failed when no wait came any more, or something
// that was printed got lost after the last statement.
func (r *Run) lateOr(err error) error {
	if err == nil {
		err = r.State.Late()
	}
	var exit *dsl.Exit
	if lost := r.lost.Load(); lost != nil && (err == nil || errors.As(err, &exit) && exit.Code == 0) {
		return *lost
	}
	return err
}

// because writes a reason behind a word, if there is one.
func because(reason string) string {
	if strings.TrimSpace(reason) == "" {
		return ""
	}
	return " (" + reason + ")"
}
