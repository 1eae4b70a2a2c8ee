package builtins

import (
	"context"
	"fmt"
	"time"

	"go.starlark.net/starlark"

	"omniexpect/internal/clock"
	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/sqlite"
)

// What a query may take unless it says otherwise.
const (
	sqliteTimeout = 30 * time.Second
	sqliteRows    = 1_000_000
)

type sqliteArgs struct {
	Path    string         `star:"path" doc:"the database file"`
	Query   string         `star:"query" doc:"one statement, with ? or :name for values"`
	Params  starlark.Value `star:"params?" type:"list or dict" doc:"values for each ?, or a dict of values by name"`
	Timeout dsl.Duration   `star:"timeout?,kw" doc:"deadline, which includes waiting for locks"`
	MaxRows int            `star:"max_rows?,kw" doc:"how many rows there may be; more are a failure"`
}

func (st *State) sqlite(c *dsl.Call, a sqliteArgs) (starlark.Value, error) {
	q := sqlite.Query{Path: a.Path, SQL: st.Mask.Resolve(a.Query), MaxRows: a.MaxRows}
	if a.MaxRows < 1 {
		return nil, fault.New(fault.Usage, "sqlite: max_rows=%d: want a number above 0", a.MaxRows)
	}
	if err := st.sqlParams(&q, a.Params); err != nil {
		return nil, fault.New(fault.Usage, "sqlite: %w", err)
	}
	limit := st.limit(c, a.Timeout, sqliteTimeout)
	var rows *sqlite.Rows
	err := c.Wait(func(ctx context.Context) (err error) {
		if limit > 0 {
			var cancel context.CancelFunc
			late := fault.New(fault.Timeout, "sqlite: %s: no result within %s", a.Path, fault.Human(limit))
			ctx, cancel = clock.WithTimeoutCause(ctx, st.Clock, limit, late)
			defer cancel()
		}
		rows, err = q.Do(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return rowDicts(rows), nil
}

func (st *State) sqlParams(q *sqlite.Query, params starlark.Value) (err error) {
	switch v := params.(type) {
	case nil, starlark.NoneType:
	case *starlark.Dict:
		q.Named = map[string]any{}
		for _, kv := range v.Items() {
			if q.Named[plain(kv[0])], err = st.sqlValue(kv[1]); err != nil {
				return fmt.Errorf("params: %s: %w", plain(kv[0]), err)
			}
		}
	case *starlark.List, starlark.Tuple:
		return each("params", v, func(v starlark.Value) error {
			arg, err := st.sqlValue(v)
			if err != nil {
				return fmt.Errorf("params: value %d: %w", len(q.Args)+1, err)
			}
			q.Args = append(q.Args, arg)
			return nil
		})
	default:
		return fmt.Errorf("params: got %s, want a list like [1, \"a\"], or a dict", v.Type())
	}
	return nil
}

// sqlValue turns a value into one that the engine can compare with.
func (st *State) sqlValue(v starlark.Value) (any, error) {
	switch v := v.(type) {
	case starlark.NoneType:
		return nil, nil
	case starlark.Bool:
		return bool(v), nil
	case starlark.Int:
		if n, ok := v.Int64(); ok {
			return n, nil
		}
		return nil, fmt.Errorf("%s has more than 64 bits", v)
	case starlark.Float:
		return float64(v), nil
	case starlark.String, secretValue:
		return st.Mask.Resolve(plain(v)), nil
	case starlark.Bytes:
		return []byte(v), nil
	}
	return nil, fmt.Errorf("got %s, want None, a bool, a number, a text or bytes", v.Type())
}

func rowDicts(rows *sqlite.Rows) starlark.Value {
	names := make([]starlark.Value, len(rows.Columns))
	for i, name := range rows.Columns {
		names[i] = starlark.String(name)
	}
	list := make([]starlark.Value, len(rows.Rows))
	for i, row := range rows.Rows {
		d := starlark.NewDict(len(row))
		for j, v := range row {
			d.SetKey(names[j], sqlResult(v))
		}
		list[i] = d
	}
	return starlark.NewList(list)
}

func sqlResult(v any) starlark.Value {
	switch v := v.(type) {
	case int64:
		return starlark.MakeInt64(v)
	case float64:
		return starlark.Float(v)
	case string:
		return starlark.String(v)
	case []byte:
		return starlark.Bytes(v)
	}
	return starlark.None
}

func (st *State) sqliteFuncs() []*dsl.Func {
	return dsl.In("values",
		dsl.Define("sqlite", "list", `The rows that a query selects in an SQLite database, as dicts by column. Numbers, texts and NULL (None) keep their types, a blob is bytes. The database is opened read-only, also while other programs use it; neither it nor its folder is changed.`,
			`db = fs.temp_dir() + "/empty.db"
fs.write(db, "")
assert.eq(sqlite(db, "select ? as n, 'a' as t, x'41' as b, null as z", [7]), [{"n": 7, "t": "a", "b": b"A", "z": None}])
assert.eq(sqlite(db, "select :x + 1 as y", {"x": 1.5}), [{"y": 2.5}])`,
			sqliteArgs{Timeout: dsl.Duration{Doc: "30"}, MaxRows: sqliteRows}, st.sqlite),
	)
}
