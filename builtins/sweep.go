package builtins

import (
	"context"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/proc"
)

// sweep ends whatever carries the run's marker, which every program that the run started has in its environment, and
// everything that such a program started.
func (st *State) sweep(c *dsl.Call, _ dsl.None) (starlark.Value, error) {
	var ended []string
	err := c.Wait(func(ctx context.Context) error {
		marked := proc.Marked(st.ScopeMarker())
		if len(marked) == 0 {
			return nil
		}
		for _, p := range marked {
			ended = append(ended, p.String())
		}
		left := proc.End(ctx, proc.Plan{Marker: st.ScopeMarker(), Strength: proc.KillAll}, nil)
		if len(left) > 0 {
			st.note("left running: " + proc.Names(left))
		}
		return nil
	})
	return stringList(ended), err
}

func (st *State) sweepFuncs() []*dsl.Func {
	return dsl.In("sessions",
		dsl.Define("sweep", "list", `End every process that this run's programs have started, daemons too, in whatever session they are. Returns what was ended. Sessions end by themselves at the end of a script; this is for processes that kill= lets them leave behind.`,
			`s = spawn("sleep 100")
assert.eq(len(sweep()), 1)`, dsl.None{}, st.sweep),
	)
}
