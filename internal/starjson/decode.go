package starjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/mask"
	"omniexpect/internal/nest"
)

// maxDigits is how long an integer may be: reading takes the square of it.
const maxDigits = 1_000_000

// decoder reads one text.
type decoder struct {
	text  string
	at    int // where reading has come to
	depth int
	pace  *dsl.Pace
	mask  *mask.Masker // may be nil
}

// document reads the whole text.
func (d *decoder) document() (starlark.Value, error) {
	v, err := d.value()
	if err == nil && d.skip() {
		err = fmt.Errorf("unexpected character %q after value", d.text[d.at])
	}
	return v, err
}

// skip goes on behind blanks, and reports whether there is more.
func (d *decoder) skip() bool {
	for ; d.at < len(d.text); d.at++ {
		switch d.text[d.at] {
		case ' ', '\t', '\n', '\r':
		default:
			return true
		}
	}
	return false
}

// next is the character behind the blanks.
func (d *decoder) next() (byte, error) {
	if d.skip() {
		return d.text[d.at], nil
	}
	return 0, errors.New("unexpected end of file")
}

func (d *decoder) value() (starlark.Value, error) {
	if err := d.pace.Step(1); err != nil {
		return nil, err
	}
	c, err := d.next()
	if err != nil {
		return nil, err
	}
	switch {
	case c == '"':
		return d.quoted()
	case c == '[', c == '{':
		if d.depth++; d.depth > nest.Deepest {
			return nil, fmt.Errorf("nested more than %d levels deep", nest.Deepest)
		}
		d.at++
		read := d.list
		if c == '{' {
			read = d.object
		}
		v, err := read()
		d.depth--
		return v, err
	case c == '-' || '0' <= c && c <= '9':
		return d.number()
	}
	rest := d.text[d.at:]
	switch {
	case strings.HasPrefix(rest, "null"):
		d.at += len("null")
		return starlark.None, nil
	case strings.HasPrefix(rest, "true"):
		d.at += len("true")
		return starlark.True, nil
	case strings.HasPrefix(rest, "false"):
		d.at += len("false")
		return starlark.False, nil
	}
	return nil, fmt.Errorf("unexpected character %q", c)
}

func (d *decoder) quoted() (starlark.Value, error) {
	// Without escapes and other than ASCII there is nothing to do.
	plain, end := true, d.at+1
	for ; end < len(d.text) && d.text[end] != '"'; end++ {
		switch c := d.text[end]; {
		case c == '\\':
			plain = false
			end++
		case c >= utf8.RuneSelf:
			plain = false
		}
	}
	if end >= len(d.text) {
		return nil, errors.New("unclosed string literal")
	}
	raw := d.text[d.at : end+1]
	d.at = end + 1
	if err := d.pace.Step(len(raw) / 32); err != nil {
		return nil, err
	}
	if plain {
		return starlark.String(raw[1 : len(raw)-1]), nil
	}
	var s string
	if err := json.Unmarshal([]byte(raw), &s); err != nil {
		return nil, err
	}
	if d.mask != nil {
		s = d.mask.Original(s)
	}
	return starlark.String(s), nil
}

// item goes behind what follows an item of a list or an object: it reports whether that was the end.
func (d *decoder) item(end byte, wrong string) (last bool, err error) {
	c, err := d.next()
	switch {
	case err != nil:
		return false, err
	case c != ',' && c != end:
		return false, fmt.Errorf(wrong, c)
	}
	d.at++
	return c == end, nil
}

// empty reports whether a list or an object ends where it began.
func (d *decoder) empty(end byte) (bool, error) {
	c, err := d.next()
	if err == nil && c == end {
		d.at++
		return true, nil
	}
	return false, err
}

func (d *decoder) list() (starlark.Value, error) {
	var items []starlark.Value
	last, err := d.empty(']')
	for err == nil && !last {
		var v starlark.Value
		if v, err = d.value(); err == nil {
			items = append(items, v)
			last, err = d.item(']', "got %q, want ',' or ']'")
		}
	}
	return starlark.NewList(items), err
}

func (d *decoder) object() (starlark.Value, error) {
	dict := new(starlark.Dict)
	last, err := d.empty('}')
	for err == nil && !last {
		var key, v starlark.Value
		if key, err = d.value(); err != nil {
			break
		}
		if _, ok := key.(starlark.String); !ok {
			return nil, fmt.Errorf("got %s for object key, want string", key.Type())
		}
		var c byte
		if c, err = d.next(); err == nil && c != ':' {
			err = fmt.Errorf("after object key, got %q, want ':' ", c)
		}
		if err != nil {
			break
		}
		d.at++
		if v, err = d.value(); err == nil {
			dict.SetKey(key, v) // cannot fail
			last, err = d.item('}', "in object, got %q, want ',' or '}'")
		}
	}
	return dict, err
}

func (d *decoder) number() (starlark.Value, error) {
	end, float := d.at+1, false
	for ; end < len(d.text); end++ {
		c := d.text[end]
		if c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-' {
			float = true
		} else if c < '0' || c > '9' {
			break
		}
	}
	num := d.text[d.at:end]
	d.at = end
	digits := strings.TrimPrefix(num, "-")
	if digits == "" || digits[0] == '0' && len(digits) > 1 && '0' <= digits[1] && digits[1] <= '9' {
		return nil, fmt.Errorf("invalid number: %s", num)
	}
	if float {
		x, err := strconv.ParseFloat(num, 64)
		if err != nil {
			return nil, fmt.Errorf("invalid number: %s", num)
		}
		return starlark.Float(x), nil
	}
	if len(digits) > maxDigits {
		return nil, fmt.Errorf("an integer of %d digits: want up to %d", len(digits), maxDigits)
	}
	if n, err := strconv.ParseInt(num, 10, 64); err == nil {
		return starlark.MakeInt64(n), nil
	}
	x, ok := new(big.Int).SetString(num, 10)
	if !ok {
		return nil, fmt.Errorf("invalid number: %s", num)
	}
	return starlark.MakeBigInt(x), nil
}
