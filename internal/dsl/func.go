package dsl

import (
	"fmt"
	"reflect"
	"strings"
	"sync"

	"go.starlark.net/starlark"

	"omniexpect/internal/event"
)

// Func is a declared builtin.
type Func struct {
	Name    string // "expect", "assert.eq"; of a method without its type
	Recv    string // the type whose method it is, or ""
	Group   string
	Returns string
	Doc     string // the first sentence is the summary
	Example string
	Roles   Role

	shape func() *shape // found when asked for: most runs need few of them
	call  func(*Call, any, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)
}

// Param is a declared parameter.
type Param struct {
	Name     string
	Type     string
	Doc      string
	Default  string // as a script would write it; "" if required
	Required bool
	KwOnly   bool
	Missing  string // what to write instead of a call that lacks it, if something else is likely to be meant
	Rest     bool   // *args
	RestKw   bool   // **kwargs

	field   []int // where it is in the struct of arguments, which may embed others
	unpacks bool  // by itself: it says what None means
}

// None is the empty set of parameters.
type None struct{}

// Define declares a builtin.
func Define[A any](name, returns, doc, example string, defaults A,
	fn func(*Call, A) (starlark.Value, error)) *Func {
	return Method("", name, returns, doc, example, defaults, func(c *Call, _ any, a A) (starlark.Value, error) {
		return fn(c, a)
	})
}

// Method declares a method of a value of type recv.
func Method[R, A any](recv, name, returns, doc, example string, defaults A,
	fn func(*Call, R, A) (starlark.Value, error)) *Func {
	f := &Func{Name: name, Recv: recv, Returns: returns, Doc: doc, Example: example}
	f.shape = sync.OnceValue(func() *shape { return newShape(paramsOf(defaults)) })
	f.call = func(c *Call, recv any, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		a := defaults
		if err := f.unpack(reflect.ValueOf(&a).Elem(), args, kwargs); err != nil {
			return nil, err
		}
		r, _ := recv.(R)
		v, err := fn(c, r, a)
		if v == nil {
			v = starlark.None
		}
		return v, err
	}
	return f
}

// Params returns the declared parameters in order.
func (f *Func) Params() []Param { return f.shape().params }

// In puts builtins into a group of the reference.
func In(group string, funcs ...*Func) []*Func {
	for _, f := range funcs {
		f.Group = group
	}
	return funcs
}

// On returns the builtin that calls method f on what get returns, under the same name.
func (f *Func) On(get func(*Call) (any, error)) *Func {
	g := *f
	g.Recv = ""
	g.call = func(c *Call, _ any, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		recv, err := get(c)
		if err != nil {
			return nil, err
		}
		return f.call(c, recv, args, kwargs)
	}
	return &g
}

// Eval calls a builtin outside of a run, one that is Pure and is given nothing to call.
func (f *Func) Eval(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	return f.call(nil, nil, args, kwargs)
}

// Builtin returns f as a Starlark value; recv is the value whose method it is, or nil.
func (f *Func) Builtin(recv any) *starlark.Builtin {
	return starlark.NewBuiltin(f.Name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
		kwargs []starlark.Tuple) (v starlark.Value, err error) {
		c, err := callOf(t, f)
		if err != nil {
			return nil, err
		}
		if c.Host.Events.Wants(event.KindCall) || c.Host.Events.Wants(event.KindRet) {
			return f.observed(c, recv, args, kwargs)
		}
		return f.call(c, recv, args, kwargs)
	})
}

// observed is call, between events of its beginning and its end.
func (f *Func) observed(c *Call, recv any, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	log, id := c.Host.Events, c.Host.Events.Next()
	strand, pos := c.Where()
	log.Emit(strand, pos, &event.Call{ID: id, Func: f.Name})
	v, err := f.call(c, recv, args, kwargs)
	ret := &event.Ret{ID: id}
	if err != nil {
		ret.Err = err.Error()
	}
	log.Emit(strand, pos, ret)
	return v, err
}

// Summary returns the first sentence of the documentation.
func (f *Func) Summary() string {
	if i := strings.Index(f.Doc, ". "); i >= 0 {
		return f.Doc[:i+1]
	}
	first, _, _ := strings.Cut(f.Doc, "\n")
	return first
}

// Signature returns the call as the reference shows it.
func (f *Func) Signature() string {
	var parts []string
	star := false
	for _, p := range f.Params() {
		switch {
		case p.Rest:
			parts = append(parts, "*"+p.Name)
			star = true
			continue
		case p.RestKw:
			parts = append(parts, "**"+p.Name)
			continue
		case p.KwOnly && !star:
			parts = append(parts, "*")
			star = true
		}
		if p.Required {
			parts = append(parts, p.Name)
		} else {
			parts = append(parts, p.Name+"="+p.Default)
		}
	}
	sig := f.Name + "(" + strings.Join(parts, ", ") + ")"
	if f.Recv != "" {
		sig = strings.ToLower(f.Recv) + "." + sig
	}
	if f.Returns != "" && f.Returns != "None" {
		sig += " → " + f.Returns
	}
	return sig
}

// typed is a parameter type that names itself in the reference and shows its default.
type typed interface {
	StarType() string
	StarDefault() string
}

// paramsOf returns the parameters that the fields of a struct declare, those of embedded structs in their place.
func paramsOf(defaults any) []Param {
	v := reflect.ValueOf(defaults)
	var out []Param
	for _, sf := range reflect.VisibleFields(v.Type()) {
		tag := sf.Tag.Get("star")
		if tag == "" {
			continue
		}
		name, kw := strings.CutSuffix(tag, ",kw")
		name, optional := strings.CutSuffix(name, "?")
		p := Param{Name: strings.TrimLeft(name, "*"), Doc: sf.Tag.Get("doc"), Missing: sf.Tag.Get("missing"), KwOnly: kw, field: sf.Index,
			Required: !optional, RestKw: strings.HasPrefix(name, "**")}
		p.Rest = strings.HasPrefix(name, "*") && !p.RestKw
		_, p.unpacks = reflect.New(sf.Type).Interface().(starlark.Unpacker)
		p.Type, p.Default = describe(v.FieldByIndex(sf.Index))
		if t := sf.Tag.Get("type"); t != "" {
			p.Type = t
		}
		if p.Rest || p.RestKw {
			p.Required = false
		}
		if p.Required {
			p.Default = ""
		}
		out = append(out, p)
	}
	return out
}

func describe(v reflect.Value) (typ, def string) {
	if t, ok := v.Interface().(typed); ok {
		return t.StarType(), t.StarDefault()
	}
	switch x := v.Interface().(type) {
	case string:
		return "str", fmt.Sprintf("%q", x)
	case bool:
		if x {
			return "bool", "True"
		}
		return "bool", "False"
	case int:
		return "int", fmt.Sprint(x)
	case float64:
		return "float", fmt.Sprint(x)
	case starlark.Callable:
		return "function", "None"
	case *starlark.List:
		return "list", "[]"
	case *starlark.Dict:
		return "dict", "{}"
	case starlark.Value:
		if v.Kind() == reflect.Pointer && v.IsNil() {
			return x.Type(), "None"
		}
		return "any", x.String()
	}
	if v.Kind() == reflect.Interface && v.Type().String() == "starlark.Callable" {
		return "function", "None"
	}
	return "any", "None"
}
