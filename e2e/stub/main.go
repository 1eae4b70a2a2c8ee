// Stub is a language model that follows rules, behind the two APIs that the agents speak.
//
// Claude Code talks to it as the Anthropic Messages API, Codex as the OpenAI Responses API. It keeps nothing between
// requests: what it "remembers" it found in the request, so an answer is evidence of what the agent sent. The rules are
// in model.go; in short:
//
//   - a user's text with a passphrase (ZEPHYR- and eight digits or capitals) is answered with that passphrase;
//   - a question about an earlier passphrase is answered with the one in the ASSISTANT's earlier turns, never with one
//     that only the user wrote, and with "I do not remember any passphrase." when there is none;
//   - "run COMMAND" and "read FILE" are answered with a call of the agent's shell tool, and the tool's result with its
//     text;
//   - a request for the title of a conversation is answered with a title;
//   - anything else is answered with "OK.".
//
// With -amnesia the model forgets: a question about an earlier passphrase finds none, whatever the request holds. That is
// the red control, a resumed conversation that a sound check must not call a success.
//
// The first line on standard output is "listening on http://ADDRESS". SIGINT and SIGTERM end the stub with status 0.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("stub", flag.ContinueOnError)
	flags.SetOutput(stderr)
	addr := flags.String("addr", "127.0.0.1:0", "`address` to listen on; port 0 takes a free one")
	logFile := flags.String("log", "", "append one JSON line per request to `file`")
	amnesia := flags.Bool("amnesia", os.Getenv("STUB_AMNESIA") == "1", "forget every earlier passphrase (also STUB_AMNESIA=1)")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "stub: unexpected argument %q\n", flags.Arg(0))
		return 2
	}

	var journal io.Writer = io.Discard
	if *logFile != "" {
		f, err := os.OpenFile(*logFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			fmt.Fprintf(stderr, "stub: %v\n", err)
			return 1
		}
		defer f.Close()
		journal = f
	}

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		fmt.Fprintf(stderr, "stub: %v\n", err)
		return 1
	}
	fmt.Fprintf(stdout, "listening on http://%s\n", listener.Addr())
	if err := serve(ctx, listener, newHandler(model{amnesia: *amnesia}, journal)); err != nil {
		fmt.Fprintf(stderr, "stub: %v\n", err)
		return 1
	}
	return 0
}

// serve answers requests until ctx is done, then gives those under way a second.
func serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if server.Shutdown(grace) != nil {
		server.Close()
	}
	<-served
	return nil
}
