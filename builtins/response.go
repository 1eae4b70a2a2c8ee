package builtins

import (
	"errors"
	"fmt"
	"net/http"
	"sort"
	"strings"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/httpc"
)

// responseValue is an answer as scripts see it.
type responseValue struct {
	handle
	*httpc.Response
	st *State
}

func (r *responseValue) String() string { return fmt.Sprintf("<response %d %s>", r.Status, r.URL) }

func (st *State) responseValue(r *httpc.Response) *responseValue {
	return &responseValue{st.handle("Response"), r, st}
}

// Truth is true for statuses below 400.
func (r *responseValue) Truth() starlark.Bool { return starlark.Bool(r.OK()) }

func (r *responseValue) Attr(name string) (starlark.Value, error) { return r.typ.Attr(r, name) }

func (r *responseValue) history() starlark.Value {
	list := make([]starlark.Value, len(r.History))
	for i, h := range r.History {
		list[i] = r.st.responseValue(h)
	}
	return starlark.NewList(list)
}

// headersValue is the headers of an answer; names are looked up without regard to case.
type headersValue struct{ h map[string][]string }

func (h headersValue) String() string        { return fmt.Sprintf("<headers %v>", h.h) }
func (h headersValue) Type() string          { return "headers" }
func (h headersValue) Freeze()               {}
func (h headersValue) Truth() starlark.Bool  { return len(h.h) > 0 }
func (h headersValue) Hash() (uint32, error) { return 0, errors.New("unhashable: headers") }

// Get makes r.headers["content-type"] work; repeated headers are joined by ", ".
func (h headersValue) Get(k starlark.Value) (starlark.Value, bool, error) {
	name, ok := starlark.AsString(k)
	if !ok {
		return nil, false, fmt.Errorf("headers: got %s, want a name", k.Type())
	}
	for n, v := range h.h {
		if strings.EqualFold(n, name) {
			return starlark.String(strings.Join(v, ", ")), true, nil
		}
	}
	return nil, false, nil
}

// AttrNames and Attr offer get(name, default) and all(name).
func (h headersValue) AttrNames() []string { return []string{"all", "get"} }

func (h headersValue) Attr(name string) (starlark.Value, error) {
	switch name {
	case "get":
		return starlark.NewBuiltin("get", h.get), nil
	case "all":
		return starlark.NewBuiltin("all", func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
			var key string
			if err := starlark.UnpackArgs("all", args, kw, "name", &key); err != nil {
				return nil, err
			}
			return stringList(http.Header(h.h).Values(key)), nil
		}), nil
	}
	return nil, nil
}

func (h headersValue) get(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	var key string
	var def starlark.Value = starlark.None
	if err := starlark.UnpackArgs("get", args, kw, "name", &key, "default?", &def); err != nil {
		return nil, err
	}
	if v, ok, _ := h.Get(starlark.String(key)); ok {
		return v, nil
	}
	return def, nil
}

// Iterate and Items list the names in order, for loops and dict().
func (h headersValue) Iterate() starlark.Iterator {
	return stringList(h.names()).Iterate()
}

// Items returns names and values, repeated headers joined.
func (h headersValue) Items() []starlark.Tuple {
	var out []starlark.Tuple
	for _, n := range h.names() {
		out = append(out, starlark.Tuple{starlark.String(n), starlark.String(strings.Join(h.h[n], ", "))})
	}
	return out
}

func (h headersValue) names() []string {
	names := make([]string, 0, len(h.h))
	for n := range h.h {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// cookieDict maps the names of cookies to their values.
func cookieDict(cookies []httpc.Cookie) *starlark.Dict {
	d := starlark.NewDict(len(cookies))
	for _, ck := range cookies {
		d.SetKey(starlark.String(ck.Name), starlark.String(ck.Value))
	}
	return d
}

// refusedDict maps the names of cookies that are not kept to the reasons.
func refusedDict(refused []httpc.RefusedCookie) *starlark.Dict {
	d := starlark.NewDict(len(refused))
	for _, c := range refused {
		name, _, _ := strings.Cut(c.Line, "=")
		d.SetKey(starlark.String(strings.TrimSpace(name)), starlark.String(c.Reason))
	}
	return d
}

func (st *State) responseJSON(c *dsl.Call, r *responseValue, _ dsl.None) (starlark.Value, error) {
	return decodeJSON(c, r.Text(), r.JSON)
}

type pathOfArgs struct {
	Path string `star:"path" doc:"an RFC 9535 path, like \"$.data[*].id\""`
}

func (st *State) responsePath(c *dsl.Call, r *responseValue, a pathOfArgs) (starlark.Value, error) {
	pace := c.Pace()
	nodes, err := r.JSONPath(a.Path, pace.Step)
	if err != nil {
		return nil, err
	}
	return toStarlarkIn(pace, nodes), pace.Over()
}

func (st *State) raiseForStatus(_ *dsl.Call, r *responseValue, _ dsl.None) (starlark.Value, error) {
	return r, r.RaiseForStatus()
}

func (st *State) responseType() *dsl.Type {
	t := &dsl.Type{Name: "Response", Parts: ".status, .text or .json()", Doc: "The response of an HTTP call, whatever its status. It is true if the status is below 400.", Fields: []dsl.Field{
		dsl.Attr("status", "int", "the status code", func(r *responseValue) starlark.Value { return starlark.MakeInt(r.Status) }),
		dsl.Attr("ok", "bool", "whether the status is below 400", func(r *responseValue) starlark.Value { return r.Truth() }),
		dsl.Attr("headers", "headers", "the headers by name, in any case; repeated ones are joined by a comma. get(name, default) returns one, all(name) lists them",
			func(r *responseValue) starlark.Value { return headersValue{r.Header} }),
		dsl.Attr("text", "str", "the body as text", func(r *responseValue) starlark.Value { return starlark.String(r.Text()) }),
		dsl.Attr("bytes", "bytes", "the body's bytes", func(r *responseValue) starlark.Value { return starlark.Bytes(r.Body) }),
		dsl.Attr("url", "str", "the URL after redirects", func(r *responseValue) starlark.Value { return starlark.String(r.URL) }),
		dsl.Attr("elapsed", "float", "seconds until the last byte, redirects included",
			func(r *responseValue) starlark.Value { return starlark.Float(r.Elapsed.Seconds()) }),
		dsl.Attr("reason", "str", "the text after the status code", func(r *responseValue) starlark.Value { return starlark.String(r.Reason) }),
		dsl.Attr("method", "str", "the method of the last request; a redirect may have changed it",
			func(r *responseValue) starlark.Value { return starlark.String(r.Method) }),
		dsl.Attr("proto", "str", "the protocol: HTTP/1.1 or HTTP/2.0", func(r *responseValue) starlark.Value { return starlark.String(r.Proto) }),
		dsl.Attr("cookies", "dict", "the cookies that this response set, byte for byte", func(r *responseValue) starlark.Value { return cookieDict(r.Cookies) }),
		dsl.Attr("refused_cookies", "dict", "from names of cookies that this response set but that were not kept, to the reason",
			func(r *responseValue) starlark.Value { return refusedDict(r.Refused) }),
		dsl.Attr("history", "list", "the redirects that led here", (*responseValue).history),
		dsl.Attr("saved", "int", "how many bytes save_to wrote", func(r *responseValue) starlark.Value { return starlark.MakeInt64(r.Saved) }),
	}}
	t.Methods = dsl.In("http",
		dsl.Method("Response", "json", "any", `The body decoded from JSON. If it is not JSON, the error shows the place.`,
			`s = http_serve({"/": {"json": {"id": 7}}})
assert.eq(http_get(s.url).json(), {"id": 7})`, dsl.None{}, st.responseJSON),
		dsl.Method("Response", "jsonpath", "list", `Everything that an RFC 9535 path selects in the body.`,
			`s = http_serve({"/": {"json": {"data": [{"id": 1}, {"id": 2}]}}})
assert.eq(http_get(s.url).jsonpath("$.data[*].id"), [1, 2])`, pathOfArgs{}, st.responsePath),
		dsl.Method("Response", "raise_for_status", "Response", `Fail if the status is 400 or above; otherwise return the response.`,
			`s = http_serve({"/": "fine"})
http_get(s.url).raise_for_status()
assert.fails(http_get(s.url + "/no").raise_for_status, kind = "http")`, dsl.None{}, st.raiseForStatus),
	)
	return t
}
