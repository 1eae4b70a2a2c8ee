package builtins

import (
	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/nest"
)

type yamlTextArgs struct {
	Text string `star:"text" doc:"a YAML document"`
}

func (st *State) yamlDecode(c *dsl.Call, a yamlTextArgs) (starlark.Value, error) {
	v, err := readYAML(c.Pace(), st.Mask, a.Text)
	if err != nil {
		return nil, misused(c, err, "yaml.decode: %w", err)
	}
	return v, nil
}

type valueArgs struct {
	Value starlark.Value `star:"value" doc:"None, bool, numbers, texts, lists and dicts"`
}

func (st *State) yamlEncode(c *dsl.Call, a valueArgs) (starlark.Value, error) {
	w := &yamlWriter{st: st, pace: c.Pace()}
	err := nest.Acyclic(a.Value)
	if err == nil {
		err = w.write(a.Value, 0, false)
	}
	if err != nil {
		return nil, misused(c, err, "yaml.encode: %w", err)
	}
	return starlark.String(w.out.String()), nil
}

func (st *State) yamlFuncs() []*dsl.Func {
	return dsl.In("values",
		dsl.Define("yaml.decode", "any", `The value of a YAML document.`,
			`assert.eq(yaml.decode("a: 1\nb: [x, true, null]"), {"a": 1, "b": ["x", True, None]})`, yamlTextArgs{}, st.yamlDecode),
		dsl.Define("yaml.encode", "str", `A value as YAML.`,
			`assert.eq(yaml.encode({"b": [1, "x"], "a": None}), "b:\n- 1\n- x\na: null\n")`, valueArgs{}, st.yamlEncode),
	)
}
