package dsl

import (
	"reflect"

	"go.starlark.net/starlark"

	"omniexpect/internal/fault"
)

// shape is what unpacking has to know of the parameters of a builtin, worked out once.
type shape struct {
	params     []Param
	words      []string // how starlark.UnpackArgs wants each parameter: "name", "name?" or "name??"
	positional int      // how many can be given by position
}

func newShape(params []Param) *shape {
	s := &shape{params: params, words: make([]string, len(params))}
	for i, p := range params {
		if !p.Rest && !p.RestKw && !p.KwOnly {
			s.positional++
		}
		s.words[i] = p.Name
		if !p.Required {
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
	for i, p := range s.params {
		if p.Name == name && !p.Rest && !p.RestKw {
			return i
		}
	}
	return -1
}

// unpack fills the struct of arguments.
func (f *Func) unpack(dst reflect.Value, args starlark.Tuple, kwargs []starlark.Tuple) error {
	s := f.shape()
	given := args
	for _, p := range s.params {
		switch {
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
	if err := starlark.UnpackArgs(f.Name, args, kwargs, s.pairs(dst, len(args), kwargs)...); err != nil {
		e := fault.New(fault.Usage, "%w", err)
		e.Hints = []string{"the call is " + f.Signature()}
		return e
	}
	return nil
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

// split tells keyword arguments that are parameters from the rest.
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
