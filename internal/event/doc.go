// Package event is what happens in a run, as values: a program started, output came, a wait began, a pattern was tried.
//
// The places where things happen emit an Event into the run's Log; what shows, records or judges a run is a Sink of that
// log. Neither knows the other. A sink names the kinds it wants. For a kind that nobody wants, Log.Wants is one atomic load,
// and its place does nothing else: it builds no value, reads no clock and takes no lock.
//
// # Order
//
// Events have numbers in the order in which they were emitted, and every sink gets them in that order. Output is emitted on
// the goroutine that read it, before the bytes are searched: the output that a wait matched stands before the end of that
// wait. Between two sessions the order is the order of the reads.
//
// # Slow sinks
//
// Sink.Take is called by the emitter and must not block: what emits output also reads the terminal. A sink that writes
// somewhere goes behind a Queue, which has a goroutine, a bound, and a Gap event for what the bound cost. Only a sink that
// keeps everything (a Queue with a bound of 0) has none.
//
// # Secrets
//
// Events carry what was there. A sink that lets a text leave the process masks it at its own edge, for each session and
// stream apart, since a secret may be cut anywhere. Input is the exception: of what a script marked as secret, the event has
// the placeholder and never the value.
//
// The names of the kinds and of the JSON fields are those of a trace's lines; docs/architecture.md has the table.
package event
