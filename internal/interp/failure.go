package interp

import (
	"errors"
	"slices"
	"strings"

	"go.starlark.net/syntax"

	"omniexpect/internal/event"
	"omniexpect/internal/fault"
)

// Failure is an error of a run as a value: of which kind, why, where, who called, what was seen, what to try. It refers to
// nothing of the run, and is plain JSON.
type Failure struct {
	Kind   fault.Kind `json:"kind"`
	Msg    string     `json:"msg"`
	At     event.Pos  `json:"at"`             // the line of the script that it belongs to; zero if there is none
	Line   string     `json:"line,omitempty"` // that line's text
	Chain  []Place    `json:"stack,omitempty"`
	Depth  int        `json:"depth,omitempty"` // how many places of Chain are inside modules that the line called
	Detail string     `json:"detail,omitempty"`
	Hints  []string   `json:"hints,omitempty"`
	Defer  *Place     `json:"defer,omitempty"` // the deferred call that it happened in
	More   []Failure  `json:"more,omitempty"`  // what else was found wrong before the run
}

// Place is a call in a chain of calls, the innermost first.
type Place struct {
	Func  string    `json:"fn"`
	At    event.Pos `json:"at"`
	Count int       `json:"count,omitempty"` // how often it repeats, if more than once
}

// Explain turns the error of a run into a Failure. The library knows the texts of the scripts, and what to write instead.
func (l *Library) Explain(err error) Failure {
	return Explain(err, l.Text, l.Hint)
}

// Explain turns an error into a Failure. text returns the text of a script, hint what to write instead for the message of an
// error of the language; both may be nil.
func Explain(err error, text, hint func(string) string) Failure {
	var several Several
	if errors.As(err, &several) && len(several) > 0 {
		first := Explain(several[0], text, hint)
		for _, e := range several[1:] {
			first.More = append(first.More, Explain(e, text, hint))
		}
		return first
	}
	var deferred *Deferred
	if errors.As(err, &deferred) {
		f := Explain(deferred.Err, text, hint)
		f.Defer = &Place{Func: deferred.Call.Fn.Name(), At: PosOf(deferred.Call.Pos)}
		return f
	}
	var located *Located
	if errors.As(err, &located) {
		f := reasonOf(located.Err, hint)
		f.At, f.Line = PosOf(located.Pos), located.Line
		return f
	}
	f := reasonOf(Cause(err), hint)
	for _, c := range Chain(err) {
		p := Place{Func: c.Name, At: PosOf(c.Pos)}
		if c.Count > 1 {
			p.Count = c.Count
		}
		f.Chain = append(f.Chain, p)
	}
	if len(f.Chain) == 0 {
		return f
	}
	// A failure that a library module raises belongs to the line of the script that called it.
	for f.Depth < len(f.Chain)-1 && strings.HasPrefix(f.Chain[f.Depth].At.File, "@lib//") {
		f.Depth++
	}
	f.At = f.Chain[f.Depth].At
	if text != nil {
		f.Line = LineOf(text(f.At.File), int(f.At.Line))
	}
	return f
}

// reasonOf is a failure without its place.
func reasonOf(err error, hint func(string) string) Failure {
	out := Failure{Kind: fault.KindOf(err), Msg: err.Error()}
	var f *fault.Error
	if errors.As(err, &f) {
		out.Msg, out.Detail, out.Hints = f.Msg, f.Detail, f.Hints
		return out
	}
	if hint != nil {
		if h := hint(out.Msg); h != "" {
			out.Hints = []string{h}
		}
	}
	return out
}

// With returns the failure with what a function makes of each of its texts, such as one that hides secrets.
func (f Failure) With(text func(string) string) Failure {
	f.Msg, f.Line, f.Detail, f.At.File = text(f.Msg), text(f.Line), text(f.Detail), text(f.At.File)
	f.Hints = each(f.Hints, text)
	place := func(p Place) Place {
		p.Func, p.At.File = text(p.Func), text(p.At.File)
		return p
	}
	f.Chain = each(f.Chain, place)
	if f.Defer != nil {
		p := place(*f.Defer)
		f.Defer = &p
	}
	f.More = each(f.More, func(f Failure) Failure { return f.With(text) })
	return f
}

// each returns what a function makes of each item.
func each[T any](list []T, f func(T) T) []T {
	list = slices.Clone(list)
	for i, x := range list {
		list[i] = f(x)
	}
	return list
}

// PosOf is a position of the language as a plain value.
func PosOf(p syntax.Position) event.Pos {
	if p.Line == 0 {
		return event.Pos{}
	}
	return event.Pos{File: p.Filename(), Line: p.Line, Col: p.Col}
}
