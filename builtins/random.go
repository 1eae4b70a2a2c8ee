package builtins

import (
	"math"
	"math/rand/v2"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
)

// dice is the run's source of random numbers: not predictable until a script seeds it.
func (st *State) dice() *rand.Rand {
	if st.random == nil {
		st.random = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	return st.random
}

type seedArgs struct {
	Seed int `star:"seed" doc:"an integer; the same seed gives the same numbers"`
}

func (st *State) randomSeed(_ *dsl.Call, a seedArgs) (starlark.Value, error) {
	st.random = rand.New(rand.NewPCG(uint64(a.Seed), 0))
	return starlark.None, nil
}

type rangeArgs struct {
	Low  int `star:"low" doc:"the smallest"`
	High int `star:"high" doc:"the largest"`
}

func (st *State) randomInt(_ *dsl.Call, a rangeArgs) (starlark.Value, error) {
	if a.High < a.Low {
		return nil, fault.New(fault.Usage, "random.int: %d to %d: want low up to high", a.Low, a.High)
	}
	span := uint64(a.High) - uint64(a.Low)
	if span == math.MaxUint64 {
		return starlark.MakeInt(int(st.dice().Uint64())), nil
	}
	return starlark.MakeInt(int(uint64(a.Low) + st.dice().Uint64N(span+1))), nil
}

func (st *State) randomFloat(*dsl.Call, dsl.None) (starlark.Value, error) {
	return starlark.Float(st.dice().Float64()), nil
}

type choiceArgs struct {
	Items starlark.Value `star:"items" type:"list or str" doc:"a list, a tuple or a text"`
}

func (st *State) randomChoice(_ *dsl.Call, a choiceArgs) (starlark.Value, error) {
	seq, ok := a.Items.(starlark.Indexable)
	if !ok || seq.Len() == 0 {
		return nil, fault.New(fault.Usage, "random.choice: got %s, want a list with something in it", a.Items)
	}
	return seq.Index(st.dice().IntN(seq.Len())), nil
}

func (st *State) randomShuffle(c *dsl.Call, a choiceArgs) (starlark.Value, error) {
	var out []starlark.Value
	pace := c.Pace()
	err := each("random.shuffle", a.Items, func(v starlark.Value) error { out = append(out, v); return pace.Step(1) })
	// As rand.Shuffle does it: a seed gives the order that it always gave.
	for i := len(out) - 1; i > 0 && err == nil; i-- {
		j := int(st.dice().Uint64N(uint64(i + 1)))
		out[i], out[j] = out[j], out[i]
		err = pace.Step(1)
	}
	if err != nil {
		return nil, misused(c, err, "%w", err)
	}
	return starlark.NewList(out), nil
}

func (st *State) randomFuncs() []*dsl.Func {
	return dsl.In("values",
		dsl.Define("random.seed", "None", `Make the random numbers that follow the same in every run.`,
			`random.seed(7)
a = random.int(1, 1000000)
random.seed(7)
assert.eq(random.int(1, 1000000), a)`, seedArgs{}, st.randomSeed),
		dsl.Define("random.int", "int", `A random integer, both bounds included. Not for secrets.`,
			`assert.true(random.int(1, 6) in [1, 2, 3, 4, 5, 6])`, rangeArgs{}, st.randomInt),
		dsl.Define("random.float", "float", `A random number from 0 to below 1.`,
			`assert.true(random.float() < 1)`, dsl.None{}, st.randomFloat),
		dsl.Define("random.choice", "any", `A random element.`,
			`assert.contains(["a", "b"], random.choice(["a", "b"]))`, choiceArgs{}, st.randomChoice),
		dsl.Define("random.shuffle", "list", `The same elements in a random order.`,
			`assert.eq(sorted(random.shuffle([1, 2, 3])), [1, 2, 3])`, choiceArgs{}, st.randomShuffle),
	)
}
