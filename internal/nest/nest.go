// Package nest finds values that are too deep, or too large, to be written.
//
// A run survives every value that a script can make, so all three accounts are needed before the writing begins. Depth:
// a writer calls itself for each level, and a stack that overflows ends the process; nothing can catch that. Cycles: the
// writers of lists and dicts look for them, those of structs and of our own values do not, and would overflow the stack.
// Size: lists that hold one another several times are small in memory and endless as a text. Check returns an error,
// String a text that takes the value's place. Decoding counts its own levels, up to Deepest.
package nest

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

const (
	// Deepest is how many levels a value may have.
	Deepest = 10_000
	// Most is how many values it may have as a text, where one that stands in several places counts in each.
	Most = 20_000_000
)

// Holder is a value of our own that shows another one inside.
type Holder interface {
	starlark.Value
	Held() starlark.Value
}

// Check returns an error for a value that cannot be written. Lists and dicts that hold themselves pass, since their
// writers look for that, unless they do so by way of a struct or the like.
func Check(v starlark.Value) error { return check(v, -1) }

// Acyclic is Check for writers that do not look for cycles at all.
func Acyclic(v starlark.Value) error { return check(v, Deepest) }

func check(v starlark.Value, opaque int) error {
	switch v.(type) {
	case starlark.NoneType, starlark.Bool, starlark.Int, starlark.Float, starlark.String, starlark.Bytes:
		return nil // nothing is inside
	}
	budget := 100_000
	if shallow(v, 50, &budget) {
		return nil
	}
	w := &walk{seen: map[any]*visit{}, opaque: opaque}
	_, _, err := w.enter(v, 0)
	return err
}

// String is the value's own, or says why there is none.
func String(v starlark.Value) string {
	if err := Check(v); err != nil {
		return fmt.Sprintf("<%s: %v>", v.Type(), err)
	}
	return v.String()
}

// shallow reports whether a value is small for certain: what nearly all are, at the cost of a look.
func shallow(v starlark.Value, levels int, budget *int) bool {
	*budget--
	if levels == 0 || *budget < 0 {
		return false
	}
	return inside(v, func(e starlark.Value) bool { return shallow(e, levels-1, budget) })
}

// inside calls f for each value directly inside of another, until it returns false.
func inside(v starlark.Value, f func(starlark.Value) bool) bool {
	switch v := v.(type) {
	case *starlark.List:
		for i := range v.Len() {
			if !f(v.Index(i)) {
				return false
			}
		}
	case starlark.Tuple:
		for _, e := range v {
			if !f(e) {
				return false
			}
		}
	case *starlark.Dict:
		for k, e := range v.Entries() {
			if !f(k) || !f(e) {
				return false
			}
		}
	case *starlark.Set:
		for e := range v.Elements() {
			if !f(e) {
				return false
			}
		}
	case *starlarkstruct.Struct:
		for _, name := range v.AttrNames() {
			if e, err := v.Attr(name); err == nil && !f(e) {
				return false
			}
		}
	case Holder:
		return f(v.Held())
	}
	return true
}

// visit is what is known of a value.
type visit struct {
	at     int // its level, while what is inside is looked at
	open   bool
	height int
	size   int
}

type walk struct {
	seen   map[any]*visit
	opaque int // the level of the last value around whose writer does not look for itself
}

// identity is what a value is known by, or nil if it holds nothing.
func identity(v starlark.Value) (id any, opaque bool) {
	switch v := v.(type) {
	case *starlark.List, *starlark.Dict, *starlark.Set:
		return v, false
	case starlark.Tuple:
		if len(v) == 0 {
			return nil, false
		}
		return struct {
			first *starlark.Value
			n     int
		}{&v[0], len(v)}, false
	case *starlarkstruct.Struct, Holder:
		return v, true
	}
	return nil, false
}

// enter returns how many levels and values there are from a value on.
func (w *walk) enter(v starlark.Value, level int) (height, size int, err error) {
	id, opaque := identity(v)
	if id == nil {
		return 0, 1, nil
	}
	if n := w.seen[id]; n != nil {
		switch {
		case n.open && n.at <= w.opaque:
			return 0, 0, fmt.Errorf("a %s contains itself", v.Type())
		case level+n.height > Deepest:
			return 0, 0, tooDeep()
		}
		return n.height, n.size, nil
	}
	if level >= Deepest {
		return 0, 0, tooDeep()
	}
	n := &visit{at: level, open: true, size: 1}
	w.seen[id] = n
	outer := w.opaque
	if opaque {
		w.opaque = max(level, outer)
	}
	inside(v, func(e starlark.Value) bool {
		var h, s int
		if h, s, err = w.enter(e, level+1); err != nil {
			return false
		}
		height, size = max(height, h+1), size+s
		if size > Most {
			err = fmt.Errorf("more than %d values, as one is contained many times", Most)
		}
		return err == nil
	})
	w.opaque = outer
	n.open, n.height, n.size = false, height, size+1
	return n.height, n.size, err
}

func tooDeep() error { return fmt.Errorf("nested more than %d levels deep", Deepest) }
