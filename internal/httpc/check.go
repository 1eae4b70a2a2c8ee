package httpc

import (
	"fmt"
	"slices"
	"strings"

	"omniexpect/internal/vt"
)

// Want is what Check holds a response against. What is empty is not checked.
type Want struct {
	Status   []int // any of them
	Headers  []HeaderWant
	JSONPath []PathWant
	Contains []string              // texts that the body has
	Step     func(units int) error // see PacedJSON; may be nil
}

// HeaderWant wants one of a header's values to be Value, or to pass Test.
type HeaderWant struct {
	Name  string
	Value string
	Test  func(got string) (ok bool, wanted string, err error) // instead of Value; wanted says what it looks for
}

// PathWant wants what a path selects to be Value: its one node, or the list of all its nodes.
type PathWant struct {
	Path  string
	Value any
	Test  func(got []any) (ok bool, wanted string, err error) // instead of Value
}

// Check compares a response with all that is wanted of it and names everything that does not hold at once, expected
// against got, with the part of the body that matters. A path that cannot be parsed is a Usage error.
func Check(r *Response, want Want) error {
	c := &checks{resp: r}
	c.status(want.Status)
	for _, h := range want.Headers {
		if err := c.header(h); err != nil {
			return err
		}
	}
	if err := c.paths(want.JSONPath, want.Step); err != nil {
		return err
	}
	for _, text := range want.Contains {
		c.contains(text)
	}
	return c.err()
}

type checks struct {
	resp      *Response
	total     int
	wrong     []string
	badStatus bool   // the status is among what is wrong
	near      string // a text to show the body around
}

func (c *checks) add(ok bool, format string, args ...any) {
	c.total++
	if !ok {
		c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
	}
}

func (c *checks) err() error {
	if len(c.wrong) == 0 {
		return nil
	}
	msg := c.wrong[0]
	if c.total > 1 {
		msg = fmt.Sprintf("%d of %d checks fail: %s", len(c.wrong), c.total, strings.Join(c.wrong, "; "))
	}
	e := c.resp.failed("%s", c.resp.conceal.oneLine(msg, 300))
	if c.badStatus {
		e.Err = &StatusError{c.resp.Status}
	}
	detail := "the body is empty"
	if len(c.resp.Body) > 0 {
		detail = "the body (" + size(int64(len(c.resp.Body))) + "):\n" + c.resp.Excerpt(c.near)
	}
	if len(c.wrong) > 1 {
		detail = "- " + strings.Join(c.wrong, "\n- ") + "\n" + detail
	}
	return e.WithDetail(detail)
}

func (c *checks) status(want []int) {
	if len(want) == 0 {
		return
	}
	ok := slices.Contains(want, c.resp.Status)
	c.badStatus = !ok
	texts := make([]string, len(want))
	for i, code := range want {
		texts[i] = fmt.Sprint(code)
	}
	c.add(ok, "status: expected %s, got %s", strings.Join(texts, " or "), statusText(c.resp.Status))
}

func (c *checks) header(h HeaderWant) error {
	got := c.resp.Header.Values(h.Name)
	wanted := fmt.Sprintf("%q", h.Value)
	ok := slices.Contains(got, h.Value)
	if h.Test != nil {
		ok = false
		for _, value := range append(slices.Clone(got), "")[:max(len(got), 1)] { // a test of a missing header says what it wants
			pass, text, err := h.Test(value)
			if err != nil {
				return err
			}
			wanted, ok = text, ok || pass && len(got) > 0
		}
	}
	texts := make([]string, len(got))
	for i, value := range got {
		texts[i] = fmt.Sprintf("%q", value)
	}
	if len(got) == 0 {
		texts = []string{"no such header"}
	}
	c.add(ok, "header %s: expected %s, got %s", h.Name, wanted, strings.Join(texts, " and "))
	return nil
}

func (c *checks) paths(want []PathWant, step func(int) error) error {
	if len(want) == 0 {
		return nil
	}
	value, bodyErr := c.resp.PacedJSON(step)
	if step != nil {
		if err := step(0); err != nil {
			return err
		}
	}
	for _, p := range want {
		nodes, err := JSONPath(value, p.Path) // also where there is no value: a wrong path is to be told in any case
		if err != nil {
			return err
		}
		if bodyErr != nil {
			wanted := jsonText(p.Value)
			if p.Test != nil {
				wanted = "something"
			}
			_, _, reason := decodeJSON(c.resp.Text())
			c.add(false, "jsonpath %s: expected %s, got a body that is not JSON (%s)", p.Path, wanted, reason)
			continue
		}
		if err := c.path(p, nodes); err != nil {
			return err
		}
	}
	return nil
}

func (c *checks) path(p PathWant, nodes []any) error {
	wanted := jsonText(p.Value)
	ok := len(nodes) == 1 && Equal(nodes[0], p.Value) || Equal(nodes, p.Value)
	if p.Test != nil {
		var err error
		if ok, wanted, err = p.Test(nodes); err != nil {
			return err
		}
	}
	var got string
	switch len(nodes) {
	case 0:
		got = "nothing there"
	case 1:
		got = jsonText(nodes[0])
	default:
		got = fmt.Sprintf("%d nodes %s", len(nodes), jsonText(nodes))
	}
	c.add(ok, "jsonpath %s: expected %s, got %s", p.Path, c.resp.conceal.oneLine(wanted, 200), c.resp.conceal.oneLine(got, 200))
	return nil
}

func (c *checks) contains(text string) {
	body := c.resp.Text()
	ok := strings.Contains(body, text)
	hint := ""
	if i := strings.Index(strings.ToLower(body), strings.ToLower(text)); !ok && i >= 0 && text != "" {
		hint = " (in another case it does)"
		c.near = text
	}
	c.add(ok, "body: expected it to contain %q, it does not%s", text, hint)
}

// Excerpt shows what matters of the body: around a text, if it has that in some case, else the beginning. Bytes that are
// no text are shown as their number.
func (r *Response) Excerpt(near string) string {
	const limit = 2000
	if len(r.Body) == 0 {
		return ""
	}
	if !isText(r) {
		return fmt.Sprintf("(%s of %s)", size(int64(len(r.Body))), kindOf(r))
	}
	text := []rune(r.shownText())
	if len(text) <= limit {
		return vt.Visible(strings.TrimRight(string(text), "\n"))
	}
	start := 0
	if near != "" {
		if i := strings.Index(strings.ToLower(string(text)), strings.ToLower(near)); i >= 0 {
			start = max(len([]rune(string(text)[:min(i, len(string(text)))]))-limit/2, 0)
		}
	}
	end := min(start+limit, len(text))
	out := vt.Visible(string(text[start:end]))
	if start > 0 {
		out = "…" + out
	}
	if end < len(text) {
		out += fmt.Sprintf("… (%d more characters)", len(text)-end)
	}
	return out
}

func kindOf(r *Response) string {
	if kind := r.Header.Get("Content-Type"); kind != "" {
		return kind
	}
	return "binary data"
}

func isText(r *Response) bool {
	head := r.Body[:min(len(r.Body), 512)]
	return !slices.Contains(head, 0) || encodingOf(r.Body, r.Header.Get("Content-Type")) != nil
}
