// Lane runs the scripts against the real product: lane [flags] DIR OMNIEXPECT.
//
// DIR is where setup.sh installed the product, OMNIEXPECT the program under test. The checks are listed in checks.go. The
// ones that share a kind of model share one start of the product; each prints one line, and the last line counts them. A
// check passes when its script ends with the wanted status, says what it is wanted to say, and leaves nothing behind: no
// process but the server, so neither a host daemon nor a runner, and none of omniexpect's temporary directories.
//
// Exit status: 0 all passed or were skipped, 1 a check failed, 2 used wrongly, 3 the product does not start, 130 or 143
// interrupted.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"omniexpect/e2e/product"
)

// A lane is one run over the checks.
type lane struct {
	dir        string
	omniexpect string
	scripts    string
	bin        string // where the lane's own programs are
	all        bool   // a script that does not exist is a failure
	passed     int
	flaky      int // tries that failed before one passed
	failed     int
	skipped    int
}

func main() {
	os.Exit(run())
}

func run() int {
	flags := flag.NewFlagSet("lane", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: lane [flags] DIR OMNIEXPECT")
		flags.PrintDefaults()
	}
	l := &lane{}
	flags.StringVar(&l.scripts, "scripts", "scripts", "`directory` with the scripts")
	flags.BoolVar(&l.all, "all", false, "a script that does not exist is a failure, not skipped")
	only := flags.String("only", "", "run only the checks whose name matches this `regexp`")
	if err := flags.Parse(os.Args[1:]); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	pattern, err := regexp.Compile(*only)
	if err != nil || flags.NArg() != 2 {
		if err != nil {
			fmt.Fprintln(os.Stderr, "lane: -only:", err)
		}
		flags.Usage()
		return 2
	}
	l.dir = flags.Arg(0)
	// Checks run in a directory of their own, so every path must be absolute.
	for path, value := range map[*string]string{&l.omniexpect: flags.Arg(1), &l.scripts: l.scripts} {
		if *path, err = filepath.Abs(value); err != nil {
			fmt.Fprintln(os.Stderr, "lane:", err)
			return 3
		}
	}

	self, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, "lane:", err)
		return 3
	}
	l.bin = filepath.Dir(self)
	ctx, interrupted, stop := withSignals()
	defer stop()
	began := time.Now()
	if recipe, err := os.ReadFile(filepath.Join(l.dir, "installed")); err == nil {
		fmt.Printf("product: %s\n", strings.TrimSpace(string(recipe)))
	}
	for _, g := range groups() {
		if err := l.group(ctx, g, pattern); err != nil {
			if ctx.Err() != nil {
				break
			}
			fmt.Fprintln(os.Stderr, "lane:", err)
			return 3
		}
	}
	if l.flaky > 0 {
		fmt.Printf("%d tries failed before the product did as it should\n", l.flaky)
	}
	fmt.Printf("%d passed, %d failed, %d skipped in %s\n", l.passed, l.failed, l.skipped, seconds(time.Since(began)))
	switch {
	case ctx.Err() != nil:
		return 128 + int(interrupted())
	case l.failed > 0:
		return 1
	}
	return 0
}

// withSignals returns a context that the first SIGINT, SIGTERM or SIGHUP ends, and a function that tells which it was.
func withSignals() (ctx context.Context, which func() syscall.Signal, stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	ctx, cancel := context.WithCancelCause(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case s := <-signals:
			cancel(signalled(s.(syscall.Signal)))
		case <-ctx.Done():
		}
	}()
	which = func() syscall.Signal {
		var s signalled
		if errors.As(context.Cause(ctx), &s) {
			return syscall.Signal(s)
		}
		return syscall.SIGTERM
	}
	return ctx, which, func() { cancel(nil); <-done }
}

// signalled is the cause of a context that a signal ended.
type signalled syscall.Signal

func (s signalled) Error() string { return "got " + syscall.Signal(s).String() }

// group runs the checks of one kind of model on one start of the product, or none when they would all be skipped.
func (l *lane) group(ctx context.Context, g group, only *regexp.Regexp) error {
	var runnable []check
	for _, c := range g.checks {
		if !only.MatchString(c.name) {
			continue
		}
		if reason := l.missing(c); reason != "" {
			if l.all {
				l.fail(c, 0, reason)
			} else {
				l.skipped++
				line("SKIP", c.name, 0, reason)
			}
			continue
		}
		runnable = append(runnable, c)
	}
	if len(runnable) == 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	config := g.config
	config.Dir, config.Stub = l.dir, filepath.Join(l.bin, "stub")
	p, err := product.Start(ctx, config)
	if err != nil {
		return err
	}
	fmt.Printf("%s: ready after %s\n", g.name, seconds(p.Took))
	for _, c := range runnable {
		if ctx.Err() != nil {
			break
		}
		l.check(ctx, p, c)
	}
	began := time.Now()
	killed, err := p.Stop()
	for _, proc := range killed {
		fmt.Printf("%s: had to kill %s\n", g.name, proc)
	}
	if err != nil {
		return fmt.Errorf("the scratch directory could not be removed: %w", err)
	}
	fmt.Printf("%s: stopped after %s\n", g.name, seconds(time.Since(began)))
	return ctx.Err()
}

// missing describes what a check lacks, or "".
func (l *lane) missing(c check) string {
	if _, err := os.Stat(l.omniexpect); err != nil {
		return "the program under test is not there: " + l.omniexpect
	}
	if _, err := os.Stat(filepath.Join(l.scripts, c.script)); err != nil {
		return c.script + " is not there"
	}
	return ""
}

func (l *lane) fail(c check, took time.Duration, reason string) {
	l.failed++
	line("FAIL", c.name, took, reason)
}

// line prints a check's line.
func line(verdict, name string, took time.Duration, remark string) {
	text := fmt.Sprintf("%s  %-22s %8s", verdict, name, seconds(took))
	if remark != "" {
		text += "  " + remark
	}
	fmt.Println(text)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
