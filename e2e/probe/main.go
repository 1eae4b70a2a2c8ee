// Probe asks a server some 120 things and keeps what it answered, so that the simulator can be compared with the product.
//
//	probe ask [-harness NAME] [-left] SERVER CONVERSATION FILE    ask, and add the answers to FILE
//	probe compare [-harness NAME] SIMULATOR PRODUCT MANUAL        compare two files with the table of the manual
//
// ask sends one message and follows the conversation's stream meanwhile, then sends the requests of requests.go; with
// -left the conversation's agent has been left, and what follows that is asked. Of an answer only its status, its type and
// its shape are kept: which fields there are and of what kind, not what is in them.
//
// compare ends with 1 when a difference is not in the table between "<!-- differences -->" and "<!-- /differences -->" of
// the manual, or when a row of the table no longer holds. A row that begins with "claude: " or "codex: " is for that agent.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	var wrong *usageError
	switch {
	case err == nil:
	case errors.As(err, &wrong):
		fmt.Fprintln(os.Stderr, "probe:", err)
		os.Exit(2)
	default:
		fmt.Fprintln(os.Stderr, "probe:", err)
		os.Exit(1)
	}
}

type usageError struct{ problem string }

func (e *usageError) Error() string {
	return e.problem + "\nusage: probe ask [-harness NAME] [-left] SERVER CONVERSATION FILE\n       probe compare [-harness NAME] SIMULATOR PRODUCT MANUAL"
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return &usageError{"give a command: ask or compare"}
	}
	switch args[0] {
	case "ask":
		return ask(ctx, args[1:])
	case "compare":
		flags := flag.NewFlagSet("compare", flag.ContinueOnError)
		harness := flags.String("harness", "claude", "the agent: claude or codex")
		if err := flags.Parse(args[1:]); err != nil {
			return &usageError{err.Error()}
		}
		if flags.NArg() != 3 {
			return &usageError{fmt.Sprintf("compare takes three files, got %d", flags.NArg())}
		}
		return compareFiles(flags.Arg(0), flags.Arg(1), flags.Arg(2), *harness)
	}
	return &usageError{fmt.Sprintf("unknown command %q", args[0])}
}

func ask(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("ask", flag.ContinueOnError)
	harness := flags.String("harness", "claude", "the agent: claude or codex")
	after := flags.Bool("left", false, "the agent has been left")
	if err := flags.Parse(args); err != nil {
		return &usageError{err.Error()}
	}
	if flags.NArg() != 3 {
		return &usageError{fmt.Sprintf("ask takes a server, a conversation and a file, got %d arguments", flags.NArg())}
	}
	file := flags.Arg(2)
	answers := report{}
	if data, err := os.ReadFile(file); err == nil {
		if err := json.Unmarshal(data, &answers); err != nil {
			return fmt.Errorf("read %s: %w", file, err)
		}
	}
	p, err := newProber(ctx, flags.Arg(0), flags.Arg(1), *harness)
	if err != nil {
		return err
	}
	before := len(answers)
	if *after {
		err = p.askLeft(ctx, answers)
	} else {
		err = p.askLive(ctx, answers)
	}
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(answers, "", " ")
	if err != nil {
		return err
	}
	fmt.Printf("%d answers of %s\n", len(answers)-before, flags.Arg(0))
	return os.WriteFile(file, append(data, '\n'), 0o644)
}
