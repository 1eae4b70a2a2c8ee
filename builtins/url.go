package builtins

import (
	"net/url"
	"strconv"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/httpc"
)

type urlArgs struct {
	URL string `star:"url" doc:"a URL"`
}

// urlParse does not show the URL in its errors, for it may hold a password.
func (st *State) urlParse(_ *dsl.Call, a urlArgs) (starlark.Value, error) {
	u, err := url.Parse(a.URL)
	if err != nil {
		if ue, ok := err.(*url.Error); ok {
			err = ue.Err
		}
		return nil, fault.New(fault.Usage, "url.parse: %w", err)
	}
	query := starlark.NewDict(0)
	for k, v := range u.Query() {
		query.SetKey(starlark.String(k), stringList(v))
	}
	var port starlark.Value = starlark.None
	if p := u.Port(); p != "" {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil {
			return nil, fault.New(fault.Usage, "url.parse: port %s: want 0 to 65535", p)
		}
		port = starlark.MakeUint64(n)
	}
	password, _ := u.User.Password()
	return starlarkstruct.FromStringDict(starlark.String("url"), starlark.StringDict{
		"scheme": starlark.String(u.Scheme), "host": starlark.String(u.Hostname()), "port": port,
		"path": starlark.String(u.Path), "query": query, "fragment": starlark.String(u.Fragment),
		"user": starlark.String(u.User.Username()), "password": starlark.String(password),
	}), nil
}

type urlJoinArgs struct {
	Base string         `star:"base" doc:"a URL"`
	Ref  string         `star:"ref" doc:"the link, absolute or relative to base"`
	Q    starlark.Value `star:"query?,kw" type:"dict" doc:"parameters to add"`
}

func (st *State) urlJoin(_ *dsl.Call, a urlJoinArgs) (starlark.Value, error) {
	base, err := url.Parse(a.Base)
	if err != nil {
		return nil, fault.New(fault.Usage, "url.join: base is not a URL")
	}
	u, err := base.Parse(a.Ref)
	if err != nil {
		return nil, fault.New(fault.Usage, "url.join: ref %q is not a URL", a.Ref)
	}
	pairs, err := rawPairs("query", a.Q, func(s string) string { return s })
	if err != nil {
		return nil, err
	}
	if len(pairs) > 0 {
		u.RawQuery = addQuery(u.RawQuery, pairs)
	}
	return starlark.String(u.String()), nil
}

func addQuery(raw string, pairs []httpc.Pair) string {
	for _, p := range pairs {
		if raw != "" {
			raw += "&"
		}
		raw += url.QueryEscape(p.Name) + "=" + url.QueryEscape(p.Value)
	}
	return raw
}

type quoteArgs struct {
	Text  Text `star:"text" doc:"any text"`
	Query bool `star:"query?,kw" doc:"for a query, where a space is +"`
}

func (st *State) urlQuote(_ *dsl.Call, a quoteArgs) (starlark.Value, error) {
	text, secret := st.resolved(a.Text)
	if a.Query {
		return st.maybeSecret(url.QueryEscape(text), secret), nil
	}
	return st.maybeSecret(url.PathEscape(text), secret), nil
}

func (st *State) urlUnquote(_ *dsl.Call, a quoteArgs) (starlark.Value, error) {
	f := url.PathUnescape
	if a.Query {
		f = url.QueryUnescape
	}
	text, secret := st.resolved(a.Text)
	out, err := f(text)
	if err != nil {
		return nil, fault.New(fault.Usage, "url.unquote: %w", err)
	}
	return st.maybeSecret(out, secret), nil
}

type jsonpathArgs struct {
	Value starlark.Value `star:"value" doc:"dicts, lists, texts, numbers"`
	Path  string         `star:"path" doc:"an RFC 9535 path, like \"$.data[*].id\""`
}

func (st *State) jsonpath(c *dsl.Call, a jsonpathArgs) (starlark.Value, error) {
	v, err := fromStarlark(c, a.Value)
	if err != nil {
		return nil, err
	}
	nodes, err := httpc.JSONPath(v, a.Path)
	if err != nil {
		return nil, err
	}
	pace := c.Pace()
	return toStarlarkIn(pace, nodes), pace.Over()
}

func (st *State) urlFuncs() []*dsl.Func {
	return dsl.In("values",
		dsl.Define("url.parse", "struct", `The parts of a URL: scheme, host, port, path, query (a dict of lists), fragment, user, password.`,
			`u = url.parse("http://example.org:8080/a?x=1&x=2")
assert.eq((u.host, u.port, u.query["x"]), ("example.org", 8080, ["1", "2"]))`, urlArgs{}, st.urlParse),
		dsl.Define("url.join", "str", `The URL that a link on a page refers to, with query parameters added.`,
			`assert.eq(url.join("http://h/a/b", "../c", query = {"q": "x y"}), "http://h/c?q=x+y")`, urlJoinArgs{}, st.urlJoin),
		dsl.Define("url.quote", "str", `A text as a part of a URL's path or query.`,
			`assert.eq(url.quote("a b/c"), "a%20b%2Fc")`, quoteArgs{}, st.urlQuote),
		dsl.Define("url.unquote", "str", `Decode a part of a URL.`,
			`assert.eq(url.unquote("a%20b"), "a b")`, quoteArgs{}, st.urlUnquote),
		dsl.Define("jsonpath", "list", `Everything that an RFC 9535 path selects in a value.`,
			`assert.eq(jsonpath({"data": [{"id": 1}, {"id": 2}]}, "$.data[*].id"), [1, 2])`, jsonpathArgs{}, st.jsonpath),
	)
}
