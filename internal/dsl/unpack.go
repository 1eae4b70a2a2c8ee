package dsl

import (
	"reflect"
	"strings"

	"go.starlark.net/starlark"

	"omniexpect/internal/fault"
	"omniexpect/internal/habit"
)

// shape is what unpacking has to know of the parameters of a builtin, worked out once.
type shape struct {
	params     []Param
	words      []string // how starlark.UnpackArgs wants each parameter: "name", "name?" or "name??"
	positional int      // how many can be given by position
	order      []int    // of the parameters that are no *args or **kwargs: which one a position is
	required   uint64   // bit i: parameter i has to be given
}

// maxParams is how many parameters fit the bits of a set.
const maxParams = 64

func newShape(params []Param) *shape {
	s := &shape{params: params, words: make([]string, len(params))}
	for i, p := range params {
		if !p.Rest && !p.RestKw && !p.KwOnly {
			s.positional++
		}
		s.words[i] = p.Name
		if !p.Rest && !p.RestKw {
			s.order = append(s.order, i)
		}
		if p.Required {
			s.required |= 1 << i
		} else {
			s.words[i] += "?"
			if !p.unpacks {
				s.words[i] += "?"
			}
		}
	}
	return s
}

// index returns which parameter has a name, or -1.
func (s *shape) index(name string) int {
	for _, i := range s.order {
		if s.params[i].Name == name {
			return i
		}
	}
	return -1
}

// unpack fills the struct of arguments.
func (f *Func) unpack(dst reflect.Value, args starlark.Tuple, kwargs []starlark.Tuple) error {
	s := f.shape()
	given := args
	for i := range s.params {
		switch p := &s.params[i]; {
		case p.Rest:
			if len(args) > s.positional {
				dst.FieldByIndex(p.field).Set(reflect.ValueOf(args[s.positional:]))
				args = args[:s.positional]
			}
		case p.RestKw:
			rest, known := s.split(kwargs)
			dst.FieldByIndex(p.field).Set(reflect.ValueOf(rest))
			kwargs = known
		}
	}
	if len(args) > s.positional {
		return fault.New(fault.Usage, "%s: got %d positional arguments, want at most %d: %s", f.Name, len(given), s.positional,
			f.Signature())
	}
	if s.fill(dst, args, kwargs) {
		return nil
	}
	if err := starlark.UnpackArgs(f.Name, args, kwargs, s.pairs(dst, len(args), kwargs)...); err != nil {
		e := fault.New(fault.Usage, "%w", err)
		e.Hints = []string{"the call is " + f.Signature()}
		if _, after, ok := strings.Cut(err.Error(), `unexpected keyword argument "`); ok {
			name, _, _ := strings.Cut(after, `"`)
			if h := habit.Instead(f.Name, name); h != "" {
				e.Hints = append([]string{h}, e.Hints...)
			}
		}
		return e
	}
	return nil
}

// fill does what starlark.UnpackArgs does for a call that is right, and reports false for one that is not: what is wrong
// with it UnpackArgs says, at the cost of looking at all of it.
func (s *shape) fill(dst reflect.Value, args starlark.Tuple, kwargs []starlark.Tuple) bool {
	if len(s.params) > maxParams {
		return false
	}
	var given uint64
	for i, v := range args {
		given |= 1 << s.order[i]
		if !s.set(dst, s.order[i], v) {
			return false
		}
	}
	for _, kv := range kwargs {
		name, _ := starlark.AsString(kv[0])
		i := s.index(name)
		if i < 0 || given&(1<<i) != 0 || !s.set(dst, i, kv[1]) {
			return false
		}
		given |= 1 << i
	}
	return s.required&^given == 0
}

// set gives parameter i a value. None leaves the default of an optional one that does not unpack by itself.
func (s *shape) set(dst reflect.Value, i int, v starlark.Value) bool {
	p := &s.params[i]
	if v == starlark.None && !p.Required && !p.unpacks {
		return true
	}
	return starlark.UnpackArg(v, dst.FieldByIndex(p.field).Addr().Interface()) == nil
}

// pairs returns the names and targets for starlark.UnpackArgs: only of parameters that the call gives or owes, as it
// looks at each. All of them where a name is unknown, since it names the nearest.
func (s *shape) pairs(dst reflect.Value, positional int, kwargs []starlark.Tuple) []any {
	var named uint64 // bit i: parameter i is given by name
	all := len(s.params) > 64
	for _, kv := range kwargs {
		name, _ := starlark.AsString(kv[0])
		i := s.index(name)
		if i < 0 {
			all = true
			break
		}
		named |= 1 << i
	}
	pairs := make([]any, 0, 2*(positional+len(kwargs)+1))
	for i, p := range s.params {
		if p.Rest || p.RestKw || !all && !p.Required && i >= positional && named&(1<<i) == 0 {
			continue
		}
		pairs = append(pairs, s.words[i], dst.FieldByIndex(p.field).Addr().Interface())
	}
	return pairs
}

// split separates keyword arguments that are parameters from the rest.
func (s *shape) split(kwargs []starlark.Tuple) (rest, known []starlark.Tuple) {
	for _, kv := range kwargs {
		if s.index(string(kv[0].(starlark.String))) >= 0 {
			known = append(known, kv)
		} else {
			rest = append(rest, kv)
		}
	}
	return rest, known
}
