package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"omniexpect/internal/spell"
)

// asksHelp reports whether help is all that is asked for, for commands without flags.
func asksHelp(args []string) bool {
	return len(args) == 1 && (args[0] == "-h" || args[0] == "--help")
}

// newFlags makes the flags of a subcommand. The set itself prints nothing.
func newFlags(name string) *flag.FlagSet {
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	return set
}

// parsed reads a command line. It returns a status if that ends the command, and -1 otherwise.
func parsed(set *flag.FlagSet, args []string, usage string) (code int) {
	switch err := set.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return flagHelp(set, usage)
	case err != nil:
		return usageError("%s: %s", set.Name(), flagProblem(set, err))
	}
	return -1
}

// flagHelp prints what a command is for and its flags, and returns the status of that.
func flagHelp(set *flag.FlagSet, usage string) int {
	var text strings.Builder
	text.WriteString(usage)
	set.SetOutput(&text)
	set.PrintDefaults()
	return printed(text.String())
}

// flagProblem describes what is wrong with a command line that a subcommand's flags do not take, and what would be right.
func flagProblem(set *flag.FlagSet, err error) string {
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		return err.Error()
	}
	var names []string
	set.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	msg := fmt.Sprintf("unknown flag -%s", name)
	if near := spell.Nearest(name, names); near != "" {
		msg += fmt.Sprintf(" (did you mean -%s?)", near)
	}
	return msg + fmt.Sprintf("; omniexpect %s --help lists them", set.Name())
}

// noMore refuses arguments that would have no effect.
func noMore(what string, args []string) (code int) {
	if len(args) == 0 {
		return 0
	}
	return usageError("%s: unexpected argument %q: it takes none", what, args[0])
}

// uptoCode splits a command line behind the value of -c: what follows is the script's.
func uptoCode(set *flag.FlagSet, args []string) (own, rest []string) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if len(arg) < 2 || arg[0] != '-' || arg == "--" {
			break
		}
		name, _, given := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
		f := set.Lookup(name)
		if f == nil {
			break
		}
		if b, ok := f.Value.(interface{ IsBoolFlag() bool }); !given && !(ok && b.IsBoolFlag()) {
			i++
		}
		if name == "c" && i < len(args) {
			return args[:i+1], args[i+1:]
		}
	}
	return args, nil
}
