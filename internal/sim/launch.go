package sim

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const terminalWait = 60 * time.Second

// start is the whole of `omnigent claude` or `omnigent codex`.
func (c *cli) start(ctx context.Context, l launch) error {
	api, err := newClient(l.server)
	if err != nil {
		return err
	}
	defer api.close()
	c.api, c.launch, c.fresh = api, l, l.resume == ""
	if c.cwd, err = os.Getwd(); err != nil {
		return fmt.Errorf("the working directory is gone: %w", err)
	}
	progress := newSpinner(c.stderr)
	err = c.prepare(ctx, progress)
	progress.stop()
	if err != nil {
		return err
	}
	fmt.Fprintf(c.stderr, "Web UI: %s/c/%s\n", api.base, c.id)
	end, err := c.attach(ctx)
	if err != nil {
		return err
	}
	return c.finish(ctx, end)
}

// prepare does everything up to a running terminal.
func (c *cli) prepare(ctx context.Context, progress *spinner) error {
	progress.say("Connecting to the server…")
	if err := c.meet(ctx); err != nil {
		return err
	}
	if c.bugs[bugCLICrashes] {
		progress.stop()
		return c.crash(ctx)
	}
	if c.fresh {
		if c.launch.harness == harnessCodex {
			progress.say("Connecting to local daemon...")
		}
		progress.say("Creating " + c.launch.display() + " session...")
		id, err := c.api.create(ctx, c.launch, c.launchArgs(), c.cwd)
		if err != nil {
			return err
		}
		c.id = id
		if err := c.rememberPlace(); err != nil {
			return err
		}
	} else {
		progress.say("Preparing " + c.launch.display() + "...")
		if err := c.reopen(ctx, progress); err != nil {
			return err
		}
	}
	progress.say("Starting runner...")
	if err := c.startRunner(ctx); err != nil {
		return err
	}
	if !c.fresh {
		progress.say("Restoring " + c.launch.display() + " terminal...")
	}
	progress.say("Starting " + c.launch.display() + " terminal...")
	if err := c.startTerminal(ctx); err != nil {
		return err
	}
	progress.say(c.launch.display() + " terminal ready.")
	return c.firstMessage(ctx)
}

// meet refuses a server that is not the simulator's: half a simulator proves nothing about the product.
func (c *cli) meet(ctx context.Context) error {
	var version struct{ Version string }
	if _, _, err := c.api.call(ctx, "GET", "/api/version", nil, &version); err != nil {
		return err
	}
	var info simInfo
	status, _, err := c.api.call(ctx, "GET", "/sim", nil, &info)
	if err != nil {
		return err
	}
	if status != 200 || !strings.HasSuffix(version.Version, "-sim") {
		return fmt.Errorf("%s is not the simulator's server (version %q): use the product's own command line with it", c.api.base, version.Version)
	}
	c.era, c.bugs = info.Era, bugSet{}
	for _, name := range info.Bugs {
		c.bugs[name] = true
	}
	_, _, err = c.api.call(ctx, "GET", "/v1/me", nil, nil)
	return err
}

// crash is what a person sees of an error that nothing caught, and the question after it. Its answer changes nothing here.
func (c *cli) crash(ctx context.Context) error {
	report := filepath.Join(os.Getenv("HOME"), ".omnigent", "crashes", "crash-20261201-000000-simulated.md")
	fmt.Fprintf(c.stderr, "\nOmnigent ran into an issue.\n\n─── technical details ───\nTraceback (most recent call last):\n"+
		"  File \"omnigent/cli.py\", line 1, in main\n    start()\n  ⋮ 12 frames hidden in httpx  (see the saved report)\n"+
		"httpx.ReadTimeout: timed out\n\n  A crash report was saved to:\n    %s\n\n", report)
	if !isTerminal(c.stdin) {
		return exitError(1)
	}
	fmt.Fprint(c.stderr, "Help us fix it — file a GitHub issue with this report? [Y/n] ")
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	select {
	case <-readInput(ctx, c.stdin):
	case <-ctx.Done():
	}
	return exitError(1)
}

// launchArgs is what is kept of the command line for the agent, and given to it again on resume.
func (c *cli) launchArgs() []string {
	args := c.launch.pass
	switch {
	case c.launch.prompt == "":
	case c.era == eraSeed:
		args = append([]string{"-p", c.launch.prompt}, args...)
	case c.launch.harness == harnessClaude:
		args = append(args, c.launch.prompt)
	}
	return args
}

// reopen checks the conversation to resume and the place it was started in.
func (c *cli) reopen(ctx context.Context, progress *spinner) error {
	c.id = c.launch.resume
	s, found, err := c.api.session(ctx, c.id)
	if err != nil {
		return err
	}
	if !found {
		if c.launch.harness == harnessCodex {
			return fmt.Errorf("Conversation '%s' not found on the server.", c.id)
		}
		return nil // claude finds out when it launches the runner
	}
	c.id = s.ID
	if w := s.Labels["omnigent.wrapper"]; w != c.launch.wrapper() {
		if c.launch.harness == harnessCodex {
			return fmt.Errorf("Conversation '%s' is not a codex-native session.", c.id)
		}
		return fmt.Errorf("Conversation '%s' is not a claude-native session (wrapper=%s). Use `omnigent codex --resume %s`", c.id, w, c.id)
	}
	if err := c.samePlace(progress); err != nil {
		return err
	}
	args := c.launchArgs()
	if len(args) == 0 && c.era != eraSeed { // the seed does not keep a prompt for the resume
		return nil
	}
	status, message, err := c.api.call(ctx, "PATCH", "/v1/sessions/"+c.id, map[string]any{"terminal_launch_args": args}, nil)
	if err == nil && status != 200 {
		err = fmt.Errorf("the launch arguments were refused (%d): %s", status, message)
	}
	return err
}

// placeFile records where a conversation was started.
func (c *cli) placeFile() string {
	dir := os.Getenv("OMNIGENT_DATA_DIR")
	if dir == "" {
		dir = filepath.Join(os.Getenv("HOME"), ".omnigent")
	}
	return filepath.Join(dir, c.launch.harness+"-native", conversationHash(c.id), "launch.json")
}

func (c *cli) rememberPlace() error {
	data, err := json.Marshal(map[string]string{"working_directory": c.cwd})
	if err == nil {
		err = os.MkdirAll(filepath.Dir(c.placeFile()), 0o700)
	}
	if err == nil {
		err = os.WriteFile(c.placeFile(), data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("the launch directory cannot be recorded: %w", err)
	}
	return nil
}

// samePlace asks when the conversation was started in another directory.
func (c *cli) samePlace(progress *spinner) error {
	data, err := os.ReadFile(c.placeFile())
	var place struct {
		Dir string `json:"working_directory"`
	}
	if err != nil || json.Unmarshal(data, &place) != nil || place.Dir == "" || place.Dir == c.cwd {
		return nil
	}
	progress.stop()
	choices := "[s]witch to it, [m]ove the session here, or [l]eave"
	if c.launch.harness == harnessCodex {
		choices = "[s]witch to it, or [c]ancel"
	}
	fmt.Fprintf(c.stderr, "This session was started in %s, not in %s.\n%s? ", place.Dir, c.cwd, choices)
	line, _ := bufio.NewReader(c.stdin).ReadString('\n')
	switch answer := strings.ToLower(strings.TrimSpace(line)); {
	case strings.HasPrefix(answer, "s"):
		c.cwd = place.Dir
		return nil
	case strings.HasPrefix(answer, "m") && c.launch.harness == harnessClaude:
		return c.rememberPlace()
	}
	fmt.Fprintln(c.stderr, "Resume cancelled.")
	return exitError(1)
}

func (c *cli) startRunner(ctx context.Context) error {
	var list struct {
		Hosts []struct {
			ID     string `json:"host_id"`
			Status string `json:"status"`
		} `json:"hosts"`
	}
	if _, _, err := c.api.call(ctx, "GET", "/v1/hosts", nil, &list); err != nil {
		return err
	}
	if len(list.Hosts) == 0 || list.Hosts[0].Status != "online" {
		return errors.New("the server has no host online")
	}
	host := list.Hosts[0].ID
	var made struct {
		ID string `json:"runner_id"`
	}
	status, message, err := c.api.call(ctx, "POST", "/v1/hosts/"+host+"/runners", map[string]any{
		"session_id": c.id, "workspace": c.cwd,
		"sim": map[string]any{"home": os.Getenv("HOME"), "tmp_dir": os.TempDir(), "fresh": c.fresh},
	}, &made)
	if err != nil {
		return err
	}
	if status != 200 {
		return fmt.Errorf("Failed to launch a runner on host '%s' (%d): %s", host, status, message)
	}
	_, _, err = c.api.call(ctx, "GET", "/v1/runners/"+url.PathEscape(made.ID)+"/status", nil, nil)
	return err
}

func (c *cli) terminalPath() string {
	return "/v1/sessions/" + c.id + "/resources/terminals/terminal_" + c.launch.harness + "_main"
}

// startTerminal has the terminal started where it does not start by itself, and waits for it.
func (c *cli) startTerminal(ctx context.Context) error {
	if !c.fresh || c.launch.harness == harnessCodex {
		status, message, err := c.api.call(ctx, "POST", "/v1/sessions/"+c.id+"/resources/terminals",
			terminalRequest{c.launch.harness, "main", true}, nil)
		if err == nil && status != 200 {
			err = fmt.Errorf("The runner could not start the %s terminal for '%s': %s", c.launch.display(), c.id, message)
		}
		if err != nil {
			return err
		}
	}
	deadline := time.Now().Add(terminalWait)
	for wait := 20 * time.Millisecond; time.Now().Before(deadline); wait = min(2*wait, 500*time.Millisecond) {
		var t struct {
			Metadata struct{ Running *bool }
		}
		status, message, err := c.api.call(ctx, "GET", c.terminalPath(), nil, &t)
		switch {
		case err != nil:
			return err
		case status == 200 && (t.Metadata.Running == nil || *t.Metadata.Running):
			return nil
		case status != 200 && status != 404 && status != 409 && status != 502 && status != 503:
			return fmt.Errorf("the terminal cannot be read (%d): %s", status, message)
		}
		if !sleep(ctx, wait) {
			return ctx.Err()
		}
	}
	return fmt.Errorf("The runner did not create the %s terminal for '%s' within 60s.", c.launch.display(), c.id)
}

// firstMessage is codex's prompt, which is posted rather than passed on.
func (c *cli) firstMessage(ctx context.Context) error {
	if c.launch.prompt == "" || c.launch.harness != harnessCodex || c.era == eraSeed {
		return nil
	}
	status, message, err := c.api.call(ctx, "POST", "/v1/sessions/"+c.id+"/events", map[string]any{"type": "message",
		"data": userBody(c.launch.prompt)}, nil)
	if err == nil && status != 202 {
		err = fmt.Errorf("the prompt was refused (%d): %s", status, message)
	}
	return err
}

// finish is what follows a clean end of the attachment.
func (c *cli) finish(ctx context.Context, end attachEnd) error {
	if c.fresh && c.launch.harness == harnessClaude {
		c.api.call(ctx, "DELETE", c.terminalPath(), nil, nil) // gone already is fine
	}
	if c.fresh {
		id := c.id
		if c.bugs[bugHintWrongID] {
			var err error
			if id, err = c.api.create(ctx, c.launch, nil, c.cwd); err != nil {
				return err
			}
		}
		fmt.Fprintln(c.stderr, c.hint(id))
	}
	if end.code != 0 {
		return exitError(end.code)
	}
	return nil
}

func (c *cli) hint(id string) string {
	if prefix := os.Getenv("OMNIGENT_RESUME_COMMAND_PREFIX"); prefix != "" {
		return fmt.Sprintf("Resume with: %s %s --resume %s", prefix, c.launch.harness, id)
	}
	name := os.Getenv("OMNIGENT_WRAPPER_COMMAND")
	if name == "" {
		name = "omnigent"
	}
	return fmt.Sprintf("Resume with: %s %s --server %s --resume %s", name, c.launch.harness, shellQuote(c.api.base), id)
}

// shellQuote quotes only what needs it.
func shellQuote(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'"'"'`) + "'"
}
