package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"omniexpect/internal/sim"
)

const simUsage = "usage: omniexpect sim omnigent server [--port N] [--bug NAME] …\n" +
	"       omniexpect sim omnigent cli claude|codex [--server URL] …\n"

// simCommand runs the simulated omnigent: its server or its command line.
func simCommand(args []string) int {
	rest := args
	if len(rest) > 0 && rest[0] == "omnigent" {
		rest = rest[1:]
	}
	switch {
	case len(rest) > 0 && (rest[0] == "-h" || rest[0] == "--help"):
		return printed(simUsage)
	case len(rest) == 0 || len(rest) == len(args):
		fmt.Fprint(os.Stderr, simUsage)
		return 2
	case rest[0] == "server":
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		defer stop()
		return sim.Server(ctx, rest[1:], os.Stdout, os.Stderr)
	case rest[0] == "cli":
		return sim.CLI(context.Background(), rest[1:], os.Stdin, os.Stdout, os.Stderr)
	}
	return usageError("sim omnigent %q: want server or cli", rest[0])
}
