package interp

import (
	"context"
	"fmt"
	"strings"
	"time"

	"go.starlark.net/lib/math"
	startime "go.starlark.net/lib/time"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"omniexpect/internal/clock"
	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/nest"
	"omniexpect/internal/starjson"
)

// Run is one run of a script.
type Run struct {
	Host       *dsl.Host
	Lib        *Library
	Predefined starlark.StringDict
	Report     func(error)             // gets failures of deferred calls, which do not end the rest
	Closers    []func(context.Context) // clean-up after the deferred calls
	Hurry      context.Context         // ends when clean-up has to be cut short; may be nil
	Grace      time.Duration           // for deferred calls and clean-up together
	modules    map[*Source]starlark.StringDict
}

// Predeclare turns a vocabulary into what scripts find predeclared. Dotted names become members of a module.
func Predeclare(v *dsl.Vocabulary) starlark.StringDict {
	out := starlark.StringDict{
		"json":   starjson.Module(),
		"math":   math.Module,
		"time":   startime.Module,
		"struct": starlark.NewBuiltin("struct", starlarkstruct.Make),
	}
	for _, name := range []string{"str", "repr", "print"} {
		out[name] = bounded(name)
	}
	for _, f := range v.Funcs {
		module, name, dotted := strings.Cut(f.Name, ".")
		if !dotted {
			out[f.Name] = f.Builtin(nil)
			continue
		}
		m, ok := out[module].(*starlarkstruct.Module)
		if !ok {
			m = &starlarkstruct.Module{Name: module, Members: starlark.StringDict{}}
			out[module] = m
		}
		m.Members[name] = f.Builtin(nil)
	}
	for _, c := range v.Consts {
		out[c.Name] = c.Value
	}
	return out
}

// bounded is a function of the language that writes values, but for those whose depth or size would end the process.
func bounded(name string) *starlark.Builtin {
	write := starlark.Universe[name].(*starlark.Builtin)
	return starlark.NewBuiltin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		for _, v := range args {
			if err := nest.Check(v); err != nil {
				return nil, fault.New(fault.Usage, "%s: %w", name, err)
			}
		}
		if name != "print" {
			return write.CallInternal(t, args, kwargs)
		}
		raw, kwargs, err := rawOf(kwargs)
		if err != nil {
			return nil, err
		}
		if strand, err := dsl.StrandOf(t); raw && err == nil && strand.Host.PrintRaw != nil {
			print := t.Print
			t.Print = func(_ *starlark.Thread, text string) { strand.Host.PrintRaw(text) }
			defer func() { t.Print = print }()
		}
		v, err := write.CallInternal(t, args, kwargs)
		if err == nil {
			err = gone(t)
		}
		return v, err
	})
}

// rawOf takes print's own argument out of the others.
func rawOf(kwargs []starlark.Tuple) (raw bool, rest []starlark.Tuple, err error) {
	for _, kv := range kwargs {
		if kv[0] != starlark.String("raw") {
			rest = append(rest, kv)
			continue
		}
		v, ok := kv[1].(starlark.Bool)
		if !ok {
			return false, nil, fault.New(fault.Usage, "print: raw: got %s, want bool", kv[1].Type())
		}
		raw = bool(v)
	}
	return raw, rest, nil
}

// gone returns why the run is over, if it is: print itself cannot say that nobody takes what it prints.
func gone(t *starlark.Thread) error {
	strand, err := dsl.StrandOf(t)
	if err != nil || strand.Ctx.Err() == nil {
		return nil
	}
	return context.Cause(strand.Ctx)
}

// New prepares a run. The library has to know the same predeclared names; they may be set as Predefined as late as when it
// asks for them.
func New(lib *Library, predeclared starlark.StringDict) *Run {
	r := &Run{Host: &dsl.Host{Clock: clock.System{}}, Lib: lib, Predefined: predeclared, modules: map[*Source]starlark.StringDict{}, Grace: 30 * time.Second}
	r.Host.Load = r.load
	r.Report = func(error) {}
	return r
}

// Do runs a script to its end, including deferred calls and clean-up. Cancelling the context with a cause interrupts it.
func (r *Run) Do(ctx context.Context, src *Source) error {
	r.Host.MainFile = src.Name
	script, back := r.Host.Begin(ctx)
	main := r.Host.NewStrand(script, "main")
	err := main.Run(func(t *starlark.Thread) error {
		_, err := src.Program.Init(t, r.Predefined)
		return err
	})
	main.Done()
	switch {
	case ctx.Err() != nil:
		err = interrupted(ctx, err)
	case script.Err() != nil:
		err = context.Cause(script)
	}
	back()
	return r.End(ctx, err)
}

// interrupted replaces what an interrupt looked like to the script by its cause, keeping where the script was.
func interrupted(ctx context.Context, err error) error {
	i := &Interrupted{Cause: context.Cause(ctx)}
	for _, layer := range layers(err) {
		i.at.CallStack = append(i.at.CallStack, layer.CallStack...)
	}
	i.at.Msg = i.Cause.Error()
	return i
}

// Interrupted is the end of a run that was interrupted: why, and where the script was.
type Interrupted struct {
	Cause error
	at    starlark.EvalError
}

// Error returns the cause's message.
func (e *Interrupted) Error() string { return e.Cause.Error() }

// Unwrap returns the cause, and the place.
func (e *Interrupted) Unwrap() []error { return []error{e.Cause, &e.at} }

// load serves load statements. Everything was read before the run, so only execution is left.
func (r *Run) load(t *starlark.Thread, label string) (starlark.StringDict, error) {
	from := t.CallFrame(0).Pos.Filename()
	src := r.find(from, label)
	if src == nil {
		return nil, fmt.Errorf("load(%q) in %s was not prepared", label, from)
	}
	if g, ok := r.modules[src]; ok {
		return g, nil
	}
	strand, err := dsl.StrandOf(t)
	if err != nil {
		return nil, err
	}
	sub := strand.Branch(strand.Ctx, src.Name)
	defer sub.Done()
	g, err := src.Program.Init(sub.Thread, r.Predefined)
	if err != nil {
		return nil, err
	}
	r.modules[src] = g
	return g, nil
}

func (r *Run) find(from, label string) *Source {
	name, err := r.Lib.Resolve(from, label)
	if err != nil {
		return nil
	}
	return r.Lib.sources[name]
}
