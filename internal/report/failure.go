package report

import (
	"fmt"
	"strings"

	"omniexpect/internal/fault"
	"omniexpect/internal/interp"
)

// Fail writes a failure: where, of which kind, why, the source line, the call chain, what was seen, what to try.
func (r *Reporter) Fail(err error) {
	r.Flush()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.TTY && r.live == "" && fault.KindOf(err) == fault.Interrupt {
		r.mid = true // behind the ^C that the terminal shows
	}
	r.line(r.Text(err))
}

// Text returns what Fail writes.
func (r *Reporter) Text(err error) string {
	columns := interp.ExcerptWidth
	if r.TTY {
		columns = r.Width()
	}
	return Failure(interp.Explain(err, r.Source, r.Hint), columns)
}

// Failure writes a failure for a person. The excerpt of the script takes that many columns at most.
func Failure(f interp.Failure, columns int) string {
	parts := []string{one(f, columns)}
	for _, more := range f.More {
		parts = append(parts, one(more, columns))
	}
	return strings.Join(parts, "\n")
}

func one(f interp.Failure, columns int) string {
	var b strings.Builder
	if f.Defer != nil {
		fmt.Fprintf(&b, "%s: in the deferred call of %s:\n", f.Defer.At, f.Defer.Func)
	}
	if f.At.Line > 0 {
		fmt.Fprintf(&b, "%s: ", f.At)
	}
	fmt.Fprintf(&b, "%s: %s", f.Kind, f.Msg)
	if strings.TrimSpace(f.Line) != "" {
		b.WriteString("\n" + interp.Excerpt(f.Line, int(f.At.Line), int(f.At.Col), columns))
	}
	b.WriteString(calls(f.Chain, f.Depth))
	if f.Detail != "" {
		b.WriteString("\n" + indent(f.Detail))
	}
	for _, h := range f.Hints {
		b.WriteString("\nhint: " + h)
	}
	return b.String()
}

// calls writes the chain of calls around the place of a failure: the modules inside which it happened, then who called.
func calls(chain []interp.Place, depth int) string {
	var b strings.Builder
	for i, c := range chain {
		switch {
		case i < depth:
			fmt.Fprintf(&b, "\n  raised at %s in %s", c.At, c.Func)
		case i == depth && c.Func != "<toplevel>":
			fmt.Fprintf(&b, "\n  in %s", c.Func)
		case i > depth:
			fmt.Fprintf(&b, "\n  called from %s in %s", c.At, c.Func)
		}
		if c.Count > 1 {
			fmt.Fprintf(&b, " (%d times)", c.Count)
		}
	}
	return b.String()
}

func indent(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }
