package builtins

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
)

type parallelArgs struct {
	Fns      *starlark.List `star:"fns" type:"list" doc:"functions without arguments"`
	Limit    int            `star:"limit?,kw" doc:"how many run at the same time; 0 for all"`
	FailFast bool           `star:"fail_fast?,kw" doc:"whether the first failure cancels the rest; False: all run, and the list has Results"`
}

// parallel runs functions at the same time: each on a goroutine and thread of its own, all under the run's one lock,
// which is free while a branch waits.
func (st *State) parallel(c *dsl.Call, a parallelArgs) (starlark.Value, error) {
	fns, err := a.branches(c.Depth)
	if err != nil {
		return nil, err
	}
	n := len(fns)
	limit := a.Limit
	if limit == 0 || limit > n {
		limit = max(n, 1)
	}
	values, errs := make([]starlark.Value, n), make([]error, n)
	ctx, cancel := context.WithCancelCause(c.Ctx)
	defer cancel(nil)
	var first error
	var mu sync.Mutex
	slots := make(chan struct{}, limit)
	err = c.Wait(func(context.Context) error {
		var wg sync.WaitGroup
		for i, f := range fns {
			select {
			case slots <- struct{}{}: // here, so that they start in the order of the list
			case <-ctx.Done():
			}
			if ctx.Err() != nil {
				errs[i] = context.Cause(ctx)
				continue
			}
			begun := make(chan struct{})
			wg.Go(func() {
				defer func() { <-slots }() // last: who comes next sees a failure first
				values[i], errs[i] = branch(ctx, c, f, i, begun)
				if errs[i] != nil && (a.FailFast || ends(errs[i])) {
					mu.Lock()
					defer mu.Unlock()
					if first == nil {
						first = errs[i]
						cancel(first)
					}
				}
			})
			<-begun // the next one waits for the lock behind it
		}
		wg.Wait()
		return nil
	})
	if err != nil {
		return nil, err
	}
	if first != nil {
		return nil, dsl.Elsewhere(first)
	}
	out := make([]starlark.Value, n)
	for i := range n {
		out[i] = values[i]
		if !a.FailFast {
			out[i] = st.result(values[i], errs[i])
		}
	}
	return starlark.NewList(out), nil
}

// branches checks the arguments, and returns the functions to run.
func (a parallelArgs) branches(depth int) ([]starlark.Callable, error) {
	if a.Limit < 0 {
		return nil, fault.New(fault.Usage, "parallel: limit=%d, want 0 or more", a.Limit)
	}
	if depth >= maxNesting {
		return nil, fault.New(fault.Usage, "parallel: nested %d deep: does a branch call itself?", depth)
	}
	fns := make([]starlark.Callable, a.Fns.Len())
	for i := range fns {
		f, ok := a.Fns.Index(i).(starlark.Callable)
		if !ok {
			return nil, fault.New(fault.Usage, "parallel: item %d is %s, want a function without arguments", i, a.Fns.Index(i).Type())
		}
		fns[i] = f
	}
	return fns, nil
}

// ends reports whether an error is exit() or skip(), which end the run and not only a branch.
func ends(err error) bool {
	var exit *dsl.Exit
	return errors.As(err, &exit)
}

// maxNesting bounds parallel in parallel, which recursion would take without end.
const maxNesting = 20

// branch runs one function on a strand of its own, and closes begun when it has the lock.
func branch(ctx context.Context, c *dsl.Call, f starlark.Callable, i int, begun chan<- struct{}) (v starlark.Value, err error) {
	s := c.Branch(ctx, fmt.Sprintf("parallel %d", i))
	defer s.Done()
	err = s.Run(func(t *starlark.Thread) (err error) {
		close(begun)
		v, err = starlark.Call(t, f, nil, nil)
		return err
	})
	return v, err
}

func (st *State) parallelFuncs() []*dsl.Func {
	return dsl.In("control",
		dsl.Define("parallel", "list", `Call functions at the same time and return their values in order. The first failure cancels the rest and is the failure of the call, unless fail_fast=False. exit() and skip() in a branch end the others and the run. Each branch has its own current session.`,
			`def one():
    spawn("echo 1")
    return expect(r"\d")[0]

def two():
    spawn("echo 2")
    return expect(r"\d")[0]

assert.eq(parallel([one, two]), ["1", "2"])`, parallelArgs{FailFast: true}, st.parallel),
	)
}
