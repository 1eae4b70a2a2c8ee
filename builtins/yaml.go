package builtins

import (
	"encoding/csv"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/nest"
)

type yamlTextArgs struct {
	Text string `star:"text" doc:"a YAML document"`
}

func (st *State) yamlDecode(_ *dsl.Call, a yamlTextArgs) (starlark.Value, error) {
	if at, why := yamlTooMuch(a.Text); why != "" {
		return nil, fault.New(fault.Usage, "yaml.decode: [%d:%d] %s", at.Line, at.Column, why)
	}
	var v any
	if err := yaml.UnmarshalWithOptions([]byte(a.Text), &v, yaml.UseOrderedMap()); err != nil {
		first, rest, _ := strings.Cut(yaml.FormatError(err, false, true), "\n")
		return nil, fault.New(fault.Usage, "yaml.decode: %s", first).WithDetail(rest)
	}
	return fromYAML(v), nil
}

func fromYAML(v any) starlark.Value {
	switch v := v.(type) {
	case yaml.MapSlice:
		d := starlark.NewDict(len(v))
		for _, item := range v {
			key := fromYAML(item.Key)
			if _, err := key.Hash(); err != nil {
				key = starlark.String(key.String())
			}
			d.SetKey(key, fromYAML(item.Value))
		}
		return d
	case []any:
		list := make([]starlark.Value, len(v))
		for i, e := range v {
			list[i] = fromYAML(e)
		}
		return starlark.NewList(list)
	case float64:
		return starlark.Float(v)
	}
	return toStarlark(v)
}

func toYAML(v starlark.Value) (any, error) {
	switch v := v.(type) {
	case starlark.NoneType:
		return nil, nil
	case starlark.Bool:
		return bool(v), nil
	case starlark.Float:
		return float64(v), nil
	case starlark.Int:
		if n, ok := v.Int64(); ok {
			return n, nil
		}
		return v.BigInt(), nil
	case starlark.String:
		return string(v), nil
	case secretValue:
		return v.placeholder, nil
	case *starlark.Dict:
		out := yaml.MapSlice{}
		for _, kv := range v.Items() {
			key, err := toYAML(kv[0])
			if err != nil {
				return nil, err
			}
			value, err := toYAML(kv[1])
			if err != nil {
				return nil, err
			}
			out = append(out, yaml.MapItem{Key: key, Value: value})
		}
		return out, nil
	case *starlark.List, starlark.Tuple:
		out := []any{}
		for i := range v.(starlark.Indexable).Len() {
			e, err := toYAML(v.(starlark.Indexable).Index(i))
			if err != nil {
				return nil, err
			}
			out = append(out, e)
		}
		return out, nil
	}
	return nil, fmt.Errorf("%s cannot be written: want None, bool, numbers, texts, lists and dicts", v.Type())
}

type valueArgs struct {
	Value starlark.Value `star:"value" doc:"None, bool, numbers, texts, lists and dicts"`
}

func (st *State) yamlEncode(_ *dsl.Call, a valueArgs) (starlark.Value, error) {
	var v any
	var b []byte
	err := nest.Acyclic(a.Value)
	if err == nil {
		v, err = toYAML(a.Value)
	}
	if err == nil {
		b, err = yaml.Marshal(v)
	}
	if err != nil {
		return nil, fault.New(fault.Usage, "yaml.encode: %w", err)
	}
	return starlark.String(b), nil
}

type csvArgs struct {
	Text   string `star:"text" doc:"comma-separated values"`
	Header bool   `star:"header?,kw" doc:"the first line has names: rows are dicts"`
	Comma  string `star:"comma?,kw" doc:"what separates the values"`
}

func (st *State) csvDecode(_ *dsl.Call, a csvArgs) (starlark.Value, error) {
	if len([]rune(a.Comma)) != 1 {
		return nil, fault.New(fault.Usage, "csv.decode: comma=%q: want one character", a.Comma)
	}
	r := csv.NewReader(strings.NewReader(a.Text))
	r.Comma = []rune(a.Comma)[0]
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fault.New(fault.Usage, "csv.decode: %w", err)
	}
	var out []starlark.Value
	for i, row := range rows {
		if !a.Header {
			out = append(out, stringList(row))
			continue
		}
		if i == 0 {
			continue
		}
		d := starlark.NewDict(len(row))
		for j, cell := range row {
			d.SetKey(starlark.String(rows[0][j]), starlark.String(cell))
		}
		out = append(out, d)
	}
	return starlark.NewList(out), nil
}

type rowsArgs struct {
	Rows starlark.Value `star:"rows" type:"list" doc:"lists, or dicts whose keys become the first line"`
}

func (st *State) csvEncode(_ *dsl.Call, a rowsArgs) (starlark.Value, error) {
	var b strings.Builder
	w := csv.NewWriter(&b)
	var names []starlark.Value
	err := each("csv.encode", a.Rows, func(row starlark.Value) error {
		var cells []string
		if d, ok := row.(*starlark.Dict); ok {
			if names == nil {
				names = d.Keys()
				for _, n := range names {
					cells = append(cells, plain(n))
				}
				w.Write(cells)
				cells = nil
			}
			for _, n := range names {
				v, _, _ := d.Get(n)
				cells = append(cells, cell(v))
			}
		} else if err := each("a row", row, func(v starlark.Value) error { cells = append(cells, cell(v)); return nil }); err != nil {
			return err
		}
		return w.Write(cells)
	})
	w.Flush()
	if err == nil {
		err = w.Error()
	}
	if err != nil {
		return nil, fault.New(fault.Usage, "csv.encode: %w", err)
	}
	return starlark.String(b.String()), nil
}

func cell(v starlark.Value) string {
	if v == nil || v == starlark.None {
		return ""
	}
	return plain(v)
}

func (st *State) yamlFuncs() []*dsl.Func {
	return dsl.In("values",
		dsl.Define("yaml.decode", "any", `The value of a YAML document.`,
			`assert.eq(yaml.decode("a: 1\nb: [x, true, null]"), {"a": 1, "b": ["x", True, None]})`, yamlTextArgs{}, st.yamlDecode),
		dsl.Define("yaml.encode", "str", `A value as YAML.`,
			`assert.eq(yaml.encode({"b": [1, "x"], "a": None}), "b:\n- 1\n- x\na: null\n")`, valueArgs{}, st.yamlEncode),
		dsl.Define("csv.decode", "list", `The rows of comma-separated values, as lists or, with header=True, as dicts.`,
			`assert.eq(csv.decode("a,b\n1,\"x,y\"\n", header = True), [{"a": "1", "b": "x,y"}])`, csvArgs{Comma: ","}, st.csvDecode),
		dsl.Define("csv.encode", "str", `Rows as comma-separated values.`,
			`assert.eq(csv.encode([{"a": 1, "b": "x,y"}]), "a,b\n1,\"x,y\"\n")`, rowsArgs{}, st.csvEncode),
	)
}
