package sim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"omniexpect/internal/lazy"
)

const cliUsage = `usage: omnigent claude|codex [--server URL] [-p PROMPT] [--resume ID] [ARGS for the agent...]
       omnigent resume ID [--server URL]
       omnigent server [OPTIONS]
       omnigent stop | --version | --help
`

// usageError ends the command line with 2, as Click does; any other error ends it with 1.
type usageError struct{ msg string }

func (e usageError) Error() string { return e.msg }

// exitError is an end with a status and nothing more to say.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// launch is what the command line of one agent says.
type launch struct {
	harness string // claude or codex
	server  string
	resume  string // conversation to resume
	prompt  string
	model   string
	pass    []string // for the agent
}

// CLI runs the simulated command line; args are without the program's name. The exit code is the product's: 0 ended,
// 1 failed, 2 used wrongly, and 128 plus the signal that ended it.
func CLI(ctx context.Context, args []string, stdin *os.File, stdout, stderr *os.File) int {
	c := &cli{stdin: stdin, stdout: stdout, stderr: stderr}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	run, cancel := context.WithCancel(ctx)
	defer cancel()
	ended, watched := make(chan struct{}), make(chan exitError, 1)
	go func() {
		code := awaitSignal(ctx, signals, ended)
		cancel()
		watched <- code
	}()
	err := c.dispatch(run, args)
	close(ended)
	code := <-watched
	if code != 0 && !(err == nil && args[0] == "server") { // stopping a server is its proper end
		err = code // and hides what it made fail
	}
	return c.report(err)
}

// signalGrace is how long a cancelled context waits for the signal that explains it: the caller may have been told first.
const signalGrace = 50 * time.Millisecond

// awaitSignal returns the exit code of what interrupted the run, 0 if it ended by itself.
func awaitSignal(ctx context.Context, signals <-chan os.Signal, ended <-chan struct{}) exitError {
	code := func(sig os.Signal) exitError { return exitError(128 + int(sig.(syscall.Signal))) }
	select {
	case sig := <-signals:
		return code(sig)
	case <-ended:
		return 0
	case <-ctx.Done():
	}
	grace := time.NewTimer(signalGrace)
	defer grace.Stop()
	select {
	case sig := <-signals:
		return code(sig)
	case <-grace.C:
		return 130
	}
}

func (c *cli) report(err error) int {
	var code exitError
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &usage):
		fmt.Fprintf(c.stderr, "Usage: omnigent [OPTIONS] COMMAND [ARGS]...\nTry 'omnigent --help' for help.\n\nError: %s\n", usage.msg)
		return 2
	}
	fmt.Fprintf(c.stderr, "Error: %v\n", err)
	return 1
}

// cli is one run of the command line.
type cli struct {
	stdin, stdout, stderr *os.File

	api    *client
	launch launch
	era    string
	bugs   bugSet
	id     string // the conversation
	fresh  bool
	cwd    string
}

func (c *cli) dispatch(ctx context.Context, args []string) error {
	if len(args) == 0 {
		fmt.Fprint(c.stderr, cliUsage)
		return exitError(2)
	}
	switch args[0] {
	case "--version":
		_, err := fmt.Fprintf(c.stdout, "omnigent %s (omniexpect simulator, era %s)\n", versionOf(eraCurrent), eraCurrent)
		return err
	case "-h", "--help", "help":
		_, err := fmt.Fprint(c.stdout, cliUsage)
		return err
	case "server":
		if code := Server(ctx, args[1:], c.stdout, c.stderr); code != 0 {
			return exitError(code)
		}
		return nil
	case "stop":
		fmt.Fprintln(c.stdout, "The simulator has no background host; end its server instead.")
		return nil
	case harnessClaude, harnessCodex:
		l, err := parseLaunch(args[0], args[1:])
		if err != nil {
			return err
		}
		return c.start(ctx, l)
	case "resume":
		return c.resumeAny(ctx, args[1:])
	}
	return usageError{fmt.Sprintf("No such command '%s'.", args[0])}
}

// parseLaunch reads an agent's options; what is not ours goes to the agent.
func parseLaunch(harness string, args []string) (launch, error) {
	l := launch{harness: harness}
	var session string
	values := map[string]*string{"--server": &l.server, "--resume": &l.resume, "-r": &l.resume, "--session": &session,
		"-p": &l.prompt, "--prompt": &l.prompt}
	if harness == harnessCodex {
		values["--model"] = &l.model
	}
	for i := 0; i < len(args); i++ {
		name, value, inline := strings.Cut(args[i], "=")
		into := values[name]
		switch {
		case args[i] == "--":
			l.pass = append(l.pass, args[i+1:]...)
			i = len(args)
		case into == nil:
			if harness == harnessCodex && (name == "app-server" || name == "--listen" || name == "--remote") {
				return l, usageError{fmt.Sprintf("'%s' cannot be passed through to Codex", name)}
			}
			if name != "--host" && name != "--use-native-config" && name != "--profile-startup" {
				l.pass = append(l.pass, args[i])
			}
		case inline:
			*into = value
		case i+1 < len(args):
			i++
			*into = args[i]
		case into == &l.resume:
			return l, usageError{"--resume without an id opens a picker, which the simulator does not have: give the id"}
		default:
			return l, usageError{fmt.Sprintf("Option '%s' requires an argument.", name)}
		}
	}
	if session != "" && l.resume != "" {
		return l, usageError{"--session and --resume are mutually exclusive; prefer --resume (--session is deprecated)."}
	}
	if session != "" {
		l.resume = session
	}
	return l, nil
}

// resumeAny finds out whose conversation it is.
func (c *cli) resumeAny(ctx context.Context, args []string) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return usageError{"give the id of the conversation to resume"}
	}
	l, err := parseLaunch(harnessClaude, append([]string{"--resume"}, args...))
	if err != nil {
		return err
	}
	if idKey(l.resume) == "" {
		return errors.New("Invalid session id.")
	}
	api, err := newClient(l.server)
	if err != nil {
		return err
	}
	s, found, err := api.session(ctx, l.resume)
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("Conversation '%s' not found on '%s'.", l.resume, api.base)
	}
	if s.Labels["omnigent.wrapper"] == "codex-native-ui" {
		l.harness = harnessCodex
	}
	return c.start(ctx, l)
}

// display is the agent's name in texts.
func (l launch) display() string {
	if l.harness == harnessCodex {
		return "Codex"
	}
	return "Claude"
}

func (l launch) wrapper() string {
	if l.harness == harnessCodex {
		return "codex-native-ui"
	}
	return "claude-code-native-ui"
}

var configServer = lazy.Regexp(`(?m)^server:[ \t]*["']?([^\s"'#]+)`)

// configuredServer is the server of config.yaml.
func configuredServer() string {
	dir := os.Getenv("OMNIGENT_CONFIG_HOME")
	if dir == "" {
		dir = filepath.Join(os.Getenv("HOME"), ".omnigent")
	}
	data, err := os.ReadFile(filepath.Join(dir, "config.yaml"))
	if err != nil {
		return ""
	}
	if m := configServer().FindSubmatch(data); m != nil {
		return string(m[1])
	}
	return ""
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && f != nil && term.IsTerminal(int(f.Fd()))
}
