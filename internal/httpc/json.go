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

// JSON decodes the body: objects are map[string]any, numbers json.Number. The error of a body that is no JSON says
// where and shows the place.
func (r *Response) JSON() (any, error) {
	text := r.Text()
	v, at, reason := decodeJSON(text)
	if reason == "" {
		return v, nil
	}
	e := r.failed("the body is no JSON: %s", reason)
	e.Err = &Cause{Malformed, errors.New(reason)}
	if kind := r.Header.Get("Content-Type"); kind != "" && !strings.Contains(kind, "json") {
		e.Hints = append(e.Hints, fmt.Sprintf("the answer says that it is %s (status %s)", kind, statusText(r.Status)))
	} else if r.Status >= 400 {
		e.Hints = append(e.Hints, "the status is "+statusText(r.Status))
	}
	return nil, e.WithDetail(r.conceal.pointAt(text, at))
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

// longestPath is how long a path may be: the parser calls itself for each parenthesis.
const longestPath = 64 << 10

// JSONPath returns the nodes that an RFC 9535 path selects in a value of JSON or one built from maps, slices, strings,
// numbers, booleans and nil.
func JSONPath(value any, path string) ([]any, error) {
	if len(path) > longestPath {
		return nil, fault.New(fault.Usage, "jsonpath: the path has %d bytes, want at most %d", len(path), longestPath)
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

// JSONPath returns what a path selects in the body.
func (r *Response) JSONPath(path string) ([]any, error) {
	v, err := r.JSON()
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
