package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/term"

	"omniexpect/internal/event"
	"omniexpect/internal/interp"
	"omniexpect/internal/mask"
	"omniexpect/internal/proc"
	"omniexpect/internal/report"
	"omniexpect/internal/run"
	"omniexpect/internal/spell"
)

// runFlags are the flags of a run, which stand before the script.
type runFlags struct {
	code    string
	isCode  bool // it was given, be it empty
	quiet   bool
	verbose bool
	debug   bool
	scale   float64
	secrets []string
	prompt  bool // statements follow the script
}

// set declares the flags.
func (f *runFlags) set() *flag.FlagSet {
	set := newFlags("run")
	set.Func("c", "run this `CODE` instead of a file", func(code string) error {
		f.code, f.isCode = code, true
		return nil
	})
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
		} else if value, set := os.LookupEnv(name); !set {
			return usageError("%s: -secret-env %s: the variable is not set, so there is nothing to hide%s", command, name, nearVariable(name))
		} else if value != "" && !mask.Hides(value) {
			return usageError("%s: -secret-env %s: its value has fewer than %d characters, and *** in their place would hide half of every "+
				"text: hide it in the script, by secret(env(%q)), where the script itself writes it", command, name, mask.MinValue, name)
		}
	}
	return -1
}

// nearVariable names the variable that somebody may have meant.
func nearVariable(name string) string {
	var names []string
	for _, kv := range os.Environ() {
		n, _, _ := strings.Cut(kv, "=")
		names = append(names, n)
	}
	if near := spell.Nearest(name, names); near != "" {
		return fmt.Sprintf(" (did you mean %s?)", near)
	}
	return ""
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
	if !f.isCode && len(rest) == 0 {
		return nil, usageError("run: no script: give a file, @scripts//NAME.star, - for standard input, or -c 'CODE'")
	}
	return rest, -1
}

func usageError(format string, args ...any) int {
	complain("omniexpect: usage: "+format, args...)
	return 2
}

// runCommand runs a script.
func runCommand(args []string) int {
	var f runFlags
	rest, code := f.parse(args)
	if code >= 0 {
		return code
	}
	sig := newSignals()
	defer sig.stop()
	r := f.newRun(sig)
	var src *interp.Source
	var err error
	if f.isCode {
		src, err = r.Parse("<code>", f.code)
	} else {
		src, err = r.Open(rest[0])
		rest = rest[1:]
	}
	help := ""
	if err == nil {
		help, err = r.Params(src, rest)
	}
	switch {
	case err != nil:
		return r.Refuse(err).Status
	case help != "":
		return printed(help)
	}
	if r.Interruptible(src) {
		sig.listen()
	}
	r.State.Pause = r.pauser(src.Name)
	out := r.Do(sig.ctx, src)
	if code := sig.code(); code != 0 && out.Failure != nil {
		return code
	}
	return out.Status
}

// runner is a run of the command line, with what ends it.
type runner struct {
	*run.Run
	sig   *signals
	pipes *sync.Once
}

// newRun makes a run that speaks on this process's standard output and error.
func (f *runFlags) newRun(sig *signals) *runner {
	pipes := new(sync.Once)
	o := run.Options{Stdin: os.Stdin, Stdout: survivor{os.Stdout, pipes}, Stderr: survivor{os.Stderr, pipes},
		UserIn: os.Stdin, UserOut: os.Stdout, TTY: term.IsTerminal(int(os.Stderr.Fd())), Width: width,
		Quiet: f.quiet, Verbose: f.verbose, Debug: f.debug, Scale: f.scale, Args: f.prompt, Hurry: sig.hurry,
		Listen: func(log *event.Log) {
			spare := sync.OnceFunc(spareCollections)
			log.Add(event.Func(func(event.Event) { spare() }), event.KindSpawn)
		}}
	for _, name := range f.secrets {
		if v := os.Getenv(name); v != "" {
			o.Secrets = append(o.Secrets, v)
		}
	}
	// What libraries write by themselves quotes what others sent: it is shown with -d only, and masked.
	log.SetFlags(0)
	log.SetOutput(io.Discard)
	r := &runner{run.New(o), sig, pipes}
	if f.debug {
		log.SetOutput(logged{r.Report})
	}
	r.Lost = sig.cancel
	kill := func() { proc.KillMarked(r.State.Marker, killTimeout) }
	sig.kill.Store(&kill)
	return r
}

// logged makes lines of -d of what the log package gets.
type logged struct{ to *report.Reporter }

func (l logged) Write(p []byte) (int, error) {
	l.to.Log(strings.TrimSuffix(string(p), "\n"))
	return len(p), nil
}

// width is how many columns the terminal has.
func width() int {
	if w, _, err := term.GetSize(int(os.Stderr.Fd())); err == nil {
		return w
	}
	return 80
}
