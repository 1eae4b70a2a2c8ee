// Package run is one run of a script as a value: Options go in, an Outcome comes out.
//
// A Run joins what a run is made of: the state of the builtins, the library of scripts, the interpreter, the log of events
// and the reporter that shows them. The command line, the prompt, the test harnesses and whatever else runs scripts make
// one with New and end it with Do, or with Finish where statements come one at a time. Nothing of it is shared between
// runs, so that many of them can go on at the same time.
//
//	out := run.Do(ctx, run.Options{Stdout: os.Stdout, Stderr: os.Stderr}, "deploy.star", []string{"--host", "a"})
//	os.Exit(out.Status)
//
// # Parts of a run
//
// Scope runs a function whose sessions, deferred calls and temporary folders end with it, and not with the run.
//
// # How a run ends
//
//	the script's end     → deferred calls → sessions → servers, folders → Outcome
//	an error, exit()     → the same; the first failure is the run's
//	ctx is cancelled     → the script stops wherever it waits; then the same, until Options.Hurry ends as well
//	print cannot write   → as if ctx were cancelled with that error
package run
