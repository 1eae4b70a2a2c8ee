package interp

import (
	"errors"

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
	var layers [][]Frame
	for err != nil {
		var ee *starlark.EvalError
		if !errors.As(err, &ee) {
			break
		}
		var layer []Frame
		for i := range ee.CallStack {
			f := ee.CallStack.At(i)
			if f.Pos.Line > 0 {
				layer = append(layer, Frame{Name: f.Name, Pos: f.Pos, Count: 1})
			}
		}
		layers = append(layers, layer)
		err = ee.Unwrap()
	}
	var out []Frame
	for i := len(layers) - 1; i >= 0; i-- {
		for _, f := range layers[i] {
			if n := len(out); n > 0 && out[n-1].Name == f.Name && out[n-1].Pos == f.Pos {
				out[n-1].Count++
				continue
			}
			out = append(out, f)
		}
	}
	if len(out) > maxFrames {
		out = append(out[:maxFrames-1:maxFrames-1], out[len(out)-1])
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
