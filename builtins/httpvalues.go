package builtins

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"sort"
	"strings"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/httpc"
)

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

// statuses reads the statuses that are wanted, at least one.
func statuses(v starlark.Value) ([]int, error) {
	codes, err := intsOf(v)
	if err == nil && len(codes) == 0 {
		err = fmt.Errorf("got an empty %s, which no response can have: want a number like 200, or a list of them", v.Type())
	}
	for _, code := range codes {
		if code < 100 || code > 999 {
			err = fmt.Errorf("%d is not a status: want 100 to 999", code)
		}
	}
	return codes, err
}

// MarshalJSON lets json.encode write a secret as its placeholder.
func (s secretValue) MarshalJSON() ([]byte, error) { return json.Marshal(s.placeholder) }

// sentJSON encodes a value that is sent, with its secrets put in before they are quoted.
func (st *State) sentJSON(c *dsl.Call, v starlark.Value) (data []byte, secret bool, err error) {
	data, err = encodeJSON(c, v)
	if err != nil || st.Mask.Resolve(string(data)) == string(data) {
		return data, false, err
	}
	data, err = encodeJSON(c, st.revealed(toPlain(c, data)))
	return data, true, err
}

// toPlain decodes what encodeJSON wrote: plain values in the order that they had.
func toPlain(c *dsl.Call, data []byte) starlark.Value {
	v, err := c.Invoke(jsonDecode, starlark.String(data))
	if err != nil {
		return starlark.None // cannot be: it was just encoded
	}
	return v
}

// revealed is a decoded value with the placeholders in its texts resolved.
func (st *State) revealed(v starlark.Value) starlark.Value {
	switch v := v.(type) {
	case starlark.String:
		return starlark.String(st.Mask.Resolve(string(v)))
	case *starlark.List:
		out := make([]starlark.Value, v.Len())
		for i := range out {
			out[i] = st.revealed(v.Index(i))
		}
		return starlark.NewList(out)
	case *starlark.Dict:
		out := starlark.NewDict(v.Len())
		for _, kv := range v.Items() {
			out.SetKey(st.revealed(kv[0]), st.revealed(kv[1]))
		}
		return out
	}
	return v
}

func encodeJSON(c *dsl.Call, v starlark.Value) ([]byte, error) {
	out, err := c.Invoke(jsonEncode, v)
	if err != nil {
		return nil, misused(c, err, "json: %s", strings.TrimPrefix(reason(err), "json.encode: "))
	}
	text, _ := starlark.AsString(out)
	return []byte(text), nil
}

func (st *State) auth(v starlark.Value) (*httpc.Auth, error) {
	switch v := v.(type) {
	case nil, starlark.NoneType:
		return nil, nil
	case starlark.Tuple:
		if len(v) == 0 {
			return &httpc.Auth{}, nil
		}
		if len(v) == 3 && plain(v[2]) == "digest" {
			return &httpc.Auth{User: st.Mask.Resolve(plain(v[0])), Password: st.Mask.Resolve(plain(v[1])), Digest: true}, nil
		}
		if len(v) == 2 && plain(v[0])+plain(v[1]) == "" {
			return nil, fault.New(fault.Usage, "auth: the user and the password are empty: want () for none")
		}
		if len(v) == 2 {
			return &httpc.Auth{User: st.Mask.Resolve(plain(v[0])), Password: st.Mask.Resolve(plain(v[1]))}, nil
		}
	case starlark.String, secretValue:
		token := st.Mask.Resolve(plain(v))
		if token == "" {
			return nil, fault.New(fault.Usage, "auth: the token is empty: want () for none")
		}
		return &httpc.Auth{Bearer: token}, nil
	}
	// the value itself may hold a password
	return nil, fault.New(fault.Usage, "auth: got %s, want (user, password), (user, password, \"digest\"), a bearer token, or () for none", v.Type())
}

// pairs reads a dict or a list of pairs; a list as a value repeats the name.
func (st *State) pairs(what string, v starlark.Value) ([]httpc.Pair, error) {
	return rawPairs(what, v, st.Mask.Resolve)
}

func rawPairs(what string, v starlark.Value, resolve func(string) string) ([]httpc.Pair, error) {
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
	out := []httpc.Pair{} // an empty form is a body too
	for _, kv := range items {
		for _, val := range oneOrMore(kv[1]) {
			if val != starlark.None {
				out = append(out, httpc.Pair{Name: resolve(plain(kv[0])), Value: resolve(plain(val))})
			}
		}
	}
	return out, nil
}

// oneOrMore returns the values of a name: the items of a list, or what else it is.
func oneOrMore(v starlark.Value) []starlark.Value {
	if l, ok := v.(*starlark.List); ok {
		return slices.Collect(l.Elements())
	}
	return []starlark.Value{v}
}

// secretNames are the names in a dict or a list of pairs whose values hold a secret.
func (st *State) secretNames(v starlark.Value) []string {
	raw, err := rawPairs("", v, func(text string) string { return text })
	if err != nil {
		return nil
	}
	var names []string
	for _, p := range raw {
		if st.Mask.Resolve(p.Value) != p.Value {
			names = append(names, p.Name)
		}
	}
	return names
}

// files reads the files= of a call: {"field": "path"}, or {"field": {"path" or "content", "name", "type"}}.
func (st *State) files(d *starlark.Dict) ([]httpc.File, error) {
	if d == nil {
		return nil, nil
	}
	out := []httpc.File{} // none is a body too, without parts
	for _, kv := range d.Items() {
		for _, v := range oneOrMore(kv[1]) {
			f, err := st.file(plain(kv[0]), v)
			if err != nil {
				return nil, err
			}
			out = append(out, f)
		}
	}
	return out, nil
}

func (st *State) file(field string, v starlark.Value) (httpc.File, error) {
	f := httpc.File{Field: field}
	if s, ok := starlark.AsString(v); ok {
		f.Path = s
		return f, nil
	}
	d, ok := v.(*starlark.Dict)
	if !ok {
		return f, fault.New(fault.Usage, "files: %s: got %s, want a path or a dict with path or content, name, type", field, v.Type())
	}
	for _, kv := range d.Items() {
		text := st.Mask.Resolve(plain(kv[1]))
		if b, ok := kv[1].(starlark.Bytes); ok {
			text = string(b)
		}
		switch key := plain(kv[0]); key {
		case "path":
			f.Path = text
		case "content":
			f.Content = []byte(text)
		case "name":
			f.Name = text
		case "type":
			f.ContentType = text
		default:
			return f, fault.New(fault.Usage, "files: %s: unknown key %q, want path, content, name or type", field, key)
		}
	}
	return f, nil
}

// toStarlark turns decoded JSON into Starlark values.
func toStarlark(v any) starlark.Value { return toStarlarkIn(nil, v) }

// toStarlarkIn is toStarlark at a pace; where that is over the value is not whole.
func toStarlarkIn(pace *dsl.Pace, v any) starlark.Value {
	if pace.Step(1) != nil {
		return starlark.None
	}
	switch v := v.(type) {
	case nil:
		return starlark.None
	case bool:
		return starlark.Bool(v)
	case string:
		return starlark.String(v)
	case int:
		return starlark.MakeInt(v)
	case int64:
		return starlark.MakeInt64(v)
	case uint64:
		return starlark.MakeUint64(v)
	case float64:
		if v == float64(int64(v)) && v < 1e15 && v > -1e15 {
			return starlark.MakeInt64(int64(v))
		}
		return starlark.Float(v)
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return starlark.MakeInt64(i)
		}
		if i, ok := new(big.Int).SetString(string(v), 10); ok {
			return starlark.MakeBigInt(i)
		}
		f, _ := v.Float64()
		return starlark.Float(f)
	case []any:
		list := make([]starlark.Value, len(v))
		for i, e := range v {
			list[i] = toStarlarkIn(pace, e)
		}
		return starlark.NewList(list)
	case map[string]any:
		d := starlark.NewDict(len(v))
		names := make([]string, 0, len(v))
		for k := range v {
			names = append(names, k)
		}
		sort.Strings(names)
		for _, k := range names {
			d.SetKey(starlark.String(k), toStarlarkIn(pace, v[k]))
		}
		return d
	}
	return starlark.String(fmt.Sprint(v))
}

// fromStarlark turns a Starlark value into what decoded JSON would be, for comparing and for jsonpath.
func fromStarlark(c *dsl.Call, v starlark.Value) (any, error) {
	text, err := encodeJSON(c, v)
	if err != nil {
		return nil, err
	}
	return (&httpc.Response{Body: text}).PacedJSON(c.Pace().Step)
}

// decodeJSON decodes a text with the order of its keys kept; complain makes the error.
func decodeJSON(c *dsl.Call, text string, complain func() (any, error)) (starlark.Value, error) {
	v, err := c.Invoke(jsonDecode, starlark.String(text))
	if err == nil {
		return v, nil
	}
	if c.Ctx.Err() != nil || !c.Deadline.IsZero() && c.Host.Clock.Now().After(c.Deadline) {
		return nil, err // not the text's fault: to decode it once more would take as long
	}
	return complained(complain)
}

func complained(complain func() (any, error)) (starlark.Value, error) {
	v, err := complain()
	if err != nil {
		return nil, err
	}
	return toStarlark(v), nil
}

// netrc reads the file that a parameter asks for. Its passwords are secrets.
func (st *State) netrc(v starlark.Value) (*httpc.Netrc, error) {
	var path string
	var err error
	switch v := v.(type) {
	case nil, starlark.NoneType:
		return nil, nil
	case starlark.Bool:
		if !v {
			return nil, nil
		}
		path, err = httpc.DefaultNetrc()
	case starlark.String:
		path = string(v)
	default:
		err = fault.New(fault.Usage, "netrc: got %s, want True or a path", v.Type())
	}
	if err != nil {
		return nil, err
	}
	n, err := httpc.ReadNetrc(path)
	if err != nil {
		return nil, err
	}
	for _, password := range n.Passwords() {
		st.hideValue(password)
	}
	return n, nil
}
