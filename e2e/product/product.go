// Package product starts the real omnigent with a model stub behind it, and leaves nothing when it stops.
//
// A product is one scratch directory: HOME, TMPDIR, the server's database and its log all lie in it. Two programs are
// started, the stub and (unless Config.NoServer) the server, each on a free loopback port. What the server and the agents
// start themselves (a host daemon, runners, tmux, the agents) makes itself independent of its parent, so Stop cannot rely
// on process groups: it looks for every process that has the scratch HOME in its environment.
package product

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Config describes what to start.
type Config struct {
	Dir      string // where setup.sh installed the product
	Stub     string // the stub's executable
	Amnesia  bool   // the model forgets
	NoServer bool   // only the stub, for the agents alone
	Keep     bool   // Stop leaves the scratch directory
}

// A Product is a running stub and server.
type Product struct {
	Server string // base URL, "" with Config.NoServer
	Model  string // the stub's base URL
	Root   string // the scratch directory
	Took   time.Duration

	config Config
	stub   *process
	server *process
}

// A process is a program that Start started.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has been waited for
}

func begin(cmd *exec.Cmd) (*process, error) {
	// A terminal's Ctrl-C must not reach it before Stop does.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, done: make(chan struct{})}
	go func() { cmd.Wait(); close(p.done) }()
	return p, nil
}

// end asks the process to end and kills it after the grace time. A nil process has ended.
func (p *process) end(grace time.Duration) {
	if p == nil {
		return
	}
	p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(grace):
		p.cmd.Process.Kill()
		<-p.done
	}
}

// Start starts the stub and the server and returns when the server is healthy. After an error nothing is left.
func Start(ctx context.Context, config Config) (*Product, error) {
	began := time.Now()
	dir, err := filepath.Abs(config.Dir)
	if err != nil {
		return nil, err
	}
	config.Dir = dir
	if err := installed(dir); err != nil {
		return nil, err
	}
	root, err := os.MkdirTemp("", "omniexpect-e2e-")
	if err != nil {
		return nil, err
	}
	// Processes report the resolved path as their working directory, and agents derive names from it.
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	p := &Product{Root: root, config: config}
	if err := p.start(ctx); err != nil {
		_, stopErr := p.Stop()
		return nil, errors.Join(err, stopErr)
	}
	p.Took = time.Since(began)
	return p, nil
}

func installed(dir string) error {
	for _, name := range []string{"venv/bin/python", "npm/node_modules/.bin/claude", "npm/node_modules/.bin/codex"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("the product is not installed in %s: %s is missing; run e2e/setup.sh %s", dir, name, dir)
		}
	}
	if _, err := exec.LookPath("tmux"); err != nil {
		return fmt.Errorf("the product needs tmux: %w; run e2e/setup.sh %s", err, dir)
	}
	return nil
}

func (p *Product) start(ctx context.Context) error {
	for _, name := range []string{"home/.omnigent", "home/.codex", "tmp", "work", "artifacts"} {
		if err := os.MkdirAll(filepath.Join(p.Root, name), 0o755); err != nil {
			return err
		}
	}
	if err := p.startStub(ctx); err != nil {
		return err
	}
	if err := p.writeConfigs(); err != nil {
		return err
	}
	if p.config.NoServer {
		return nil
	}
	return p.startServer(ctx)
}

func (p *Product) startStub(ctx context.Context) error {
	args := []string{"-log", p.StubLog()}
	if p.config.Amnesia {
		args = append(args, "-amnesia")
	}
	stdout, stdoutWriter, err := os.Pipe()
	if err != nil {
		return err
	}
	defer stdout.Close()
	cmd := exec.Command(p.config.Stub, args...)
	cmd.Env = clean(os.Environ())
	cmd.Stdout, cmd.Stderr = stdoutWriter, os.Stderr
	p.stub, err = begin(cmd)
	stdoutWriter.Close()
	if err != nil {
		return fmt.Errorf("start the model stub: %w", err)
	}
	stdout.SetReadDeadline(time.Now().Add(10 * time.Second))
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return fmt.Errorf("the model stub did not say where it listens: %w", err)
	}
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if !ok {
		return fmt.Errorf("the model stub said %q, not where it listens", line)
	}
	p.Model = url
	return ctx.Err()
}

func (p *Product) startServer(ctx context.Context) error {
	address, err := freeAddress()
	if err != nil {
		return err
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	log, err := os.Create(p.ServerLog())
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(filepath.Join(p.config.Dir, "venv/bin/python"), "-m", "omnigent.cli", "server",
		"--port", port, "--no-open", "--database-uri", "sqlite:///"+filepath.Join(p.Root, "e2e.db"),
		"--artifact-location", filepath.Join(p.Root, "artifacts"))
	cmd.Dir, cmd.Env = p.Root, p.Environ()
	cmd.Stdout, cmd.Stderr = log, log
	if p.server, err = begin(cmd); err != nil {
		return fmt.Errorf("start the server: %w", err)
	}
	p.Server = "http://" + address
	return p.awaitHealth(ctx, 2*time.Minute)
}

func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer listener.Close()
	return listener.Addr().String(), nil
}

func (p *Product) awaitHealth(ctx context.Context, limit time.Duration) error {
	client := &http.Client{Timeout: 2 * time.Second}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(limit)
	for {
		if response, err := client.Get(p.Server + "/health"); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		case <-p.server.done:
			return fmt.Errorf("the server ended before it was healthy: %v\n%s", p.server.cmd.ProcessState, tail(p.ServerLog()))
		case <-deadline:
			return fmt.Errorf("the server was not healthy after %v\n%s", limit, tail(p.ServerLog()))
		}
	}
}

// tail returns the last 2,000 bytes of a file.
func tail(name string) string {
	f, err := os.Open(name)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > 2000 {
		f.Seek(-2000, io.SeekEnd)
	}
	text, _ := io.ReadAll(f)
	return string(text)
}

// ServerLog is the file with the server's output.
func (p *Product) ServerLog() string { return filepath.Join(p.Root, "server.log") }

// StubLog is the file with one line per request to the model.
func (p *Product) StubLog() string { return filepath.Join(p.Root, "stub.jsonl") }

// Home is the scratch HOME.
func (p *Product) Home() string { return filepath.Join(p.Root, "home") }

// Work is the working directory for commands.
func (p *Product) Work() string { return filepath.Join(p.Root, "work") }

// Command returns a command that runs in the product's environment; its program is looked up on their PATH.
func (p *Product) Command(argv []string) *exec.Cmd {
	cmd := exec.Command(argv[0], argv[1:]...)
	if !strings.ContainsRune(argv[0], filepath.Separator) {
		for _, dir := range p.path() {
			if path, err := exec.LookPath(filepath.Join(dir, argv[0])); err == nil {
				cmd.Path, cmd.Err = path, nil
				break
			}
		}
	}
	cmd.Dir, cmd.Env = p.Work(), p.Environ()
	return cmd
}

// Stop ends whatever belongs to the product and removes the scratch directory. It returns what outlived a polite request
// and had to be killed.
func (p *Product) Stop() (killed []Proc, err error) {
	killed = p.sweep(10 * time.Second)
	p.server.end(5 * time.Second)
	p.stub.end(5 * time.Second)
	if p.config.Keep {
		return killed, nil
	}
	// What was just ended may have been writing: a directory that fills again is removed again.
	for range 20 {
		if err = os.RemoveAll(p.Root); err == nil {
			return killed, nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return killed, err
}

// sweep asks every process of the product to end, waits, and kills what is left, until there is none.
func (p *Product) sweep(grace time.Duration) (killed []Proc) {
	asked := map[int]bool{}
	deadline := time.Now().Add(grace)
	for {
		left := p.Processes()
		if len(left) == 0 {
			return killed
		}
		for _, proc := range left {
			switch {
			case time.Now().After(deadline):
				proc.Kill()
				killed = append(killed, proc)
			case !asked[proc.PID]:
				asked[proc.PID] = true
				proc.signal(syscall.SIGTERM)
			}
		}
		if time.Now().After(deadline.Add(grace)) {
			return killed
		}
		time.Sleep(50 * time.Millisecond)
	}
}
