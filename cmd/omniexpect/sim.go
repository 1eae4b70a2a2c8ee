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
	if asksHelp(args) || len(args) > 0 && asksHelp(args[1:]) {
		return printed(simUsage)
	}
	if len(args) > 0 && args[0] != "omnigent" {
		return usageError("sim %q: want omnigent, the only thing that is simulated", args[0])
	}
	if len(args) < 2 {
		fmt.Fprint(os.Stderr, simUsage)
		return 2
	}
	switch args[1] {
	case "server":
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		defer stop()
		return sim.Server(ctx, args[2:], os.Stdout, os.Stderr)
	case "cli":
		return sim.CLI(context.Background(), args[2:], os.Stdin, os.Stdout, os.Stderr)
	}
	return usageError("sim omnigent %q: want server or cli", args[1])
}
