package screen_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unicode"

	"omniexpect/internal/screen"
)

// testCase is what a screen is to show after an input, or after steps of input and sizes.
type testCase struct {
	Name       string
	Cols, Rows int
	Input      string
	Steps      []step
	Lines      []string
	Cursor     [2]int
	Answers    []answer
}

type step struct {
	Write  string
	Resize []int
}

type answer struct {
	By     string
	Lines  []string
	Cursor [2]int
}

func (c testCase) steps() []step {
	if c.Steps == nil {
		return []step{{Write: c.Input}}
	}
	return c.Steps
}

func readCases(t testing.TB, name string) []testCase {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []testCase
	for d := json.NewDecoder(f); ; {
		var c testCase
		if err := d.Decode(&c); err == io.EOF {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
}

// cut splits text into pieces.
type cut func(text string) []string

func whole(text string) []string { return []string{text} }

func everyByte(text string) (out []string) {
	for i := range len(text) {
		out = append(out, text[i:i+1])
	}
	return out
}

func randomly(r *rand.Rand) cut {
	return func(text string) (out []string) {
		for len(text) > 0 {
			n := min(1+r.IntN(40), len(text))
			out = append(out, text[:n])
			text = text[n:]
		}
		return out
	}
}

func run(c testCase, by cut) *screen.Snapshot {
	s := screen.New(screen.Config{Rows: c.Rows, Cols: c.Cols})
	for _, st := range c.steps() {
		if st.Resize != nil {
			s.Resize(st.Resize[1], st.Resize[0])
			continue
		}
		for _, piece := range by(st.Write) {
			s.Write([]byte(piece))
		}
	}
	return s.Current()
}

// compare returns how a screen differs from what it is to be: text without white space at line ends, and the cursor.
func compare(got *screen.Snapshot, lines []string, cursor [2]int) string {
	var b strings.Builder
	for y := range max(got.Rows, len(lines)) {
		want := ""
		if y < len(lines) {
			want = lines[y]
		}
		if line := strings.TrimRightFunc(got.Line(y), unicode.IsSpace); line != strings.TrimRightFunc(want, unicode.IsSpace) {
			fmt.Fprintf(&b, "row %d\n  got  %q\n  want %q\n", y, line, want)
		}
	}
	if at := [2]int{got.CursorCol, got.CursorRow}; at != cursor {
		fmt.Fprintf(&b, "cursor %v, want %v\n", at, cursor)
	}
	return b.String()
}

func TestCases(t *testing.T) {
	cases := readCases(t, "cases.jsonl")
	if len(cases) != 127 {
		t.Errorf("%d cases", len(cases))
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			for name, by := range map[string]cut{"whole": whole, "every byte": everyByte, "random": randomly(r)} {
				if diff := compare(run(c, by), c.Lines, c.Cursor); diff != "" {
					t.Errorf("%s: %q\n%s", name, c.Input, diff)
				}
			}
		})
	}
}

// capture is a recording of a program, with what the screen is to show at some places.
type capture struct {
	Name       string
	Cols, Rows int
	Raw        []byte `json:"raw_base64"`
	Cuts       []struct {
		At     int
		Lines  []string
		Cursor [2]int
	}
}

func readCaptures(t testing.TB) []capture {
	t.Helper()
	f, err := os.Open("testdata/captures.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		t.Fatal(err)
	}
	var out []capture
	for d := json.NewDecoder(z); ; {
		var c capture
		if err := d.Decode(&c); err == io.EOF {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
}

func TestCaptures(t *testing.T) {
	screens := 0
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range readCaptures(t) {
		screens += len(c.Cuts)
		t.Run(c.Name, func(t *testing.T) {
			for name, by := range map[string]cut{"whole": whole, "every byte": everyByte, "random": randomly(r)} {
				s := screen.New(screen.Config{Rows: c.Rows, Cols: c.Cols})
				at := 0
				for _, k := range c.Cuts {
					for _, piece := range by(string(c.Raw[at:k.At])) {
						s.Write([]byte(piece))
					}
					at = k.At
					if diff := compare(s.Current(), k.Lines, k.Cursor); diff != "" {
						t.Fatalf("%s, at byte %d:\n%s", name, k.At, diff)
					}
				}
			}
		})
	}
	if screens != 455 {
		t.Errorf("%d screens", screens)
	}
}

// TestCutAnywhere cuts recordings into two at each byte of a sample: everything is the same as in one piece.
func TestCutAnywhere(t *testing.T) {
	for _, c := range readCaptures(t) {
		raw := c.Raw[:min(len(c.Raw), 4000)]
		want := screen.New(screen.Config{Rows: c.Rows, Cols: c.Cols})
		want.Write(raw)
		all := describe(want.Current())
		for i := 1; i < len(raw); i += 211 {
			s := screen.New(screen.Config{Rows: c.Rows, Cols: c.Cols})
			s.Write(raw[:i])
			s.Write(raw[i:])
			if got := describe(s.Current()); !bytes.Equal(got, all) {
				t.Fatalf("%s cut at %d differs:\n%s\n%s", c.Name, i, got, all)
			}
		}
	}
}

// describe writes down all that a snapshot has: cells with their styles, cursor, modes, facts and history.
func describe(c *screen.Snapshot) []byte {
	var b bytes.Buffer
	for y := range c.Rows {
		fmt.Fprintf(&b, "%v ", c.Wrapped(y))
		for x := range c.Cols {
			if cell := c.Cell(y, x); cell != (screen.Cell{Width: 1}) {
				fmt.Fprintf(&b, "%d%+v", x, cell)
			}
		}
		b.WriteByte('\n')
	}
	for i := range c.HistoryLen() {
		text, wrapped := c.HistoryLine(i)
		fmt.Fprintf(&b, "%v %q\n", wrapped, text)
	}
	fmt.Fprintf(&b, "%d,%d %v %+v %+v %q", c.CursorRow, c.CursorCol, c.Pending, c.Modes, c.Facts, c.Title)
	return b.Bytes()
}
