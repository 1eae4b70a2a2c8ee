package terminals_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"omniexpect/internal/screen"
)

const (
	history  = 50
	programs = 300 // of 100 steps each
)

// picture is what a terminal shows, as xterm.js tells it.
type picture struct {
	Rows []struct {
		Wrapped bool
		Cells   [][5]any
	}
	Cursor    [2]int
	History   []string
	Replies   string
	Alternate bool
	Error     string // of xterm.js itself
}

// xterm is xterm.js in a process of its own.
type xterm struct {
	in  io.WriteCloser
	out *bufio.Reader
}

func startXterm(t *testing.T) *xterm {
	t.Helper()
	if err := exec.Command("node", "-e", "require('@xterm/headless')").Run(); err != nil {
		t.Skip("needs node with @xterm/headless: npm install in e2e/terminals")
	}
	cmd := exec.Command("node", "xterm.js")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	return &xterm{in, bufio.NewReaderSize(out, 1<<20)}
}

func (x *xterm) draw(t *testing.T, m mixture) picture {
	t.Helper()
	type wire struct {
		W []byte `json:"w,omitempty"`
		R []int  `json:"r,omitempty"`
	}
	var steps []wire
	for _, s := range m.steps {
		if s.Rows > 0 {
			steps = append(steps, wire{R: []int{s.Cols, s.Rows}})
		} else {
			steps = append(steps, wire{W: []byte(s.Write)})
		}
	}
	job, err := json.Marshal(map[string]any{"cols": m.cols, "rows": m.rows, "history": history, "steps": steps})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.in.Write(append(job, '\n')); err != nil {
		t.Fatal(err)
	}
	line, err := x.out.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var p picture
	if err := json.Unmarshal(line, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func ours(m mixture) *screen.Snapshot {
	s := screen.New(screen.Config{Rows: m.rows, Cols: m.cols, History: history})
	for _, st := range m.steps {
		if st.Rows > 0 {
			s.Resize(st.Rows, st.Cols)
		} else {
			s.Write([]byte(st.Write))
		}
	}
	return s.Current()
}

func colour(c screen.Colour) string {
	if r, g, b, ok := c.Direct(); ok {
		return fmt.Sprintf("#%02x%02x%02x", r, g, b)
	}
	if n, ok := c.Palette(); ok {
		return fmt.Sprint(n)
	}
	return ""
}

// attributes are those of a cell; xterm.js underlines links.
func attributes(c screen.Cell) string {
	s := c.Style
	var out []string
	add := func(on bool, name string) {
		if on {
			out = append(out, name)
		}
	}
	add(s.Attr&screen.Bold != 0, "bold")
	add(s.Attr&screen.Faint != 0, "faint")
	add(s.Attr&screen.Italic != 0, "italic")
	add(s.Underline != 0 || c.Link.URI != "", "underline")
	add(s.Attr&screen.Blink != 0, "blink")
	add(s.Attr&screen.Reverse != 0, "reverse")
	add(s.Attr&screen.Invisible != 0, "invisible")
	add(s.Attr&screen.Strike != 0, "strike")
	add(s.Attr&screen.Overline != 0, "overline")
	return strings.Join(out, " ")
}

// differences returns where a screen is not what xterm.js shows.
func differences(got *screen.Snapshot, want picture) string {
	var b strings.Builder
	if want.Error != "" {
		return ""
	}
	for y, row := range want.Rows {
		for x, w := range row.Cells {
			c := got.Cell(y, x)
			text, wide := w[0].(string), int(w[1].(float64))
			style := fmt.Sprintf("%s/%s/%s", w[2], w[3], w[4])
			mine := fmt.Sprintf("%s/%s/%s", colour(c.Style.Fg), colour(c.Style.Bg), attributes(c))
			if strings.TrimSpace(c.Text) != strings.TrimSpace(text) || c.Width != wide || mine != style {
				fmt.Fprintf(&b, "row %d col %d: %q %d %s, xterm.js %q %d %s\n", y, x, c.Text, c.Width, mine, text, wide, style)
				break
			}
		}
		if got.Wrapped(y) != row.Wrapped {
			fmt.Fprintf(&b, "row %d: wrapped %v, xterm.js %v\n", y, got.Wrapped(y), row.Wrapped)
		}
	}
	if at := [2]int{got.CursorCol, got.CursorRow}; at != want.Cursor {
		fmt.Fprintf(&b, "cursor %v, xterm.js %v\n", at, want.Cursor)
	}
	if !got.Alternate {
		var lines []string
		for i := range got.HistoryLen() {
			line, _ := got.HistoryLine(i)
			lines = append(lines, line)
		}
		for i := range want.History {
			want.History[i] = strings.TrimRight(want.History[i], " ")
		}
		if fmt.Sprintf("%q", lines) != fmt.Sprintf("%q", want.History) {
			fmt.Fprintf(&b, "history %q\nxterm.js %q\n", lines, want.History)
		}
	}
	return b.String()
}

// shrink takes steps away as long as the difference stays.
func shrink(t *testing.T, x *xterm, m mixture) mixture {
	for n := len(m.steps) / 2; n > 0; n /= 2 {
		for i := 0; i+n <= len(m.steps); {
			less := m
			less.steps = append(append([]step(nil), m.steps[:i]...), m.steps[i+n:]...)
			if differences(ours(less), x.draw(t, less)) != "" {
				m = less
			} else {
				i += n
			}
		}
	}
	return m
}

func TestMixturesAgainstXterm(t *testing.T) {
	x := startXterm(t)
	bad := 0
	for seed := range uint64(programs) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := mix(r, 100, seed%2 == 0)
		if differences(ours(m), x.draw(t, m)) == "" {
			continue
		}
		bad++
		m = shrink(t, x, m)
		t.Errorf("seed %d: %v\n%s", seed, m, differences(ours(m), x.draw(t, m)))
		if bad == 10 {
			break
		}
	}
}
