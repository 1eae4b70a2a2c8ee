package report

import (
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/syntax"

	"omniexpect/internal/fault"
	"omniexpect/internal/interp"
)

// Fail writes a failure: where, of which kind, why, the source line, the call chain, what was seen, what to try.
func (r *Reporter) Fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.TTY && r.live == "" && fault.KindOf(err) == fault.Interrupt {
		r.mid = true // behind the ^C that the terminal shows
	}
	r.line(r.failure(err))
}

// Text returns what Fail writes.
func (r *Reporter) Text(err error) string { return r.failure(err) }

func (r *Reporter) failure(err error) string {
	var several interp.Several
	if errors.As(err, &several) {
		var parts []string
		for _, e := range several {
			parts = append(parts, r.failure(e))
		}
		return strings.Join(parts, "\n")
	}
	var deferred *interp.Deferred
	if errors.As(err, &deferred) {
		return fmt.Sprintf("%s: in the deferred call of %s:\n%s", deferred.Call.Pos, deferred.Call.Fn.Name(),
			r.failure(deferred.Err))
	}
	var located *interp.Located
	if errors.As(err, &located) {
		return r.write(located.Err, located.Pos, located.Line, nil, 0)
	}
	chain := interp.Chain(err)
	if len(chain) == 0 {
		return r.write(err, syntax.Position{}, "", nil, 0)
	}
	// A failure that a library module raises belongs to the line of the script that called it.
	first := 0
	for first < len(chain)-1 && strings.HasPrefix(chain[first].Pos.Filename(), "@lib//") {
		first++
	}
	at := chain[first]
	line := interp.LineOf(r.Source(at.Pos.Filename()), int(at.Pos.Line))
	return r.write(interp.Cause(err), at.Pos, line, chain, first)
}

func (r *Reporter) write(err error, pos syntax.Position, line string, chain []interp.Frame, first int) string {
	var b strings.Builder
	kind, msg := fault.KindOf(err), err.Error()
	var f *fault.Error
	if errors.As(err, &f) {
		msg = f.Msg
	}
	if pos.Line > 0 {
		fmt.Fprintf(&b, "%s: ", pos)
	}
	fmt.Fprintf(&b, "%s: %s", kind, msg)
	if strings.TrimSpace(line) != "" {
		columns := interp.ExcerptWidth
		if r.TTY {
			columns = r.Width()
		}
		b.WriteString("\n" + interp.Excerpt(line, int(pos.Line), int(pos.Col), columns))
	}
	b.WriteString(calls(chain, first))
	if f == nil && r.Hint != nil {
		if h := r.Hint(msg); h != "" {
			b.WriteString("\nhint: " + h)
		}
	}
	if f != nil {
		if f.Detail != "" {
			b.WriteString("\n" + indent(f.Detail))
		}
		for _, h := range f.Hints {
			b.WriteString("\nhint: " + h)
		}
	}
	return b.String()
}

// calls writes the chain of calls around the place of a failure: the modules inside which it happened, then who called.
func calls(chain []interp.Frame, first int) string {
	var b strings.Builder
	for i, c := range chain {
		switch {
		case i < first:
			fmt.Fprintf(&b, "\n  raised at %s in %s", c.Pos, c.Name)
		case i == first && c.Name != "<toplevel>":
			fmt.Fprintf(&b, "\n  in %s", c.Name)
		case i > first:
			fmt.Fprintf(&b, "\n  called from %s in %s", c.Pos, c.Name)
		}
		if c.Count > 1 {
			fmt.Fprintf(&b, " (%d times)", c.Count)
		}
	}
	return b.String()
}

func indent(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }
