package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.starlark.net/starlark"
	"golang.org/x/term"

	"omniexpect/builtins"
	"omniexpect/internal/check"
	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/interp"
	"omniexpect/internal/mask"
	"omniexpect/internal/report"
	"omniexpect/lib"
	"omniexpect/scripts"
)

// runFlags are the flags of a run, which stand before the script.
type runFlags struct {
	code    string
	quiet   bool
	verbose bool
	debug   bool
	scale   float64
	secrets []string
	prompt  bool // statements follow the script
}

// set declares the flags.
func (f *runFlags) set() *flag.FlagSet {
	set := flag.NewFlagSet("run", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&f.code, "c", "", "run this `CODE` instead of a file")
	set.BoolVar(&f.quiet, "q", false, "say nothing but failures")
	set.BoolVar(&f.verbose, "v", false, "show what sessions write, as it comes")
	set.BoolVar(&f.debug, "d", false, "show every attempt to match")
	f.common(set)
	return set
}

// maxScale is how much longer a timeout can be made.
const maxScale = 1e6

// common declares the flags that a run and the prompt have.
func (f *runFlags) common(set *flag.FlagSet) {
	f.scale = 1
	set.Func("timeout-scale", "multiply every timeout by `N`, for slow machines (default 1)", func(s string) (err error) {
		if f.scale, err = strconv.ParseFloat(s, 64); err != nil || !(f.scale > 0) || f.scale > maxScale {
			return fmt.Errorf("want a number above 0 and up to %d", int(maxScale))
		}
		return nil
	})
	set.Func("secret-env", "hide the value of the variable `NAME` wherever it shows up", func(s string) error {
		f.secrets = append(f.secrets, s)
		return nil
	})
}

// check refuses what only looks like the name of a variable. What follows the name is not shown: it may be the secret.
func (f *runFlags) check(command string) (code int) {
	for _, s := range f.secrets {
		if name, _, given := strings.Cut(s, "="); name == "" {
			return usageError("%s: -secret-env %q: want the name of a variable", command, "")
		} else if given {
			return usageError("%s: -secret-env %s=***: want the name of a variable, without its value", command, name)
		}
	}
	return -1
}

func (f *runFlags) parse(args []string) (rest []string, code int) {
	set := f.set()
	args, rest = uptoCode(set, args)
	err := set.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return nil, flagHelp(set, "usage: omniexpect run [flags] SCRIPT [--param value …] [ARGS…]\n\nSCRIPT is a file, @scripts//NAME.star from the binary, or - for standard input. Flags:\n")
	case err != nil:
		return nil, usageError("run: %s; flags before the script are omniexpect's own, after it the script's", flagProblem(set, err))
	}
	if code := f.check("run"); code >= 0 {
		return nil, code
	}
	rest = append(set.Args(), rest...)
	if f.code == "" && len(rest) == 0 {
		return nil, usageError("run: no script: give a file, @scripts//NAME.star, - for standard input, or -c 'CODE'")
	}
	return rest, -1
}

func usageError(format string, args ...any) int {
	fmt.Fprintf(os.Stderr, "omniexpect: usage: "+format+"\n", args...)
	return 2
}

// runCommand runs a script.
func runCommand(args []string) int {
	var f runFlags
	rest, code := f.parse(args)
	if code >= 0 {
		return code
	}
	r := newRunner(f)
	src, args, err := r.open(f.code, rest)
	if err == nil {
		err = check.NewFor(r.words).Errors(src)
	}
	if err != nil {
		r.report.Fail(err)
		return fault.KindOf(err).ExitCode()
	}
	if code := r.params(src, args); code >= 0 {
		return code
	}
	return r.run(src)
}

// runner is what one run is made of.
type runner struct {
	flags  runFlags
	state  *builtins.State
	words  func() (*dsl.Vocabulary, starlark.StringDict)
	asked  bool // a script needed the words
	lib    *interp.Library
	run0   *interp.Run
	report *report.Reporter
	pipes  *sync.Once
}

func newRunner(f runFlags) *runner {
	masker := mask.New()
	for _, name := range f.secrets {
		if v := os.Getenv(name); v != "" {
			masker.Add(v)
		}
	}
	pipes := new(sync.Once)
	rep := report.New(survivor{os.Stdout, pipes}, survivor{os.Stderr, pipes})
	rep.TTY = term.IsTerminal(int(os.Stderr.Fd()))
	rep.Quiet = f.quiet
	rep.Mask = masker.Mask
	rep.MaskTo = func(w io.Writer) io.Writer { return masker.Writer(w) }
	rep.Width = func() int {
		if w, _, err := term.GetSize(int(os.Stderr.Fd())); err == nil {
			return w
		}
		return 80
	}
	st := &builtins.State{Marker: newMarker(), Mask: masker, Scale: f.scale, Progress: rep.Progress, Step: rep.Step,
		Note: rep.Note, Mirror: rep.Output, Starting: sync.OnceFunc(spareCollections),
		UserIn: os.Stdin, UserOut: os.Stdout}
	if f.verbose {
		st.Output = rep.Output
	}
	if f.debug {
		st.Debug = rep.Debug
	}
	return &runner{flags: f, state: st, report: rep, pipes: pipes}
}

// newMarker returns the value that marks every process of this run in its environment. It is no secret, and has to be
// like no other: for that the runtime's own random numbers do, which are there before crypto/rand has started.
func newMarker() string { return fmt.Sprintf("%016x%08x", rand.Uint64(), rand.Uint32()) }

// declare makes the run. The vocabulary is made when a script first uses a name that it does not bind itself.
func (r *runner) declare() {
	r.words = sync.OnceValues(func() (*dsl.Vocabulary, starlark.StringDict) {
		vocabulary := r.state.Vocabulary()
		r.asked = true
		r.run0.Closers = append(r.run0.Closers, r.state.Close)
		r.run0.Predefined = interp.Predeclare(vocabulary)
		return vocabulary, r.run0.Predefined
	})
	r.lib = interp.NewLibraryFor(map[string]fs.FS{"@lib": lib.Files, "@scripts": scripts.Files}, func() []string {
		_, predeclared := r.words()
		return slices.Collect(maps.Keys(predeclared))
	})
	r.run0 = interp.New(r.lib, nil)
	r.report.Source = r.lib.Text
	r.report.Hint = r.lib.Hint
}

// open reads the script.
func (r *runner) open(code string, rest []string) (*interp.Source, []string, error) {
	r.declare()
	if code != "" {
		src, err := r.lib.Parse("<code>", code)
		return src, rest, err
	}
	name := rest[0]
	if name == "-" {
		text, err := interp.ReadText(os.Stdin)
		if err != nil {
			return nil, nil, fault.New(fault.Env, "standard input: %w", err)
		}
		src, err := r.lib.Parse("<stdin>", string(text))
		return src, rest[1:], err
	}
	src, err := r.lib.Open(name)
	return src, rest[1:], err
}

// params reads the script's own command line; a code of 0 or more ends the run.
func (r *runner) params(src *interp.Source, args []string) (code int) {
	declared, err := r.lib.Params(src, "param")
	if err == nil {
		var help bool
		var rest []string
		r.state.Params, rest, help, err = interp.ParseFlags(declared, args, r.flags.prompt || src.Names("ARGS") || src.Names("pause"))
		if help && err == nil {
			return printed(scriptHelp(src, declared))
		}
		r.state.SetArgs(rest)
		for _, p := range declared {
			if value := r.state.Params[p.Name]; p.Secret && value != "" {
				r.state.Mask.Add(value) // messages about other parameters show what they got
			}
		}
		if err == nil && len(rest) > 0 && !src.Names("ARGS") {
			err = interp.Unread(declared, src.Name, rest)
		}
		if err == nil {
			err = checkParams(declared, r.state.Params)
		}
	}
	if err != nil {
		r.report.Fail(err)
		return fault.KindOf(err).ExitCode()
	}
	return -1
}

// checkParams finds what is missing or wrong on the command line before the script runs.
func checkParams(declared []interp.Param, given map[string]string) error {
	for _, p := range declared {
		text, ok := given[p.Name]
		if !ok {
			if p.Required {
				return fault.New(fault.Usage, "%s is required: %s", p.Flag(), cmp.Or(p.Help, "the script cannot do without"))
			}
			continue
		}
		if _, err := p.Value(text); err != nil {
			return err
		}
	}
	return nil
}

// scriptHelp says what a script is for and what its parameters are.
func scriptHelp(src *interp.Source, params []interp.Param) string {
	var w strings.Builder
	fmt.Fprintf(&w, "usage: omniexpect run %s [--param value …]\n", src.Name)
	if doc := src.Doc(); doc != "" {
		fmt.Fprintf(&w, "\n%s\n", doc)
	}
	if len(params) > 0 {
		fmt.Fprint(&w, "\nparameters:\n")
	}
	for _, p := range params {
		flag := p.Flag()
		if p.Type != "bool" {
			flag += " <" + p.Type + ">"
		}
		if notes := p.Notes(); len(notes) > 0 {
			p.Help += " (" + strings.Join(notes, "; ") + ")"
		}
		fmt.Fprintf(&w, "  %-26s %s\n", flag, strings.TrimSpace(p.Help))
	}
	return w.String()
}

// run executes the script and turns its end into an exit status.
func (r *runner) run(src *interp.Source) int {
	sig := newSignals()
	defer sig.stop()
	if r.interruptible(src) {
		sig.listen()
	}
	r.prepare(sig)
	r.state.Pause = r.pauser(sig, src.Name)
	err := r.run0.Do(sig.ctx, src)
	if err == nil {
		err = r.state.Late()
	}
	err = sig.unwritten(err)
	name := filepath.Base(src.Name)
	var exit *dsl.Exit
	switch {
	case err == nil:
		r.report.Passed(name, "passed")
	case errors.As(err, &exit):
		if exit.Skipped {
			r.report.Passed(name, "skipped"+because(exit.Reason))
		} else {
			r.report.End()
		}
		return exit.Code
	case errors.Is(err, errPipe):
		return pipeStatus
	default:
		r.report.Fail(err)
	}
	if code := sig.code(); code != 0 {
		return code
	}
	return status(err)
}

// status is the exit status of a run that ended with err.
func status(err error) int {
	var exit *dsl.Exit
	var deferred *interp.Deferred
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.Code
	case errors.As(err, &deferred):
		return 1 // whatever it was: the script itself went well
	}
	return fault.KindOf(err).ExitCode()
}

// interruptible says whether an interrupt of the script makes a difference: it may have something to clean up, or last.
func (r *runner) interruptible(src *interp.Source) bool { return r.asked || src.Loops() }

// prepare joins the run with what reports it and what ends it.
func (r *runner) prepare(sig *signals) {
	r.run0.Hurry = sig.hurry
	r.run0.Host.Print = func(text string) {
		if err := r.report.Print(text); err != nil {
			sig.lose(err)
		}
	}
	r.run0.Report = r.report.Fail
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return " (" + reason + ")"
}
