// Package session is a conversation with a program on a terminal of its own, from its start to its end, or with whatever
// else a Conn leads to.
//
// Start opens a PTY (or pipes), gives it its size and modes before the program's first instruction, and drains what the
// program writes from then on into a match.Stream. The exit of the program is an event of its own: Wait returns as soon
// as it is there, even if others still hold the terminal. Close ends the program and what it started, by proc.End, reaps it,
// and may be called any number of times.
//
// Open makes a session of any other Conn. What the connection leads to says what a session can do: without a Terminal it has
// no modes, keys and size; without a Process it has no exit status, and ends when its output does.
//
//	state    Status   Ended   descriptors   until
//	running  no       no      open          the program exits, or closes its output
//	exited   yes      no      open          nobody has its terminal or pipes open any more
//	hung up  no       no      open          the program exits
//	ended    yes      yes     given back    –
//	closed   yes      yes     given back    –; Close leads here from everywhere
//
// A session that ends by itself gives its file descriptors back without being closed; what it wrote stays readable.
package session
