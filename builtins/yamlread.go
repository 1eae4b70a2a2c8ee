package builtins

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
	"go.yaml.in/yaml/v4"

	"omniexpect/internal/dsl"
	"omniexpect/internal/mask"
)

// What a YAML document may have. An alias counts with all that it stands for.
const (
	maxYAMLDepth  = 1000
	maxYAMLValues = 5_000_000
	yamlDigits    = 1_000_000 // of an integer: reading one takes the square of it
)

// pacedReader fails its reader's next read on an interrupt or at a deadline.
type pacedReader struct {
	io.Reader
	pace *dsl.Pace
}

func (r pacedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if over := r.pace.Step(1 + n); over != nil {
		return 0, over
	}
	return n, err
}

// yamlReader makes values of the nodes of one document.
type yamlReader struct {
	pace   *dsl.Pace
	mask   *mask.Masker
	values int
	depth  int
	open   map[*yaml.Node]bool // anchors around, which an alias cannot stand for
}

// readYAML returns the value of a text's one document.
func readYAML(pace *dsl.Pace, secrets *mask.Masker, text string) (starlark.Value, error) {
	d := yaml.NewDecoder(pacedReader{strings.NewReader(text), pace})
	var doc, second yaml.Node
	switch err := d.Decode(&doc); {
	case pace.Over() != nil:
		return nil, pace.Over()
	case err == io.EOF:
		return starlark.None, nil
	case err != nil:
		return nil, yamlError(err)
	}
	r := &yamlReader{pace: pace, mask: secrets, open: map[*yaml.Node]bool{}}
	v, err := r.value(&doc)
	if err != nil {
		return nil, err
	}
	switch err := d.Decode(&second); {
	case pace.Over() != nil:
		return nil, pace.Over()
	case err == nil:
		return nil, yamlAt(&second, "a second document begins: want one; split the text at its --- lines")
	case err != io.EOF:
		return nil, yamlError(err)
	}
	return v, nil
}

// yamlError is the library's error in our words.
func yamlError(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	return errors.New(strings.Replace(text, "exceeded max depth of 10000", fmt.Sprintf("nested more than %d levels deep", maxYAMLDepth), 1))
}

func yamlAt(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("line %d, column %d: %s", n.Line, n.Column, fmt.Sprintf(format, args...))
}

func (r *yamlReader) value(n *yaml.Node) (starlark.Value, error) {
	if err := r.pace.Step(4); err != nil {
		return nil, err
	}
	if r.values++; r.values > maxYAMLValues {
		return nil, yamlAt(n, "more than %d values, with every alias expanded", maxYAMLValues)
	}
	if r.depth++; r.depth > maxYAMLDepth+2 { // the document and what is in the last level
		return nil, yamlAt(n, "nested more than %d levels deep", maxYAMLDepth)
	}
	defer func() { r.depth-- }()
	switch n.Kind {
	case yaml.DocumentNode:
		return r.value(n.Content[0])
	case yaml.AliasNode:
		if r.open[n.Alias] {
			return nil, yamlAt(n, "*%s refers to a value that contains it", n.Value)
		}
		return r.value(n.Alias)
	case yaml.SequenceNode:
		defer r.enter(n)()
		out := make([]starlark.Value, len(n.Content))
		for i, e := range n.Content {
			v, err := r.value(e)
			if err != nil {
				return nil, err
			}
			out[i] = v
		}
		return starlark.NewList(out), nil
	case yaml.MappingNode:
		defer r.enter(n)()
		return r.mapping(n)
	}
	return r.scalar(n)
}

// enter notes that what follows is inside of an anchor.
func (r *yamlReader) enter(n *yaml.Node) (leave func()) {
	if n.Anchor == "" {
		return func() {}
	}
	r.open[n] = true
	return func() { delete(r.open, n) }
}

func (r *yamlReader) mapping(n *yaml.Node) (starlark.Value, error) {
	d := starlark.NewDict(len(n.Content) / 2)
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].ShortTag() == "!!merge" {
			merged = append(merged, n.Content[i+1])
			continue
		}
		key, err := r.value(n.Content[i])
		if err != nil {
			return nil, err
		}
		if _, err := key.Hash(); err != nil {
			key = starlark.String(key.String())
		}
		if _, twice, _ := d.Get(key); twice {
			return nil, yamlAt(n.Content[i], "the key %.60s is there already", shown(key))
		}
		v, err := r.value(n.Content[i+1])
		if err != nil {
			return nil, err
		}
		d.SetKey(key, v)
	}
	for _, m := range merged {
		if err := r.merge(d, m, true); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// merge adds what a << key names, where the mapping has no key of its own.
func (r *yamlReader) merge(d *starlark.Dict, n *yaml.Node, several bool) error {
	target := n
	if n.Kind == yaml.AliasNode {
		target = n.Alias
	}
	if several && target.Kind == yaml.SequenceNode {
		for _, e := range target.Content {
			if err := r.merge(d, e, false); err != nil {
				return err
			}
		}
		return nil
	}
	if target.Kind != yaml.MappingNode {
		return yamlAt(n, "<<: want a mapping or a list of mappings")
	}
	v, err := r.value(n)
	if err != nil {
		return err
	}
	for _, kv := range v.(*starlark.Dict).Items() {
		if _, own, _ := d.Get(kv[0]); !own {
			d.SetKey(kv[0], kv[1])
		}
	}
	return nil
}

// scalar is the value of a scalar by YAML's core schema, and of what tags of the language say.
func (r *yamlReader) scalar(n *yaml.Node) (starlark.Value, error) {
	tag := n.ShortTag()
	if strings.HasPrefix(tag, "!") && !strings.HasPrefix(tag, "!!") { // of an application: it is read as if it had none
		bare := *n
		bare.Tag, bare.Style = "", n.Style&^yaml.TaggedStyle
		tag = bare.ShortTag()
	}
	switch tag {
	case "!!null":
		return starlark.None, nil
	case "!!bool":
		var b bool
		if n.Decode(&b) == nil {
			return starlark.Bool(b), nil
		}
	case "!!int":
		if v := yamlInt(n.Value); v != nil {
			return v, nil
		}
	case "!!float":
		return yamlFloat(n)
	case "!!binary":
		b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(n.Value), ""))
		if err != nil {
			return nil, yamlAt(n, "!!binary: %v", err)
		}
		return starlark.Bytes(b), nil
	default: // texts, and times as they are written
		return starlark.String(r.mask.Original(n.Value)), nil
	}
	return nil, yamlAt(n, "%s %.60q: not such a value", tag, n.Value)
}

// yamlInt is an integer, or nil where the text is not an integer or is too long.
func yamlInt(text string) starlark.Value {
	x, ok := new(big.Int), len(text) <= yamlDigits
	if ok {
		_, ok = x.SetString(strings.ReplaceAll(text, "_", ""), 0)
	}
	if !ok {
		return nil
	}
	return starlark.MakeBigInt(x)
}

// yamlFloat is a float. The library takes integers of more than 64 bits for floats.
func yamlFloat(n *yaml.Node) (starlark.Value, error) {
	text := strings.ReplaceAll(n.Value, "_", "")
	digits := strings.TrimLeft(text, "+-")
	switch {
	case n.Style&yaml.TaggedStyle == 0 && digits != "" && strings.Trim(digits, "0123456789") == "":
		x, ok := new(big.Int), len(digits) <= yamlDigits
		if ok {
			_, ok = x.SetString(text, 10)
		}
		if !ok {
			return nil, yamlAt(n, "an integer of %d digits: want up to %d", len(digits), yamlDigits)
		}
		return starlark.MakeBigInt(x), nil
	case strings.EqualFold(digits, ".inf"):
		return starlark.Float(math.Copysign(math.Inf(1), float64(1-2*strings.Count(text, "-")))), nil
	case strings.EqualFold(digits, ".nan"):
		return starlark.Float(math.NaN()), nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, yamlAt(n, "!!float %.60q: not a number that a float can hold", n.Value)
	}
	return starlark.Float(f), nil
}
