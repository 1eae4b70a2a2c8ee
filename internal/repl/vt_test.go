package repl

import (
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

// picture is as much of a terminal as the editor needs: it shows what a person would see.
type picture struct {
	width int
	mu    sync.Mutex
	more  chan struct{}
	rows  [][]string // cells; the second one of a wide character is ""
	x, y  int
	wrap  bool // the next character begins a new row
	rest  string
	bytes int
}

func newVT(width int) *picture {
	return &picture{width: width, more: make(chan struct{}, 1), rows: [][]string{nil}}
}

func (v *picture) Write(p []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.bytes += len(p)
	s := v.rest + string(p)
	for s != "" {
		n := v.step(s)
		if n == 0 {
			break
		}
		s = s[n:]
	}
	v.rest = s
	select {
	case v.more <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (v *picture) step(s string) int {
	switch s[0] {
	case '\r':
		v.x, v.wrap = 0, false
		return 1
	case '\n':
		v.down(1)
		return 1
	case 7:
		return 1
	case 0x1b:
		end := strings.IndexFunc(s[min(2, len(s)):], func(r rune) bool { return r >= 0x40 && r <= 0x7e })
		if end < 0 {
			return 0
		}
		v.escape(s[2:2+end], s[2+end])
		return end + 3
	}
	if !utf8.FullRuneInString(s) {
		return 0
	}
	r, n := utf8.DecodeRuneInString(s)
	v.put(r)
	return n
}

func (v *picture) down(n int) {
	v.wrap = false
	for range n {
		if v.y++; v.y == len(v.rows) {
			v.rows = append(v.rows, nil)
		}
	}
}

func (v *picture) escape(args string, final byte) {
	n, err := strconv.Atoi(args)
	if err != nil {
		n = 1
	}
	v.wrap = false
	switch final {
	case 'A':
		v.y = max(0, v.y-n)
	case 'B':
		v.down(n)
	case 'C':
		v.x = min(v.width-1, v.x+n)
	case 'D':
		v.x = max(0, v.x-n)
	case 'K':
		if v.x < len(v.rows[v.y]) {
			v.rows[v.y] = v.rows[v.y][:v.x]
		}
	}
}

func (v *picture) put(r rune) {
	row := &v.rows[v.y]
	if joins(' ', r) && v.x > 0 {
		at := v.x - 1
		if (*row)[at] == "" && at > 0 {
			at--
		}
		(*row)[at] += string(r)
		return
	}
	w := 1
	if wide(string(r)) {
		w = 2
	}
	if v.wrap || v.x+w > v.width {
		v.x = 0
		v.down(1)
		row = &v.rows[v.y]
	}
	for len(*row) < v.x+w {
		*row = append(*row, " ")
	}
	if (*row)[v.x] == "" && v.x > 0 { // the right half of a wide character: it is gone
		(*row)[v.x-1] = " "
	}
	if v.x+w < len(*row) && (*row)[v.x+w] == "" {
		(*row)[v.x+w] = " "
	}
	(*row)[v.x] = string(r)
	if w == 2 {
		(*row)[v.x+1] = ""
	}
	if v.x += w; v.x >= v.width {
		v.x, v.wrap = v.width-1, true
	}
}

// text returns what is on the screen.
func (v *picture) text() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	var out []string
	for _, r := range v.rows {
		out = append(out, strings.TrimRight(strings.Join(r, ""), " "))
	}
	return strings.TrimRight(strings.Join(out, "\n"), "\n")
}

// cursor returns how many columns the cursor is behind the beginning of the row that has a number from the end.
func (v *picture) cursor() (x, fromEnd int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.x, len(v.rows) - 1 - v.y
}

// see waits until the screen is as wanted.
func (v *picture) see(t *testing.T, what string, ok func() bool) {
	t.Helper()
	late := time.After(20 * time.Second)
	for !ok() {
		select {
		case <-v.more:
		case <-late:
			t.Fatalf("%s: on the screen is\n%s", what, v.text())
		}
	}
}
