package starjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/mask"
	"omniexpect/internal/nest"
)

// encoder writes values.
type encoder struct {
	out  bytes.Buffer
	pace *dsl.Pace
	mask *mask.Masker // may be nil
}

// encoded returns a value as JSON.
func encoded(pace *dsl.Pace, secrets *mask.Masker, v starlark.Value) (string, error) {
	if err := nest.Acyclic(v); err != nil {
		return "", err
	}
	e := &encoder{pace: pace, mask: secrets}
	if err := e.value(v); err != nil {
		return "", err
	}
	return e.out.String(), nil
}

func (e *encoder) value(v starlark.Value) error {
	if err := e.pace.Step(1); err != nil {
		return err
	}
	switch v := v.(type) {
	case json.Marshaler:
		data, err := v.MarshalJSON()
		if text := ""; err == nil && e.mask != nil && json.Unmarshal(data, &text) == nil {
			return e.text(text)
		}
		e.out.Write(data)
		return err
	case starlark.NoneType:
		e.out.WriteString("null")
	case starlark.Bool:
		fmt.Fprint(&e.out, bool(v))
	case starlark.Int:
		e.out.WriteString(v.String())
	case starlark.Float:
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return fmt.Errorf("cannot encode non-finite float %v", v)
		}
		e.out.WriteString(v.String())
	case starlark.String:
		return e.text(string(v))
	case starlark.Bytes:
		return fmt.Errorf("cannot encode bytes as JSON: base64.encode makes a text of them")
	case starlark.IterableMapping:
		return e.mapping(v)
	case starlark.Iterable:
		return e.sequence(v)
	case starlark.HasAttrs:
		return e.attributes(v)
	default:
		return fmt.Errorf("cannot encode %s as JSON", v.Type())
	}
	return nil
}

// text writes a text. encoding/json does what is not trivial, but replaces what is not UTF-8, and leaves DEL as it is, which
// is JSON, and is not a character to write to a terminal.
func (e *encoder) text(s string) error {
	if e.mask != nil {
		if whole := e.mask.Resolve(s); whole != s {
			return e.secret(whole, s)
		}
	}
	if plain(s) {
		e.out.Write(strconv.AppendQuote(e.out.AvailableBuffer(), s))
		return e.pace.Step(1 + len(s)/64)
	}
	if at := notUTF8(s); at >= 0 {
		return notText(s, at)
	}
	data, err := json.Marshal(s)
	e.out.Write(bytes.ReplaceAll(data, []byte{0x7f}, []byte(`\u007f`)))
	if err != nil {
		return err
	}
	return e.pace.Step(1 + len(s)/16)
}

// secret writes a text with secrets in it, so that what is sent is what JSON has for their values.
func (e *encoder) secret(whole, s string) error {
	if at := notUTF8(whole); at >= 0 {
		return notText(whole, at)
	}
	e.out.WriteString(`"` + e.mask.Spelled(s, escaped) + `"`)
	return e.pace.Step(1 + len(whole)/16)
}

// escaped is a text in UTF-8 as it stands between quotes.
func escaped(s string) string {
	var e encoder
	e.text(s)
	return strings.TrimSuffix(strings.TrimPrefix(e.out.String(), `"`), `"`)
}

// plain reports whether a text has printable ASCII only, which Go quotes as JSON does.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= 0x7f {
			return false
		}
	}
	return true
}

func notText(s string, at int) error {
	return fmt.Errorf(`the text is not UTF-8 at byte %d (\x%02x), and JSON has nothing else: base64.encode keeps bytes`, at, s[at])
}

// notUTF8 returns where a text stops being UTF-8, or -1.
func notUTF8(s string) int {
	if utf8.ValidString(s) {
		return -1
	}
	for i, r := range s {
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD") {
			return i
		}
	}
	return -1
}

func (e *encoder) mapping(v starlark.IterableMapping) error {
	items := v.Items()
	for _, kv := range items {
		if _, ok := kv[0].(starlark.String); !ok {
			return fmt.Errorf("%s has %s key, want string", v.Type(), kv[0].Type())
		}
	}
	slices.SortFunc(items, func(a, b starlark.Tuple) int {
		if e.pace.Step(1) != nil {
			return 0
		}
		return strings.Compare(string(a[0].(starlark.String)), string(b[0].(starlark.String)))
	})
	return e.members(len(items), func(i int) (string, starlark.Value, error) {
		return string(items[i][0].(starlark.String)), items[i][1], nil
	}, func(i int, err error) error { return fmt.Errorf("in %s key %s: %w", v.Type(), items[i][0], err) })
}

func (e *encoder) attributes(v starlark.HasAttrs) error {
	names := slices.Sorted(slices.Values(v.AttrNames()))
	return e.members(len(names), func(i int) (string, starlark.Value, error) {
		x, err := v.Attr(names[i])
		if err == nil && x == nil {
			err = fmt.Errorf("missing attribute %s.%s (despite %q appearing in dir()", v.Type(), names[i], names[i])
		}
		return names[i], x, err
	}, func(i int, err error) error { return fmt.Errorf("in field .%s: %w", names[i], err) })
}

// members writes an object of n members; inside says of an error where it is.
func (e *encoder) members(n int, member func(int) (string, starlark.Value, error), inside func(int, error) error) error {
	e.out.WriteByte('{')
	for i := range n {
		if i > 0 {
			e.out.WriteByte(',')
		}
		name, v, err := member(i)
		if err != nil {
			return err
		}
		if err = e.text(name); err == nil {
			e.out.WriteByte(':')
			err = e.value(v)
		}
		if err != nil {
			return inside(i, err)
		}
	}
	e.out.WriteByte('}')
	return nil
}

func (e *encoder) sequence(v starlark.Iterable) error {
	e.out.WriteByte('[')
	it := v.Iterate()
	defer it.Done()
	var x starlark.Value
	for i := 0; it.Next(&x); i++ {
		if i > 0 {
			e.out.WriteByte(',')
		}
		if err := e.value(x); err != nil {
			return fmt.Errorf("at %s index %d: %w", v.Type(), i, err)
		}
	}
	e.out.WriteByte(']')
	return nil
}
