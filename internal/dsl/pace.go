package dsl

import (
	"context"

	"go.starlark.net/starlark"

	"omniexpect/internal/fault"
)

// paceEvery is how many units of work go by between two looks at the clock and the context: a millisecond at most.
const paceEvery = 8192

// Pace lets a computation that may be long end with its strand: on an interrupt, and at the deadline of what it is part of.
// A nil Pace never ends anything.
type Pace struct {
	strand *Strand
	left   int
	over   error
}

// Pace returns a pace of the strand for one computation.
func (s *Strand) Pace() *Pace { return &Pace{strand: s, left: paceEvery} }

// PaceOf is Pace for a thread, and nil for one that belongs to no run.
func PaceOf(t *starlark.Thread) *Pace {
	if s, err := StrandOf(t); err == nil {
		return s.Pace()
	}
	return nil
}

// Step counts work that was done, in units of up to about 100 ns, and returns why the computation has to end, if it has to.
func (p *Pace) Step(units int) error {
	if p == nil {
		return nil
	}
	if p.left -= units; p.left > 0 {
		return p.over
	}
	p.left = paceEvery
	return p.Look()
}

// Look is Step without the counting.
func (p *Pace) Look() error {
	switch {
	case p == nil:
		return nil
	case p.over != nil:
	case p.strand.Ctx.Err() != nil:
		p.over = context.Cause(p.strand.Ctx)
	case !p.strand.Deadline.IsZero() && p.strand.Host.Clock.Now().After(p.strand.Deadline):
		p.over = fault.New(fault.Timeout, "not finished at the deadline of the wait around it")
	}
	return p.over
}

// Over returns why the computation had to end, or nil.
func (p *Pace) Over() error {
	if p == nil {
		return nil
	}
	return p.over
}
