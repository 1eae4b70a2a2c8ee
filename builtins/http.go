package builtins

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/httpc"
)

// responseValue is an answer as scripts see it.
type responseValue struct {
	*httpc.Response
	st *State
}

func (r *responseValue) String() string { return fmt.Sprintf("<response %d %s>", r.Status, r.URL) }

// Type, Freeze, Truth and Hash make responseValue a Starlark value. It is true for statuses below 400.
func (r *responseValue) Type() string          { return "Response" }
func (r *responseValue) Freeze()               {}
func (r *responseValue) Truth() starlark.Bool  { return starlark.Bool(r.OK()) }
func (r *responseValue) Hash() (uint32, error) { return 0, errors.New("unhashable: Response") }

func (r *responseValue) AttrNames() []string { return r.st.types.response.AttrNames() }

func (r *responseValue) Attr(name string) (starlark.Value, error) {
	if m := r.st.types.response.Method(name); m != nil {
		return m.Builtin(r), nil
	}
	switch name {
	case "status":
		return starlark.MakeInt(r.Status), nil
	case "ok":
		return starlark.Bool(r.OK()), nil
	case "text":
		return starlark.String(r.Text()), nil
	case "bytes":
		return starlark.Bytes(r.Body), nil
	case "url":
		return starlark.String(r.URL), nil
	case "elapsed":
		return starlark.Float(r.Elapsed.Seconds()), nil
	case "headers":
		return headersValue{r.Header}, nil
	}
	return nil, nil
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

// AttrNames and Attr offer get(name, default).
func (h headersValue) AttrNames() []string { return []string{"get"} }

func (h headersValue) Attr(name string) (starlark.Value, error) {
	if name != "get" {
		return nil, nil
	}
	return starlark.NewBuiltin("get", func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
		var key string
		var def starlark.Value = starlark.None
		if err := starlark.UnpackArgs("get", args, kw, "name", &key, "default?", &def); err != nil {
			return nil, err
		}
		if v, ok, _ := h.Get(starlark.String(key)); ok {
			return v, nil
		}
		return def, nil
	}), nil
}

func (st *State) responseJSON(_ *dsl.Call, r *responseValue, _ dsl.None) (starlark.Value, error) {
	v, err := r.JSON()
	if err != nil {
		return nil, err
	}
	return toStarlark(v), nil
}

func (st *State) raiseForStatus(_ *dsl.Call, r *responseValue, _ dsl.None) (starlark.Value, error) {
	return r, r.RaiseForStatus()
}

func (st *State) responseType() *dsl.Type {
	t := &dsl.Type{Name: "Response", Doc: "The answer of an HTTP call, whatever its status. It is true for statuses below 400.", Fields: []dsl.Field{
		{Name: "status", Type: "int", Doc: "the status code"},
		{Name: "ok", Type: "bool", Doc: "whether the status is below 400"},
		{Name: "headers", Type: "headers", Doc: "by name, without regard to case"},
		{Name: "text", Type: "str", Doc: "the body as text"},
		{Name: "bytes", Type: "bytes", Doc: "the body as it came"},
		{Name: "url", Type: "str", Doc: "after redirects"},
		{Name: "elapsed", Type: "float", Doc: "seconds"},
	}}
	t.Methods = dsl.In("http",
		dsl.Method("Response", "json", "any", `The body decoded from JSON.`,
			`assert.fails(http_get, "http://127.0.0.1:1/", kind="env")`, dsl.None{}, st.responseJSON),
		dsl.Method("Response", "raise_for_status", "Response", `Fail if the status is 400 or above; else the response itself.`,
			`assert.fails(http_get, "http://127.0.0.1:1/", kind="env")`, dsl.None{}, st.raiseForStatus),
	)
	return t
}

// toStarlark turns decoded JSON into Starlark values.
func toStarlark(v any) starlark.Value {
	switch v := v.(type) {
	case nil:
		return starlark.None
	case bool:
		return starlark.Bool(v)
	case string:
		return starlark.String(v)
	case float64:
		if v == float64(int64(v)) && v < 1e15 && v > -1e15 {
			return starlark.MakeInt64(int64(v))
		}
		return starlark.Float(v)
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return starlark.MakeInt64(n)
		}
		f, _ := v.Float64()
		return starlark.Float(f)
	case []any:
		list := make([]starlark.Value, len(v))
		for i, e := range v {
			list[i] = toStarlark(e)
		}
		return starlark.NewList(list)
	case map[string]any:
		d := starlark.NewDict(len(v))
		for k, e := range v {
			d.SetKey(starlark.String(k), toStarlark(e))
		}
		return d
	}
	return starlark.String(fmt.Sprint(v))
}

// httpArgs are the parameters that all HTTP calls share.
type httpArgs struct {
	URL     string         `star:"url" doc:"absolute URL"`
	Params  starlark.Value `star:"params?" type:"dict" doc:"query parameters, added to those of the URL"`
	Headers *starlark.Dict `star:"headers?" type:"dict" doc:"request headers"`
	JSON    starlark.Value `star:"json?,kw" type:"any" doc:"a value that is sent as JSON"`
	Form    starlark.Value `star:"form?,kw" type:"dict" doc:"fields that are sent as a form"`
	Body    Text           `star:"body?,kw" doc:"the body as it is"`
	Auth    starlark.Value `star:"auth?,kw" type:"any" doc:"(user, password), or a text that is sent as a bearer token"`
	Timeout dsl.Duration   `star:"timeout?,kw" doc:"deadline for the whole call"`
	Status  starlark.Value `star:"status?,kw" type:"int or list" doc:"the status that is wanted; any other is a failure"`
	Follow  bool           `star:"follow?,kw" doc:"follow redirects"`
}

func httpDefaults() httpArgs { return httpArgs{Timeout: dsl.Seconds(30), Follow: true} }

// httpCall returns the builtin's function for one method.
func (st *State) httpCall(method string) func(*dsl.Call, httpArgs) (starlark.Value, error) {
	return func(c *dsl.Call, a httpArgs) (starlark.Value, error) {
		r, err := st.httpDo(c, method, a)
		if err != nil {
			return nil, err
		}
		return r, nil
	}
}

func (st *State) httpDo(c *dsl.Call, method string, a httpArgs) (*responseValue, error) {
	req, err := st.request(c, method, a)
	if err != nil {
		return nil, err
	}
	if st.client == nil {
		client, err := httpc.New(httpc.Options{})
		if err != nil {
			return nil, err
		}
		st.client = client
		st.AtEnd(func(context.Context) { client.Close() })
	}
	client := st.client
	done := st.watch(method+" "+req.URL, time.Now(), time.Time{})
	var resp *httpc.Response
	err = c.Wait(func(ctx context.Context) (err error) {
		defer done()
		resp, err = client.Do(ctx, req)
		return err
	})
	if err != nil {
		return nil, err
	}
	if a.Status != nil && a.Status != starlark.None {
		want, err := intsOf(a.Status)
		if err != nil {
			return nil, fault.New(fault.Usage, "%s: status: %w", c.Func.Name, err)
		}
		if err := httpc.Check(resp, httpc.Want{Status: want}); err != nil {
			return nil, err
		}
	}
	return &responseValue{resp, st}, nil
}

func intsOf(v starlark.Value) ([]int, error) {
	if n, err := starlark.AsInt32(v); err == nil {
		return []int{n}, nil
	}
	it := starlark.Iterate(v)
	if it == nil {
		return nil, fmt.Errorf("got %s, want a number or a list of numbers", v.Type())
	}
	defer it.Done()
	var out []int
	for it.Next(&v) {
		n, err := starlark.AsInt32(v)
		if err != nil {
			return nil, fmt.Errorf("got %s, want a number", v.Type())
		}
		out = append(out, n)
	}
	return out, nil
}

func (st *State) request(c *dsl.Call, method string, a httpArgs) (httpc.Request, error) {
	req := httpc.Request{Method: method, URL: st.Mask.Resolve(a.URL), NoRedirect: !a.Follow}
	if !a.Timeout.Forever {
		req.Timeout = max(st.scaled(a.Timeout.D), time.Millisecond)
	}
	if !c.Deadline.IsZero() {
		if left := max(time.Until(c.Deadline), time.Millisecond); req.Timeout == 0 || left < req.Timeout {
			req.Timeout = left
		}
	}
	var err error
	if req.Params, err = st.pairs("params", a.Params); err != nil {
		return req, err
	}
	if req.Form, err = st.pairs("form", a.Form); err != nil {
		return req, err
	}
	if a.Headers != nil {
		if req.Headers, err = st.pairs("headers", a.Headers); err != nil {
			return req, err
		}
	}
	if a.JSON != nil {
		if req.JSON, err = encodeJSON(c, a.JSON); err != nil {
			return req, err
		}
		req.JSON = []byte(st.Mask.Resolve(string(req.JSON)))
	}
	if a.Body.v != nil {
		req.Body = []byte(st.Mask.Resolve(textOf(a.Body.v)))
	}
	req.Auth, err = st.auth(a.Auth)
	return req, err
}

func encodeJSON(c *dsl.Call, v starlark.Value) ([]byte, error) {
	out, err := c.Invoke(jsonEncode, v)
	if err != nil {
		return nil, fault.New(fault.Usage, "json: %s", reason(err))
	}
	text, _ := starlark.AsString(out)
	return []byte(text), nil
}

func (st *State) auth(v starlark.Value) (*httpc.Auth, error) {
	switch v := v.(type) {
	case nil, starlark.NoneType:
		return nil, nil
	case starlark.Tuple:
		if len(v) == 2 {
			return &httpc.Auth{User: st.Mask.Resolve(plain(v[0])), Password: st.Mask.Resolve(plain(v[1]))}, nil
		}
	case starlark.String, secretValue:
		return &httpc.Auth{Bearer: st.Mask.Resolve(plain(v))}, nil
	}
	return nil, fault.New(fault.Usage, "auth: got %s, want (user, password) or a bearer token", v)
}

// pairs reads a dict or a list of pairs; a list as a value repeats the name.
func (st *State) pairs(what string, v starlark.Value) ([]httpc.Pair, error) {
	var items []starlark.Tuple
	switch v := v.(type) {
	case nil, starlark.NoneType:
		return nil, nil
	case *starlark.Dict:
		items = v.Items()
	case *starlark.List:
		for i := range v.Len() {
			t, ok := v.Index(i).(starlark.Tuple)
			if !ok || len(t) != 2 {
				return nil, fault.New(fault.Usage, "%s: item %d is %s, want a (name, value) pair", what, i, v.Index(i))
			}
			items = append(items, t)
		}
	default:
		return nil, fault.New(fault.Usage, "%s: got %s, want a dict or a list of pairs", what, v.Type())
	}
	var out []httpc.Pair
	for _, kv := range items {
		vals := []starlark.Value{kv[1]}
		if l, ok := kv[1].(*starlark.List); ok {
			vals = vals[:0]
			for i := range l.Len() {
				vals = append(vals, l.Index(i))
			}
		}
		for _, val := range vals {
			if val != starlark.None {
				out = append(out, httpc.Pair{Name: st.Mask.Resolve(plain(kv[0])), Value: st.Mask.Resolve(plain(val))})
			}
		}
	}
	return out, nil
}

func (st *State) httpFuncs() []*dsl.Func {
	var out []*dsl.Func
	for _, m := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"} {
		name := "http_" + strings.ToLower(m)
		doc := `Send a ` + m + ` request. The response is a value whatever its status, unless status= says which one is wanted; no connection is an error of kind env.`
		out = append(out, dsl.Define(name, "Response", doc,
			fmt.Sprintf(`assert.fails(%s, "http://127.0.0.1:1/", kind="env")`, name), httpDefaults(), st.httpCall(m)))
	}
	return dsl.In("http", out...)
}
