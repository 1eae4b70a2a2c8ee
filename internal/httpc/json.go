package httpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/theory/jsonpath"

	"omniexpect/internal/fault"
	"omniexpect/internal/vt"
)

// JSON decodes the body: objects are map[string]any, numbers json.Number. The error of a body that is not JSON says
// where and shows the place.
func (r *Response) JSON() (any, error) { return r.PacedJSON(nil) }

// PacedJSON is JSON that counts the bytes of a large body with step, in units of what a byte takes, and ends with its error.
func (r *Response) PacedJSON(step func(units int) error) (any, error) {
	text := r.Text()
	if step != nil && len(text) > pacedFrom {
		v, err := decodePaced(text, step)
		if err == nil {
			return v, nil
		}
		if err := step(0); err != nil {
			return nil, err
		}
		// It is decoded once more for the place and the reason.
	}
	v, at, reason := decodeJSON(text)
	if reason == "" {
		return v, nil
	}
	e := r.failed("the body is not JSON: %s", reason)
	e.Err = &Cause{Malformed, errors.New(reason)}
	if kind := r.Header.Get("Content-Type"); kind != "" && !strings.Contains(kind, "json") {
		e.Hints = append(e.Hints, fmt.Sprintf("its Content-Type is %s (status %s)", kind, statusText(r.Status)))
	} else if r.Status >= 400 {
		e.Hints = append(e.Hints, "the status is "+statusText(r.Status))
	}
	return nil, e.WithDetail(r.conceal.pointAt(text, at))
}

// pacedFrom is how large a text is that takes long enough to be interrupted.
const pacedFrom = 64 << 10

// decodePaced decodes a value in pieces: lists and objects that stand deep in it are one.
func decodePaced(text string, step func(units int) error) (any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	p := &pacedDecoder{Decoder: d, step: step}
	v, err := p.value(0)
	if err == nil && strings.TrimLeft(text[d.InputOffset():], " \t\r\n") != "" {
		err = errors.New("more text after the end of the value")
	}
	return v, err
}

// pacedDepth is how deep the pieces stand.
const pacedDepth = 8

type pacedDecoder struct {
	*json.Decoder
	step func(units int) error
	at   int64 // what was counted
}

func (p *pacedDecoder) value(depth int) (v any, err error) {
	if depth == pacedDepth {
		if err = p.Decode(&v); err != nil {
			return nil, err
		}
		return v, p.count()
	}
	token, err := p.Token()
	if err != nil {
		return nil, err
	}
	if err := p.count(); err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('['):
		list := []any{}
		for p.More() {
			v, err := p.value(depth + 1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = p.Token()
		return list, err
	case json.Delim('{'):
		object := map[string]any{}
		for p.More() {
			key, err := p.Token()
			if err != nil {
				return nil, err
			}
			v, err := p.value(depth + 1)
			if err != nil {
				return nil, err
			}
			object[key.(string)] = v
		}
		_, err = p.Token()
		return object, err
	}
	return token, nil
}

// count steps over what was decoded since the last time.
func (p *pacedDecoder) count() error {
	n := p.InputOffset() - p.at
	p.at += n
	return p.step(int(n))
}

// decodeJSON returns the value, or the offset and the reason of what is wrong.
func decodeJSON(text string) (v any, at int, reason string) {
	if strings.TrimSpace(text) == "" {
		return nil, 0, "it is empty"
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	err := d.Decode(&v)
	if err == nil {
		end := int(d.InputOffset())
		rest := strings.TrimLeft(text[end:], " \t\r\n")
		if rest == "" {
			return v, 0, ""
		}
		at = len(text) - len(rest)
		return nil, at, position(text, at) + ": more text after the end of the value"
	}
	if se, ok := errors.AsType[*json.SyntaxError](err); ok {
		at = max(int(se.Offset)-1, 0)
		reason = se.Error()
	} else {
		at = len(text)
		reason = err.Error()
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || reason == "unexpected end of JSON input" {
		at, reason = len(text), "it ends too early"
	}
	return nil, at, position(text, at) + ": " + reason
}

// position counts in characters, from one, as editors do.
func position(text string, at int) string {
	before := text[:min(at, len(text))]
	line := strings.Count(before, "\n") + 1
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf("line %d, column %d", line, column)
}

// pointAt shows the line around an offset with a mark below it.
func (c Conceal) pointAt(text string, at int) string {
	if text == "" {
		return ""
	}
	before, after := c.split(text, min(at, len(text)))
	text, at = before+after, len(before)
	start := strings.LastIndexByte(text[:at], '\n') + 1
	end := len(text)
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		end = at + i
	}
	left, right := text[start:at], text[at:end]
	if n := len([]rune(left)); n > 60 {
		left = "…" + string([]rune(left)[n-60:])
	}
	if n := len([]rune(right)); n > 60 {
		right = string([]rune(right)[:60]) + "…"
	}
	left, right = vt.Visible(left), vt.Visible(right)
	return left + right + "\n" + strings.Repeat(" ", utf8.RuneCountInString(left)) + "^"
}

// maxPath is how long a path may be: the parser calls itself for each parenthesis.
const maxPath = 64 << 10

// JSONPath returns the nodes that an RFC 9535 path selects in a value of JSON or one built from maps, slices, strings,
// numbers, booleans and nil.
func JSONPath(value any, path string) ([]any, error) {
	if len(path) > maxPath {
		return nil, fault.New(fault.Usage, "jsonpath: the path has %d bytes, want at most %d", len(path), maxPath)
	}
	p, err := jsonpath.Parse(path)
	if err != nil {
		reason := strings.TrimPrefix(err.Error(), "jsonpath: ")
		e := fault.New(fault.Usage, "jsonpath %q: %s", path, reason)
		if !strings.HasPrefix(path, "$") {
			e.Hints = append(e.Hints, "a path begins with $, as in $.data[*].id")
		}
		return nil, e
	}
	return p.Select(value), nil
}

// JSONPath returns what a path selects in the body; step is PacedJSON's.
func (r *Response) JSONPath(path string, step func(units int) error) ([]any, error) {
	v, err := r.PacedJSON(step)
	if err != nil {
		return nil, err
	}
	return JSONPath(v, path)
}

// jsonText writes a value on one line, as it would be in a body.
func jsonText(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
