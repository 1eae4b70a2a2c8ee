package builtins

import (
	"fmt"
	"regexp"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/httpc"
	"omniexpect/internal/match"
)

type checkArgs struct {
	Resp     starlark.Value `star:"resp" type:"Response" doc:"the response of an HTTP call"`
	Status   starlark.Value `star:"status?,kw" type:"int or list" doc:"the status, or a list of them"`
	Header   *starlark.Dict `star:"header?,kw" type:"dict" doc:"from names to values: a text, a pattern like regex(…), or a function"`
	JSONPath *starlark.Dict `star:"jsonpath?,kw" type:"dict" doc:"from RFC 9535 paths to values: what the path selects (its one node, or the list of all), a pattern, or a function"`
	Contains starlark.Value `star:"contains?,kw" type:"str or list" doc:"texts that must be in the body"`
}

func (st *State) check(c *dsl.Call, a checkArgs) (starlark.Value, error) {
	r, ok := a.Resp.(*responseValue)
	if !ok {
		return nil, fault.New(fault.Usage, "check: got %s, want a response", a.Resp.Type())
	}
	want := httpc.Want{Step: c.Pace().Step}
	var err error
	if a.Status != nil && a.Status != starlark.None {
		if want.Status, err = intsOf(a.Status); err != nil {
			return nil, fault.New(fault.Usage, "check: status: %w", err)
		}
	}
	if a.Header != nil {
		for _, kv := range a.Header.Items() {
			h, err := st.headerWant(c, plain(kv[0]), kv[1])
			if err != nil {
				return nil, err
			}
			want.Headers = append(want.Headers, h)
		}
	}
	if a.JSONPath != nil {
		for _, kv := range a.JSONPath.Items() {
			p, err := st.pathWant(c, plain(kv[0]), kv[1])
			if err != nil {
				return nil, err
			}
			want.JSONPath = append(want.JSONPath, p)
		}
	}
	switch v := a.Contains.(type) {
	case nil, starlark.NoneType:
	case *starlark.List, starlark.Tuple:
		for i := range v.(starlark.Indexable).Len() {
			want.Contains = append(want.Contains, st.Mask.Resolve(plain(v.(starlark.Indexable).Index(i))))
		}
	default:
		want.Contains = []string{st.Mask.Resolve(plain(v))}
	}
	if err := httpc.Check(r.Response, want); err != nil {
		return nil, err
	}
	return r, nil
}

func (st *State) headerWant(c *dsl.Call, name string, v starlark.Value) (httpc.HeaderWant, error) {
	h := httpc.HeaderWant{Name: name}
	test, wanted, err := st.testOf(c, v)
	if err != nil {
		return h, fault.New(fault.Usage, "check: header %s: %w", name, err)
	}
	if test == nil {
		h.Value = st.Mask.Resolve(plain(v))
		return h, nil
	}
	h.Test = func(got string) (bool, string, error) {
		ok, err := test(starlark.String(got))
		return ok, wanted, err
	}
	return h, nil
}

func (st *State) pathWant(c *dsl.Call, path string, v starlark.Value) (httpc.PathWant, error) {
	p := httpc.PathWant{Path: path}
	test, wanted, err := st.testOf(c, v)
	switch {
	case err != nil:
		return p, fault.New(fault.Usage, "check: jsonpath %s: %w", path, err)
	case test == nil:
		p.Value, err = fromStarlark(c, v)
		return p, err
	}
	p.Test = func(got []any) (bool, string, error) {
		var v starlark.Value = toStarlark(got)
		if len(got) == 1 {
			v = toStarlark(got[0])
		}
		ok, err := test(v)
		return ok, wanted, err
	}
	return p, nil
}

// testOf makes a test of a pattern or a function; there is none for a value that is compared.
func (st *State) testOf(c *dsl.Call, v starlark.Value) (test func(starlark.Value) (bool, error), wanted string, err error) {
	switch v := v.(type) {
	case pattern:
		expr := v.Source
		switch v.Kind {
		case match.Regexp:
		case match.Exact:
			expr = regexp.QuoteMeta(expr)
		default:
			return nil, "", fmt.Errorf("got %s, want regex(…) or exact(…)", v.Pattern)
		}
		if v.IgnoreCase {
			expr = "(?i)" + expr
		}
		re, err := compileRE("check", expr)
		if err != nil {
			return nil, "", err
		}
		return func(got starlark.Value) (bool, error) { return re.MatchString(plain(got)), nil }, v.Pattern.String(), nil
	case starlark.Callable:
		return func(got starlark.Value) (bool, error) {
			ok, err := c.Invoke(v, got)
			return err == nil && bool(ok.Truth()), err
		}, "what " + v.Name() + " is true for", nil
	}
	return nil, "", nil
}

func (st *State) checkFuncs() []*dsl.Func {
	return dsl.In("http",
		dsl.Define("check", "Response", `Check a response's status, headers, body and JSON paths, and report every mismatch: the wanted value, the actual one, and the part of the body that matters.`,
			`s = http_serve({"/": {"json": {"items": [{"id": 1}, {"id": 2}]}, "headers": {"X-Kind": "list"}}})
r = http_get(s.url)
check(r, status = 200, header = {"x-kind": regex("^li")}, jsonpath = {"$.items[*].id": [1, 2]}, contains = "items")
assert.fails(check, r, status = [201, 204], contains = "nothing", kind = "http")`, checkArgs{}, st.check),
	)
}
