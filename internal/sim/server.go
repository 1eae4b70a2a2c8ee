package sim

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"omniexpect/internal/fault"
)

const defaultDelay = 300 * time.Millisecond

// config is what the server's command line says.
type config struct {
	addr  string
	data  string
	era   string
	bugs  bugSet
	delay time.Duration
}

// server is the product's server with its host and runner. One lock guards all sessions and what hangs on them.
type server struct {
	config
	log    *log.Logger
	ctx    context.Context // ends when the server stops
	wg     sync.WaitGroup  // agents and forwarders
	hostID string
	logged sync.Map // bugs that have spoken

	mu       sync.Mutex
	sessions map[string]*session // by the 32 digits of the id
	order    []string            // the same, oldest first
}

func newServer(ctx context.Context, cfg config, stderr io.Writer) (*server, error) {
	s := &server{config: cfg, log: log.New(stderr, "", log.Ltime|log.Lmicroseconds), ctx: ctx, hostID: newID(cfg.era, "host"),
		sessions: map[string]*session{}}
	return s, s.load()
}

// seeded reports whether a bug is switched on, and says so once in the log when it takes effect.
func (s *server) seeded(name string) bool {
	if !s.bugs[name] {
		return false
	}
	if _, spoken := s.logged.LoadOrStore(name, true); !spoken {
		s.log.Printf("seeded bug: %s", name)
	}
	return true
}

// sleep waits for d or the end of the context, and reports whether d has passed.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// Server runs the simulated server until the context ends and returns the exit code: 0 stopped, 2 used wrongly, 3 could
// not listen. It prints one line, "listening on http://ADDRESS", once it accepts connections.
func Server(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	cfg, err := parseServerArgs(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err == nil {
		err = serve(ctx, cfg, stdout, stderr)
	}
	if err != nil {
		fmt.Fprintf(stderr, "omnigent server: %v\n", err)
		return fault.KindOf(err).ExitCode()
	}
	return 0
}

type stringList []string

func (l *stringList) String() string     { return strings.Join(*l, ",") }
func (l *stringList) Set(v string) error { *l = append(*l, v); return nil }

func parseServerArgs(args []string, stdout io.Writer) (config, error) {
	cfg := config{delay: defaultDelay}
	flags := flag.NewFlagSet("server", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	port := flags.Int("port", 0, "port on 127.0.0.1; 0 takes a free one")
	listen := flags.String("listen", "", "address to listen on instead of --port; loopback only")
	flags.StringVar(&cfg.data, "data", "", "folder that keeps the sessions over a restart")
	flags.StringVar(&cfg.era, "era", eraCurrent, "current (0.19.1) or seed (June 2026)")
	delay := flags.String("delay", os.Getenv("OMNIGENT_SIM_DELAY"), "how far the forwarder is behind (300ms)")
	flags.Bool("no-open", false, "accepted for the product's sake")
	var bugs stringList
	flags.Var(&bugs, "bug", "seeded bug, repeatable; also OMNIGENT_SIM_BUG")
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		if _, full := io.WriteString(stdout, serverHelp(flags)); full != nil {
			err = fault.New(fault.Env, "standard output: %w", fault.Reason(full))
		}
		return cfg, err
	}
	if name, unknown := strings.CutPrefix(fmt.Sprint(err), "flag provided but not defined: "); unknown {
		return cfg, fault.New(fault.Usage, "unknown flag %s; --help lists them", name)
	}
	if err != nil {
		return cfg, fault.New(fault.Usage, "%v", err)
	}
	if flags.NArg() > 0 {
		return cfg, fault.New(fault.Usage, "unexpected argument %q: only flags are taken", flags.Arg(0))
	}
	if cfg.era != eraCurrent && cfg.era != eraSeed {
		return cfg, fault.New(fault.Usage, "unknown era %q: give %s or %s", cfg.era, eraCurrent, eraSeed)
	}
	if cfg.delay, err = parseDelay(*delay); err != nil {
		return cfg, err
	}
	if cfg.bugs, err = parseBugs(append(bugs, os.Getenv("OMNIGENT_SIM_BUG"))...); err != nil {
		return cfg, fault.New(fault.Usage, "%v", err)
	}
	cfg.addr, err = loopback(*listen, *port)
	return cfg, err
}

func serverHelp(flags *flag.FlagSet) string {
	var w strings.Builder
	fmt.Fprintln(&w, "usage: omnigent server [--port P | --listen ADDR] [--data DIR] [--era current|seed] [--delay DUR] [--bug NAME]...")
	flags.SetOutput(&w)
	flags.PrintDefaults()
	fmt.Fprintln(&w, "seeded bugs:")
	for _, b := range Bugs() {
		fmt.Fprintf(&w, "  %-21s %s\n", b.Name, b.Symptom)
	}
	return w.String()
}

func parseDelay(text string) (time.Duration, error) {
	if text == "" {
		return defaultDelay, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fault.New(fault.Usage, `bad delay %q: give a duration such as "300ms" or "0s"`, text)
	}
	return d, nil
}

// loopback refuses to be reachable from elsewhere: the simulator has no login and writes files.
func loopback(listen string, port int) (string, error) {
	if listen == "" {
		if port < 0 || port > 65535 {
			return "", fault.New(fault.Usage, "bad port %d: give 0 to 65535", port)
		}
		return net.JoinHostPort("127.0.0.1", fmt.Sprint(port)), nil
	}
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return "", fault.New(fault.Usage, "bad address %q: give HOST:PORT", listen)
	}
	if host != "localhost" && !net.ParseIP(host).IsLoopback() {
		return "", fault.New(fault.Usage, "refusing to listen on %q: the simulator binds loopback only, give 127.0.0.1:PORT", listen)
	}
	return listen, nil
}

func serve(ctx context.Context, cfg config, stdout, stderr io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := newServer(ctx, cfg, stderr)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", cfg.addr)
	if err != nil {
		return fault.New(fault.Env, "cannot listen on %s: %w", cfg.addr, err)
	}
	hs := &http.Server{Handler: s.handler(), BaseContext: func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 10 * time.Second, ErrorLog: s.log}
	done := make(chan error, 1)
	go func() { done <- hs.Serve(l) }()
	fmt.Fprintf(stdout, "listening on http://%s\n", l.Addr())
	select {
	case err = <-done:
		err = fault.New(fault.Env, "the server stopped: %w", err)
	case <-ctx.Done():
	}
	cancel() // ends agents and streams, so that nothing keeps the shutdown waiting
	grace, stop := context.WithTimeout(context.Background(), 2*time.Second)
	defer stop()
	if hs.Shutdown(grace) != nil {
		hs.Close()
	}
	s.wg.Wait()
	return errors.Join(err, s.save())
}
