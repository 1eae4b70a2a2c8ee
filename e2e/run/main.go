// Run runs a command against the real product: run [flags] DIR COMMAND [ARGUMENT…].
//
// The model stub and the server are started first and stopped afterwards, together with everything they started. The
// command runs in an empty working directory and finds in its environment OMNI_SERVER (not with -no-server), STUB_URL,
// STUB_LOG, a scratch HOME and TMPDIR, and a PATH with the product's and the agents' command lines.
//
// The exit status is the command's (128 plus the number of the signal that ended it). SIGINT, SIGTERM and SIGHUP are
// passed on to it; a second one kills it. Whatever happens, the clean-up is done.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/term"

	"omniexpect/e2e/product"
)

func main() {
	os.Exit(run())
}

func run() int {
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: run [flags] DIR COMMAND [ARGUMENT…]")
		flags.PrintDefaults()
	}
	var config product.Config
	flags.BoolVar(&config.Amnesia, "amnesia", os.Getenv("STUB_AMNESIA") == "1", "the model forgets (also STUB_AMNESIA=1)")
	flags.BoolVar(&config.NoServer, "no-server", false, "start the model stub only, for the agents' own command lines")
	flags.BoolVar(&config.Keep, "keep", os.Getenv("KEEP") == "1", "keep the scratch directory (also KEEP=1)")
	if err := flags.Parse(os.Args[1:]); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if flags.NArg() < 2 {
		flags.Usage()
		return 2
	}
	self, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, "run:", err)
		return 3
	}
	config.Dir, config.Stub = flags.Arg(0), filepath.Join(filepath.Dir(self), "stub")

	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	p, status := start(config, signals)
	if p == nil {
		return status
	}
	status = command(p, flags.Args()[1:], signals)
	killed, err := p.Stop()
	for _, proc := range killed {
		fmt.Fprintln(os.Stderr, "run: had to kill", proc)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "run:", err)
	}
	if config.Keep {
		fmt.Fprintln(os.Stderr, "run: kept", p.Root)
	}
	return status
}

// start starts the product, or says why not and returns the exit status.
func start(config product.Config, signals <-chan os.Signal) (*product.Product, int) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	type outcome struct {
		product *product.Product
		err     error
	}
	started := make(chan outcome, 1)
	go func() {
		p, err := product.Start(ctx, config)
		started <- outcome{p, err}
	}()
	var status int
	for {
		select {
		case s := <-signals:
			status = 128 + int(s.(syscall.Signal))
			cancel()
		case o := <-started:
			switch {
			case o.err != nil && status == 0:
				fmt.Fprintln(os.Stderr, "run:", o.err)
				return nil, 3
			case o.err != nil:
				return nil, status
			case status != 0: // the signal came when it was just ready
				o.product.Stop()
				return nil, status
			}
			return o.product, 0
		}
	}
}

// command runs argv to its end and returns the exit status.
func command(p *product.Product, argv []string, signals <-chan os.Signal) int {
	terminal := term.IsTerminal(int(os.Stdin.Fd()))
	cmd := p.Command(argv)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	// At a terminal the command must stay in the foreground group, where it gets Ctrl-C from the terminal itself.
	// Elsewhere a group of its own makes sure that a signal to everybody reaches it once, through here.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: !terminal}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "run:", err)
		return 3
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	var tooLate <-chan time.Time
	for {
		select {
		case <-done:
			if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
				return 128 + int(status.Signal())
			}
			return cmd.ProcessState.ExitCode()
		case s := <-signals:
			switch {
			case tooLate != nil:
				cmd.Process.Kill()
			case terminal && s == syscall.SIGINT:
				tooLate = time.After(time.Minute)
			default:
				cmd.Process.Signal(s)
				tooLate = time.After(time.Minute)
			}
		case <-tooLate:
			cmd.Process.Kill()
		}
	}
}
