// The child program of the peer benchmark and of the soak: one subcommand for each kind of output.
//
// Its output is the same in every run, and it writes as fast as the terminal takes it. Except in `last` it puts its
// terminal into raw mode first, without echo and without newline translation, so that every tool reads the same bytes. An
// output of N bytes ends with a line DONE-N, after which the program waits to be hung up on: output at the very end of a
// program is what `last` tests, and nothing else does.
//
//	target pong             READY, then re:LINE for each line that comes
//	target bulk N           lines of 80 columns
//	target oneline N        the same words without a line end
//	target colour N         the lines of bulk, every other word in colour, with CRLF line ends
//	target trickle N        the lines of bulk, each byte by a write of its own
//	target spin             a spinner's frame every 20 ms, for ever
//	target last             `last words` without a line end, and out
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"golang.org/x/term"
)

const usage = "usage: target pong | bulk N | oneline N | colour N | trickle N | spin | last"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New(usage)
	}
	if args[0] == "last" {
		write([]byte("last words"))
		return nil
	}
	if term.IsTerminal(0) {
		if _, err := term.MakeRaw(0); err != nil {
			return fmt.Errorf("raw mode: %w", err)
		}
	}
	switch args[0] {
	case "pong":
		pong(os.Stdin)
		return nil
	case "spin":
		for i := 0; ; i++ {
			write([]byte("\r" + string(`|/-\`[i%4]) + " working"))
			time.Sleep(20 * time.Millisecond)
		}
	case "bulk", "oneline", "colour", "trickle":
		if len(args) != 2 {
			return errors.New(usage)
		}
		n, err := strconv.Atoi(args[1])
		if err != nil || n < 0 {
			return fmt.Errorf("%q is no size in bytes", args[1])
		}
		flood(args[0], n)
		return nil
	}
	return errors.New(usage)
}

// flood writes n bytes of the kind, then the marker, and waits for the hang-up.
func flood(kind string, n int) {
	if kind == "trickle" {
		b := block(plain, n)
		for i := range n {
			write(b[i : i+1])
		}
	} else {
		style := map[string]func([]byte) []byte{"bulk": plain, "oneline": joined, "colour": coloured}[kind]
		whole := block(style, 1<<20)
		for left := n; left > 0; {
			if left < len(whole) {
				whole = block(style, left)
			}
			write(whole)
			left -= len(whole)
		}
	}
	fmt.Fprintf(os.Stdout, "\nDONE-%d\n", n)
	io.ReadFull(os.Stdin, make([]byte, 1))
}

// pong answers each line with the same line after "re:".
func pong(in io.Reader) {
	write([]byte("READY\n"))
	lines := bufio.NewReader(in)
	var answer []byte
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return
		}
		answer = append(append(answer[:0], "re:"...), line...)
		write(answer)
	}
}

// write writes all of b; when nobody reads any more the program ends.
func write(b []byte) {
	if _, err := os.Stdout.Write(b); err != nil {
		os.Exit(0)
	}
}
