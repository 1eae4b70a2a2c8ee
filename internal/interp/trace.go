package interp

import (
	"errors"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Frame is a place in the call chain.
type Frame struct {
	Name  string
	Pos   syntax.Position
	Count int // how often it repeats
}

// maxFrames bounds a chain that is printed.
const maxFrames = 20

// Chain returns where an error happened: the innermost place first, through every layer of load, repeated frames folded.
func Chain(err error) []Frame {
	var out []Frame
	for _, layer := range slices.Backward(layers(err)) {
		for i := range layer.CallStack {
			f := layer.CallStack.At(i)
			if f.Pos.Line == 0 {
				continue
			}
			if n := len(out); n > 0 && out[n-1].Name == f.Name && out[n-1].Pos.String() == f.Pos.String() {
				out[n-1].Count++
				continue
			}
			out = append(out, Frame{Name: f.Name, Pos: f.Pos, Count: 1})
		}
	}
	if len(out) > maxFrames {
		out = append(out[:maxFrames-1:maxFrames-1], out[len(out)-1])
	}
	return out
}

// layers returns the errors of the calls inside each other, the outermost first: one for each thread that one waited for.
func layers(err error) (out []*starlark.EvalError) {
	var ee *starlark.EvalError
	for errors.As(err, &ee) {
		out = append(out, ee)
		err = ee.Unwrap()
	}
	return out
}

// Cause returns the innermost error below the layers of calls and loads.
func Cause(err error) error {
	for {
		var ee *starlark.EvalError
		if !errors.As(err, &ee) || ee.Unwrap() == nil {
			return err
		}
		err = ee.Unwrap()
	}
}
