package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"omniexpect/internal/sim"
)

// simCommand runs the simulated omnigent: its server or its command line.
func simCommand(args []string) int {
	if len(args) < 2 || args[0] != "omnigent" {
		fmt.Fprintln(os.Stderr, "usage: omniexpect sim omnigent server [--port N] [--bug NAME] …\n"+
			"       omniexpect sim omnigent cli claude|codex [--server URL] …")
		if len(args) > 0 && (args[0] == "-h" || args[0] == "--help") {
			return 0
		}
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
	fmt.Fprintf(os.Stderr, "omniexpect: usage: sim omnigent %q: want server or cli\n", args[1])
	return 2
}
