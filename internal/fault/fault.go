// Package fault is what can go wrong in a run, typed once.
//
// Every error that a script can meet is a *Error with one of the kinds below. The kind decides the exit code and is
// what catch() reports as `.kind`; the message is one lower-case line, "what: why"; the detail, where there is one, is
// what was seen (unread output, a response body) and is printed below the message. Only package report prints them.
package fault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
)

// Kind names a kind of failure; scripts see it as the text of catch(...).kind.
type Kind string

// The kinds. The first seven end a run with 1, Usage and Script with 2, Env with 3.
const (
	Timeout   Kind = "timeout"   // a wait reached its deadline, or was quiet for too long
	EOF       Kind = "eof"       // the program is gone and the text can no longer come
	Exit      Kind = "exit"      // a program ended with a status that was not wanted
	HTTP      Kind = "http"      // a response had a status or a content that was not wanted
	Assert    Kind = "assert"    // an assertion does not hold
	Fail      Kind = "fail"      // the script called fail()
	Usage     Kind = "usage"     // a builtin or the command line was used wrongly
	Script    Kind = "script"    // the script itself is wrong: syntax, names, types
	Env       Kind = "env"       // the environment: program not found, connection refused, no terminal
	Interrupt Kind = "interrupt" // SIGINT or SIGTERM; never caught by catch()
)

// Error is a failure with its kind.
type Error struct {
	Kind   Kind
	Msg    string   // one line, "what: why"
	Detail string   // what was seen, any number of lines, without a final newline
	Hints  []string // what to try, one line each
	Err    error    // the cause, if another error is one
}

// New returns an error of a kind with a formatted message. A cause given with %w is kept.
func New(kind Kind, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: kind, Msg: err.Error(), Err: errors.Unwrap(err)}
}

// Error returns the message without the detail.
func (e *Error) Error() string { return e.Msg }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// WithDetail sets what was seen and returns the error.
func (e *Error) WithDetail(detail string) *Error {
	e.Detail = detail
	return e
}

// Panicked returns what a panic that was recovered is to the user: a fault of omniexpect, which says so.
func Panicked(p any) *Error {
	return New(Script, "internal error of omniexpect, please report it: %v", p).WithDetail(string(debug.Stack()))
}

// Reason takes what was being done, and with which file, out of an error: for messages that name both already.
func Reason(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// KindOf returns the kind of the first *Error in err's chain. A cancelled context is an Interrupt, a context's deadline
// a Timeout, and any other error is the script's own.
func KindOf(err error) Kind {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e.Kind
	case errors.Is(err, context.Canceled):
		return Interrupt
	case errors.Is(err, context.DeadlineExceeded):
		return Timeout
	}
	return Script
}

// ExitCode is what the process ends with after a failure of this kind. An interrupt's code depends on the signal and is
// not decided here.
func (k Kind) ExitCode() int {
	switch k {
	case Usage, Script:
		return 2
	case Env:
		return 3
	}
	return 1
}
