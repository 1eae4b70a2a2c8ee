package screen_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"omniexpect/internal/screen"
)

// noise is a random mixture of text, sequences and bytes that mean nothing.
func noise(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		switch r.IntN(12) {
		case 0, 1:
			b.WriteString([]string{"hello world", "x", "漢字", "é", "e\u0301", "👩\u200d👩\u200d👧", "🇩🇪", "❤\ufe0f", "\u200d", "नमस्ते", "\u3000", "각"}[r.IntN(12)])
		case 2:
			b.WriteString([]string{"\r\n", "\n", "\r", "\b", "\t", "\x0e", "\x0f", "\x07", "\x0b", "\x7f", "\x18", "\x1a"}[r.IntN(12)])
		case 3:
			b.WriteByte(byte(r.IntN(256)))
		case 4:
			b.WriteString("\x1b" + string(rune(0x20+r.IntN(0x5f))) + string(rune(0x20+r.IntN(0x5f))))
		case 5:
			modes := []int{1, 3, 4, 5, 6, 7, 12, 20, 25, 40, 41, 45, 47, 66, 69, 95, 1000, 1003, 1006, 1045, 1047, 1048, 1049, 2004, 2026, 2027, 2048}
			fmt.Fprintf(&b, "\x1b[%s%d%c", []string{"", "?"}[r.IntN(2)], modes[r.IntN(len(modes))], "hlsrn"[r.IntN(5)])
		case 6:
			osc := []string{"0;title", "8;id=a;http://x/" + fmt.Sprint(r.IntN(99)), "8;;", "4;1;?", "10;?", "133;A", "133;D;1", "9;4;1;50", "9;hi",
				"777;notify;a;b", "52;c;aGk=", "7;file://h/x", "7501;idle", "104", "110", "4;3;#123", "52;c;?"}
			b.WriteString("\x1b]" + osc[r.IntN(len(osc))] + []string{"\x07", "\x1b\\", "\x1b[m", ""}[r.IntN(4)])
		case 7:
			dcs := []string{"$qm", "$qr", "$q\"p", "+q544e", "+qzz", "$q q", "1;2|x"}
			b.WriteString("\x1bP" + dcs[r.IntN(len(dcs))] + "\x1b\\")
		default:
			b.WriteString("\x1b[" + []string{"", "", "", "?", ">", "<", "="}[r.IntN(7)])
			for i := range r.IntN(8) {
				if i > 0 {
					b.WriteByte(";:"[r.IntN(8)/7])
				}
				if n := []int{-1, 0, 1, 2, 3, 5, 8, 20, 80, 999, 65535, r.IntN(120)}[r.IntN(12)]; n >= 0 {
					fmt.Fprint(&b, n)
				}
			}
			b.WriteString([]string{"", "", "", "$", "*", "'", " ", "\"", "!", "#"}[r.IntN(10)])
			b.WriteByte(byte(0x40 + r.IntN(0x3f)))
		}
	}
	return b.String()
}

// TestNoise feeds mixtures to screens of all sizes: nothing panics, hangs or leaves the screen, and a cut changes nothing.
func TestNoise(t *testing.T) {
	inputs := 1000
	if testing.Short() {
		inputs = 300
	}
	for seed := range uint64(inputs) {
		r := rand.New(rand.NewPCG(seed, 7))
		side := func() int { return []int{1, 2, 3, 5, 24, 80, 1 + r.IntN(200)}[r.IntN(7)] }
		c := screen.Config{Rows: side(), Cols: side(), History: []int{-1, 1, 5, 50}[r.IntN(4)]}
		a, b := screen.New(c), screen.New(c)
		for range 3 {
			text := noise(r, 60)
			began := time.Now()
			a.Write([]byte(text))
			for _, piece := range randomly(r)(text) {
				b.Write([]byte(piece))
			}
			if d := time.Since(began); d > 10*time.Second {
				t.Fatalf("seed %d: %v", seed, d)
			}
			check(t, seed, a.Snapshot())
			check(t, seed, a.Current())
			rows, cols := side(), side()
			a.Resize(rows, cols)
			b.Resize(rows, cols)
			check(t, seed, a.Current())
		}
		if got, want := describe(b.Current()), describe(a.Current()); string(got) != string(want) {
			t.Fatalf("seed %d: cut into pieces it is\n%s\nin one piece\n%s", seed, got, want)
		}
		got, want := b.Replies(), a.Replies()
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("seed %d: replies %q, in one piece %q", seed, got, want)
		}
	}
}

// check looks for what must never be: a cursor outside, half a wide character.
func check(t testing.TB, seed uint64, c *screen.Snapshot) {
	t.Helper()
	if c.CursorRow < 0 || c.CursorRow >= c.Rows || c.CursorCol < 0 || c.CursorCol >= c.Cols {
		t.Fatalf("seed %d: the cursor is at %d,%d of %dx%d", seed, c.CursorRow, c.CursorCol, c.Rows, c.Cols)
	}
	for y := range c.Rows {
		before := 1
		for x := range c.Cols {
			w := c.Cell(y, x).Width
			if (before == 2) != (w == 0) {
				t.Fatalf("seed %d: half a wide character at %d,%d of %dx%d", seed, y, x, c.Rows, c.Cols)
			}
			before = w
		}
		if before == 2 {
			t.Fatalf("seed %d: half a wide character at the end of row %d", seed, y)
		}
	}
}

func FuzzWrite(f *testing.F) {
	f.Add(uint16(24), uint16(80), uint16(5), uint16(20), []byte("\x1b[31mhello\x1b[5;5H漢\r\n"), []byte("\x1b[?1049h\x1b[2J"))
	f.Fuzz(func(t *testing.T, rows, cols, rows2, cols2 uint16, a, b []byte) {
		s := screen.New(screen.Config{Rows: int(rows%1000) + 1, Cols: int(cols%1000) + 1, History: 20})
		s.Write(a)
		check(t, 0, s.Current())
		s.Resize(int(rows2%1000)+1, int(cols2%1000)+1)
		s.Write(b)
		check(t, 0, s.Current())
	})
}
