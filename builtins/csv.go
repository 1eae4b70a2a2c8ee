package builtins

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
	"omniexpect/internal/fault"
	"omniexpect/internal/mask"
)

type csvArgs struct {
	Text   string `star:"text" doc:"comma-separated values"`
	Header bool   `star:"header?,kw" doc:"the first line holds the column names, and rows are dicts"`
	Comma  string `star:"comma?,kw" doc:"the separator"`
}

func (st *State) csvDecode(c *dsl.Call, a csvArgs) (starlark.Value, error) {
	if len([]rune(a.Comma)) != 1 {
		return nil, fault.New(fault.Usage, "csv.decode: comma=%q: want one character", a.Comma)
	}
	pace := c.Pace()
	text, err := keptReturns(pace, a.Text)
	if err != nil {
		return nil, err
	}
	r := csv.NewReader(pacedReader{strings.NewReader(text), pace})
	r.Comma = []rune(a.Comma)[0]
	var out []starlark.Value
	var names []string
	for {
		row, err := r.Read()
		for i := range row {
			row[i] = st.Mask.Original(row[i])
		}
		switch {
		case pace.Over() != nil:
			return nil, pace.Over()
		case err == io.EOF:
			return starlark.NewList(out), nil
		case err == nil && a.Header && names == nil:
			names = row
			err = twice(names)
		case err == nil && a.Header:
			d := starlark.NewDict(len(row))
			for j, cell := range row {
				d.SetKey(starlark.String(names[j]), starlark.String(cell))
			}
			out = append(out, d)
		case err == nil:
			out = append(out, stringList(row))
		}
		if err == nil {
			err = pace.Step(4 * len(row))
		}
		if err != nil {
			return nil, misused(c, err, "csv.decode: %w", err)
		}
	}
}

// keptReturns doubles the CR of each CR LF inside of quotes, of which encoding/csv takes one away.
func keptReturns(pace *dsl.Pace, text string) (string, error) {
	if !strings.Contains(text, "\r\n") {
		return text, nil
	}
	var b strings.Builder
	i := -1
	for part := range strings.SplitSeq(text, `"`) {
		i++
		if err := pace.Step(1 + len(part)/64); err != nil {
			return "", err
		}
		if i > 0 {
			b.WriteByte('"')
		}
		if i%2 == 1 {
			part = strings.ReplaceAll(part, "\r\n", "\r\r\n")
		}
		b.WriteString(part)
	}
	return b.String(), nil
}

// twice returns an error if a name of the first line stands there twice: one of the columns would be lost.
func twice(names []string) error {
	seen := map[string]bool{}
	for _, n := range names {
		if seen[n] {
			return fmt.Errorf("the first line has the name %.60q twice: read it without header=True", n)
		}
		seen[n] = true
	}
	return nil
}

type rowsArgs struct {
	Rows starlark.Value `star:"rows" type:"list" doc:"lists, or dicts whose keys become the first line"`
}

func (st *State) csvEncode(c *dsl.Call, a rowsArgs) (starlark.Value, error) {
	w := &csvWriter{pace: c.Pace(), mask: st.Mask}
	w.to = csv.NewWriter(&w.out)
	err := each("csv.encode", a.Rows, w.row)
	if err == nil {
		w.to.Flush()
		err = w.to.Error()
	}
	if err != nil {
		return nil, misused(c, err, "csv.encode: %w", err)
	}
	return starlark.String(w.out.String()), nil
}

// csvWriter writes rows.
type csvWriter struct {
	pace  *dsl.Pace
	mask  *mask.Masker
	out   strings.Builder
	to    *csv.Writer
	rows  int
	names []starlark.Value // of the dict that came first
}

func (w *csvWriter) row(row starlark.Value) error {
	w.rows++
	var cells []string
	if d, ok := row.(*starlark.Dict); ok {
		if w.names == nil {
			w.names = d.Keys()
			for _, n := range w.names {
				cells = append(cells, plain(n))
			}
			if err := w.write(cells); err != nil {
				return err
			}
			cells = nil
		}
		found := 0
		for _, n := range w.names {
			v, has, _ := d.Get(n)
			if has {
				found++
			}
			cells = append(cells, cell(v))
		}
		if found < d.Len() {
			return fmt.Errorf("row %d has keys that the first one does not have: its keys are the columns", w.rows)
		}
	} else if err := each("a row", row, func(v starlark.Value) error { cells = append(cells, cell(v)); return nil }); err != nil {
		return err
	}
	return w.write(cells)
}

func (w *csvWriter) write(cells []string) error {
	if err := w.pace.Step(4 * (1 + len(cells))); err != nil {
		return err
	}
	switch {
	case len(cells) == 0:
		return fmt.Errorf("row %d has no values, which CSV cannot express", w.rows)
	case len(cells) == 1 && cells[0] == "": // a reader skips an empty line
		w.to.Flush()
		w.out.WriteString("\"\"\n")
		return nil
	}
	if slices.ContainsFunc(cells, func(cell string) bool { return w.mask.Resolve(cell) != cell }) {
		return w.secretRow(cells)
	}
	return w.to.Write(cells)
}

// secretRow writes a row that has secrets in it. Each such cell is quoted, and so is the secret.
func (w *csvWriter) secretRow(cells []string) error {
	w.to.Flush()
	for i, cell := range cells {
		if i > 0 {
			w.out.WriteByte(',')
		}
		if w.mask.Resolve(cell) != cell {
			double := func(s string) string { return strings.ReplaceAll(s, `"`, `""`) }
			w.out.WriteString(`"` + w.mask.Spelled(cell, double) + `"`)
			continue
		}
		text, err := csvCell(cell)
		if err != nil {
			return err
		}
		w.out.WriteString(text)
	}
	w.out.WriteByte('\n')
	return w.to.Error()
}

// csvCell is a text as it is written between commas.
func csvCell(text string) (string, error) {
	var b strings.Builder
	to := csv.NewWriter(&b)
	err := to.Write([]string{text, ""})
	to.Flush()
	return strings.TrimSuffix(b.String(), ",\n"), err
}

func cell(v starlark.Value) string {
	if v == nil || v == starlark.None {
		return ""
	}
	return plain(v)
}

func (st *State) csvFuncs() []*dsl.Func {
	return dsl.In("values",
		dsl.Define("csv.decode", "list", `The rows of comma-separated values, as lists or, with header=True, as dicts.`,
			`assert.eq(csv.decode("a,b\n1,\"x,y\"\n", header = True), [{"a": "1", "b": "x,y"}])`, csvArgs{Comma: ","}, st.csvDecode),
		dsl.Define("csv.encode", "str", `Rows as comma-separated values.`,
			`assert.eq(csv.encode([{"a": 1, "b": "x,y"}]), "a,b\n1,\"x,y\"\n")`, rowsArgs{}, st.csvEncode),
	)
}
