// Package interp runs one script.
//
// The dialect is Starlark with sets, while, top-level control flow and reassignment of globals; recursion is off. All
// Starlark of a run executes under one lock, so nothing is frozen: modules may keep state, deferred functions may write
// to globals. Before anything runs, the script and everything it loads are parsed and their names resolved.
//
// A run ends in this order: deferred calls, last one first, on a fresh thread with a bounded time; then Closers, in the
// order given. Both also happen after a failure and after an interrupt.
//
// The package knows no builtin by name: it gets the vocabulary as a value.
package interp
