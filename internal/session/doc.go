// Package session runs programs on terminals of their own, and ends them.
//
// Start opens a PTY (or pipes), gives it its size and modes before the program's first instruction, and drains what the
// program writes from then on into a match.Stream. The exit of the program is an event of its own: Wait returns as soon
// as it is there, whoever still holds the terminal. Close ends the program and what it started, by proc.End, reaps it,
// and may be called any number of times.
//
// A session that ends by itself gives its file descriptors back without being closed; what it wrote stays readable.
package session
