package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// An answer is what is kept of one.
type answer struct {
	Status int    `json:"status,omitempty"`
	Type   string `json:"type,omitempty"`
	Fact   string `json:"fact,omitempty"` // of what is no single answer
	Shape  shape  `json:"shape,omitempty"`
}

// A report has the answers by the names of their requests.
type report map[string]answer

// A shape says which kinds of value stand at which path. A path is ".data[].id"; kinds are JSON's, joined by a bar.
type shape map[string]string

// byName are objects whose keys are data rather than fields.
var byName = []string{"labels", "usage_by_model", "paths", "configured_harnesses", "setup_steps"}

func shapeOf(data []byte, depth int) (shape, bool) {
	var value any
	if json.Unmarshal(data, &value) != nil {
		return nil, false
	}
	s := shape{}
	s.add("", value, depth)
	return s, true
}

func (s shape) add(path string, value any, depth int) {
	switch value := value.(type) {
	case nil:
		s.note(path, "null")
	case string:
		s.note(path, "string")
	case bool:
		s.note(path, "bool")
	case float64:
		s.note(path, "number")
	case []any:
		s.note(path, "list")
		for _, element := range value {
			s.add(path+"[]", element, depth)
		}
	case map[string]any:
		s.note(path, "object")
		if last := path[strings.LastIndexByte(path, '.')+1:]; slices.Contains(byName, last) || depth == 1 && path != "" {
			return
		}
		for name, inner := range value {
			s.add(path+"."+name, inner, depth)
		}
	}
}

func (s shape) note(path, kind string) {
	kinds := strings.Split(s[path], "|")
	if s[path] == "" {
		kinds = nil
	}
	if !slices.Contains(kinds, kind) {
		kinds = append(kinds, kind)
		slices.Sort(kinds)
	}
	s[path] = strings.Join(kinds, "|")
}

// parts lists the paths in order.
func (s shape) parts() []string { return slices.Sorted(maps.Keys(s)) }

// alike reports whether two kinds may stand for the same field: what is null now and then is not a difference.
func alike(a, b string) bool {
	rest := func(kinds string) []string {
		return slices.DeleteFunc(strings.Split(kinds, "|"), func(k string) bool { return k == "null" })
	}
	x, y := rest(a), rest(b)
	return len(x) == 0 || len(y) == 0 || slices.ContainsFunc(x, func(k string) bool { return slices.Contains(y, k) })
}
