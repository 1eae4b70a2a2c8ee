package repl

import (
	"context"
	"errors"
	"reflect"
	"unsafe"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
)

// Pause opens the prompt in the middle of a script, with what the calling function sees: its variables, those of the
// functions around it, and the script's. It returns when the script is to go on; the error is an exit when it is not.
func (l *Loop) Pause(c *dsl.Call, message string) error {
	l.paused = true
	l.current = c.Current
	l.see(c.Thread)
	where := c.Pos().String()
	if message != "" {
		where += ": " + message
	}
	l.say("paused at %s\n.continue or Ctrl-D goes on, .quit ends the script", where)
	err := c.Wait(func(ctx context.Context) error { return l.Loop(ctx) })
	c.Current = l.current
	var exit *dsl.Exit
	if err == nil || errors.As(err, &exit) || c.Ctx.Err() != nil {
		return err
	}
	if l.Interactive() {
		return err
	}
	return fault.New(fault.KindOf(err), "pause: %w", err)
}

// boxed takes the value of a variable that inner functions share out of the box in which Starlark keeps it: the debugging
// interface returns the box. It returns nil for a box of another shape than it knows.
func boxed(v starlark.Value) starlark.Value {
	if v.Type() != "cell" {
		return v
	}
	p := reflect.ValueOf(v)
	if p.Kind() != reflect.Pointer || p.Elem().Kind() != reflect.Struct || p.Elem().NumField() != 1 ||
		p.Elem().Field(0).Type() != reflect.TypeFor[starlark.Value]() {
		return nil
	}
	return *(*starlark.Value)(unsafe.Pointer(p.Pointer()))
}

// see binds the names of the innermost function of the script.
func (l *Loop) see(t *starlark.Thread) {
	for depth := range t.CallStackDepth() {
		frame := t.DebugFrame(depth)
		fn, ok := frame.Callable().(*starlark.Function)
		if !ok {
			continue
		}
		for name, v := range fn.Globals() {
			l.console.Set(name, v)
		}
		for i := range fn.NumFreeVars() {
			if b, v := fn.FreeVar(i); v != nil {
				l.console.Set(b.Name, v)
			}
		}
		for i := range frame.NumLocals() {
			if b, v := frame.Local(i); v != nil {
				if v = boxed(v); v != nil {
					l.console.Set(b.Name, v)
				}
			}
		}
		return
	}
}
