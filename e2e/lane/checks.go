package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"omniexpect/e2e/product"
)

// A check is one run of a script.
type check struct {
	name   string
	script string
	args   []string // $OMNI_SERVER stands for the server's address, $BIN, $SCRIPTS and $WORK for directories
	want   int      // the exit status
	says   string   // a regexp that the output must match
}

// A group is what runs on one start of the product.
type group struct {
	name   string
	config product.Config
	checks []check
}

// limit bounds one check, grace what it and the product may take to clean up after that. tries is how often it is run until it passes.
const (
	tries = 3
	limit = 4 * time.Minute
	grace = 30 * time.Second
)

// groups lists the lane's checks.
func groups() []group {
	server := func(more ...string) []string { return append([]string{"--server", "$OMNI_SERVER"}, more...) }
	const probe = "../e2e/probe/probe.star"
	probing := func(harness string) []string {
		return server("--harness", harness, "--probe", "$BIN/probe", "--out", "$WORK/"+harness+".json", "--script", "$SCRIPTS/"+probe,
			"--manual", "$SCRIPTS/../docs/omnigent/helpers.md")
	}
	// What the forgetful model answers, or the script's own words for it: a control that is red for another reason, such
	// as a deadline, is not a control.
	const forgot = `(?i)(not|n't|no longer) remember|forgot`
	return []group{
		{"model that remembers", product.Config{}, []check{
			{name: "claude warm", script: "claude_resume.star", args: server()},
			{name: "claude cold", script: "claude_resume.star", args: server("--cold")},
			{name: "codex warm", script: "codex_resume.star", args: server()},
			{name: "codex cold", script: "codex_resume.star", args: server("--cold")},
			{name: "elicitation", script: "elicitation.star", args: server()},
			{name: "claude directory", script: "agent_cwd.star", args: server()},
			{name: "claude relaunch", script: "relaunch.star", args: server()},
			{name: "claude reattach", script: "reattach.star", args: server()},
			{name: "codex event order", script: "event_order.star", args: server()},
			{name: "claude probe", script: probe, args: probing("claude")},
			{name: "codex probe", script: probe, args: probing("codex")},
		}},
		{"model that forgets", product.Config{Amnesia: true}, []check{
			{name: "claude red control", script: "claude_resume.star", args: server(), want: 1, says: forgot},
			{name: "codex red control", script: "codex_resume.star", args: server(), want: 1, says: forgot},
		}},
		{"agents alone", product.Config{NoServer: true}, []check{
			{name: "claude by itself", script: "claude_cli_resume.star"},
			{name: "codex by itself", script: "codex_cli_resume.star"},
		}},
	}
}

// check runs one check, prints its line and counts it. The real product loses a turn now and then on a busy machine: a
// check whose script ends otherwise than it should is run again, and each failed try is shown, not hidden. What a check
// leaves behind is nobody's fault but ours, and is not tried again.
func (l *lane) check(ctx context.Context, p *product.Product, c check) {
	took, reason, again := l.try(ctx, p, c, 1)
	for n := 2; again && n <= tries; n++ {
		line("RETRY", c.name, took, reason)
		l.flaky++
		took, reason, again = l.try(ctx, p, c, n)
	}
	switch {
	case ctx.Err() != nil:
		line("STOP", c.name, took, context.Cause(ctx).Error())
	case reason == "":
		l.passed++
		line("PASS", c.name, took, "")
	default:
		l.fail(c, took, reason)
	}
}

// try runs a check for the nth time. What it printed is kept in DIR/lane until the next run. again reports whether another
// try makes sense.
func (l *lane) try(ctx context.Context, p *product.Product, c check, n int) (took time.Duration, reason string, again bool) {
	began := time.Now()
	output, err := l.execute(ctx, p, c)
	took = time.Since(began)
	logs := l.logs(c, n)
	if n == 1 {
		// Those of an earlier run, which may have had more tries.
		for old := range tries {
			os.RemoveAll(l.logs(c, old+1))
		}
	}
	if saveErr := save(logs, output, p); saveErr != nil {
		fmt.Fprintln(os.Stderr, "lane:", saveErr)
	}
	if ctx.Err() != nil {
		return took, "", false
	}
	reason = verdict(c, output, err)
	again = reason != ""
	if left := leftBehind(ctx, p, grace); left != "" && reason == "" {
		reason = "left behind: " + left
	}
	if reason != "" {
		for text := range strings.Lines(tail(output, 2000)) {
			fmt.Println("      | " + strings.TrimRight(text, "\r\n"))
		}
		fmt.Println("      logs:", logs)
	}
	return took, reason, again
}

// logs is the folder for what the nth try of a check leaves to read: a failed try must not be overwritten by the next.
func (l *lane) logs(c check, n int) string {
	name := strings.ReplaceAll(c.name, " ", "-")
	if n > 1 {
		name += fmt.Sprintf("-try-%d", n)
	}
	return filepath.Join(l.dir, "lane", name)
}

// execute runs the script to its end and returns what it printed. An interrupt reaches it as SIGTERM, so that it can
// clean up.
func (l *lane) execute(ctx context.Context, p *product.Product, c check) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	argv := []string{l.omniexpect, "run", filepath.Join(l.scripts, c.script)}
	names := strings.NewReplacer("$OMNI_SERVER", p.Server, "$BIN", l.bin, "$SCRIPTS", l.scripts, "$WORK", p.Work())
	for _, arg := range c.args {
		argv = append(argv, names.Replace(arg))
	}
	plain := p.Command(argv)
	cmd := exec.CommandContext(ctx, plain.Path, plain.Args[1:]...)
	cmd.Dir, cmd.Env = plain.Dir, plain.Env
	// A group of its own: a terminal's Ctrl-C comes once, through here.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = grace
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Run()
	if ctx.Err() != nil {
		err = fmt.Errorf("stopped after %v", limit)
	}
	return output.Bytes(), err
}

// verdict returns why the end of a check is not the wanted one, or "".
func verdict(c check, output []byte, err error) string {
	status := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		status = exit.ExitCode()
	case err != nil:
		return err.Error()
	}
	if status != c.want {
		return fmt.Sprintf("ended with %d, want %d", status, c.want)
	}
	if c.says != "" && !regexp.MustCompile(c.says).Match(output) {
		return fmt.Sprintf("ended with %d as wanted, but did not say %s", status, c.says)
	}
	return ""
}

// leftBehind describes what a check has left, or "", and ends it, so that the next check is not blamed for it. What is just
// ending gets the grace time for that.
func leftBehind(ctx context.Context, p *product.Product, grace time.Duration) string {
	deadline := time.After(grace)
	for {
		processes, directories := leftNow(p)
		if len(processes)+len(directories) == 0 {
			return ""
		}
		select {
		case <-time.After(100 * time.Millisecond):
			continue
		case <-ctx.Done():
			return ""
		case <-deadline:
		}
		var left []string
		for _, process := range processes {
			left = append(left, "process "+process.String())
			process.Kill()
		}
		for _, directory := range directories {
			left = append(left, "directory "+directory)
			os.RemoveAll(directory)
		}
		return strings.Join(left, "; ")
	}
}

func leftNow(p *product.Product) (processes []product.Proc, directories []string) {
	for _, proc := range p.Processes() {
		if !lasting(proc.Command) {
			processes = append(processes, proc)
		}
	}
	for _, pattern := range []string{"omniexpect*", "omnigent-native-config-*"} {
		// The pattern is a constant, so Glob has no error to report.
		found, _ := filepath.Glob(filepath.Join(p.Root, "tmp", pattern))
		directories = append(directories, found...)
	}
	return processes, directories
}

// lasting reports whether a command line is the one of the product that outlives a check: the server. A host daemon and its
// runners do not: each check starts its own daemon, as nobody else's is there, and has to end it.
func lasting(command string) bool { return strings.Contains(command, "-m omnigent.cli server") }

// save keeps what a check printed, what it wrote as JSON, and what the server and the model logged until then.
func save(dir string, output []byte, p *product.Product) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	files := map[string][]byte{"output.txt": output}
	// The pattern is a constant, so Glob has no error to report.
	written, _ := filepath.Glob(filepath.Join(p.Work(), "*.json"))
	for _, name := range append(written, p.ServerLog(), p.StubLog()) {
		// The agents alone have no server, and a script that failed early has asked the model nothing.
		if text, err := os.ReadFile(name); err == nil {
			files[filepath.Base(name)] = text
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// tail returns the last size bytes of output, from the start of a line.
func tail(output []byte, size int) string {
	if len(output) <= size {
		return string(output)
	}
	output = output[len(output)-size:]
	if _, after, ok := bytes.Cut(output, []byte("\n")); ok {
		output = after
	}
	return string(output)
}
