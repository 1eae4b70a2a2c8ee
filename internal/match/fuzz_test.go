package match

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"omniexpect/internal/clock"
)

// offline is a stream that reads nothing: a test gives it the output.
func offline(rows, cols int, keepNUL bool) *Stream {
	s := &Stream{clock: clock.System{}, cfg: Config{Rows: rows, Cols: cols, KeepNUL: keepNUL, Limit: DefaultLimit, History: DefaultLimit}}
	s.startViews()
	return s
}

// cut calls f with the pieces of p, cut at random.
func cut(p []byte, seed uint64, f func([]byte)) {
	rnd := rand.New(rand.NewPCG(seed, 2))
	for len(p) > 0 {
		n := 1 + rnd.IntN(min(len(p), 1+rnd.IntN(40)))
		f(p[:n])
		p = p[n:]
	}
}

// checkView compares a stream with the model: the text, and where each byte of either view stands in the other one.
func checkView(t *testing.T, in []byte, seed uint64, rows, cols int, keepNUL bool) {
	t.Helper()
	s := offline(rows, cols, keepNUL)
	cut(in, seed, s.ingest)
	s.dec.flush(s)
	s.hangup = true
	m := newModel(string(in), rows, cols, keepNUL)
	if got, want := string(s.text.bytes(0, s.text.end)), m.String(); got != want {
		t.Fatalf("%q on %dx%d, seed %d:\ngot  %q\nwant %q", in, rows, cols, seed, got, want)
	}
	if string(s.raw.bytes(0, s.raw.end)) != string(in) {
		t.Fatalf("the raw view of %q is %q", in, s.raw.bytes(0, s.raw.end))
	}
	if len(in) > 300 {
		return
	}
	text, last := int64(0), 0
	for _, p := range m.out {
		for raw := last; raw < p.end; raw++ {
			if got := s.textOf(int64(raw)); got != text {
				t.Fatalf("%q: byte %d is before text byte %d, want %d", in, raw, got, text)
			}
		}
		last = max(last, p.end)
		text += int64(len(p.text))
		if got := s.rawOf(text); got != int64(p.end) {
			t.Fatalf("%q: text up to %d was made by raw bytes up to %d, want %d", in, text, got, p.end)
		}
	}
}

// alphabet is what fuzzing makes output of, besides its own bytes.
var alphabet = []string{"a", "b c", "\r", "\n", "\r\n", "\t", "\b", "\x00", "é", "漢", "\u0301", "\u00a0", "\xff", "\xe2\x82",
	"\x1b", "\x1b[31m", "\x1b[", "5", ";", "C", "G", "H", "\x1b[10G", "\x1b[2;3H", "\x1b[A", "\x1b[B", "\x1b[2K", "\x1b[?1049h",
	"\x1b[?1049l", "\x1b]0;title\x07", "\x1b]8;;x\x1b\\", "\x1bP", "\x1b\\", "\x1b7", "\x1b8", "\x1bM", "\x1bc", "\x18", "?",
	"\x1b[2;4r", "\x1b[5D", "\x1b[?7l", "\x1b(B", "\x7f", "\x1b[3 q", "\x1b[4d",
	"\r\r\n", "\x1b[4D\x1b[4C", "\x1b[3C", "\x1b[K", "\x1b[1K", "\x1b[3X", "\x1b[2@", "\x1b[2P", "\x1b[I", "\x1b[Z", "\x1b[L", "\x1b[2J", "0123456789012345678901234567890123456789"}

func FuzzTextView(f *testing.F) {
	for i := range alphabet {
		f.Add([]byte{byte(i), 0x80, byte(i + 1), 0x85}, uint64(i), byte(3), byte(20), false, true)
	}
	f.Add([]byte("a\x1b[5Cb\r\n\xe2\x82\xac\x1b]0;x\x07y"), uint64(1), byte(24), byte(80), true, false)
	f.Fuzz(func(t *testing.T, in []byte, seed uint64, rows, cols byte, keepNUL, coded bool) {
		if coded { // each byte stands for a piece of the alphabet
			var b []byte
			for _, c := range in {
				b = append(b, alphabet[int(c)%len(alphabet)]...)
			}
			in = b
		}
		checkView(t, in, seed, int(rows)%30+1, int(cols)%100+1, keepNUL)
	})
}

func TestTextViewOfRandomOutput(t *testing.T) {
	once(t)
	for seed := range uint64(3000) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		var in []byte
		for range rnd.IntN(40) {
			in = append(in, alphabet[rnd.IntN(len(alphabet))]...)
		}
		checkView(t, in, seed, 1+rnd.IntN(8), 1+rnd.IntN(50), rnd.IntN(2) == 0)
	}
}

// FuzzMatch lets a stream with random cuts find what a reader finds who looks after every character.
func FuzzMatch(f *testing.F) {
	f.Add("abcabc", []byte{1, 3}, uint64(1))
	f.Add("aab\nbc a\n", []byte{5, 18, 20}, uint64(2))
	f.Fuzz(func(t *testing.T, text string, which []byte, seed uint64) {
		if len(text) > 200 || len(which) == 0 || !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool {
			return r < ' ' && r != '\n' || r == 0x7f || r == 0xa0
		}) {
			t.Skip()
		}
		exprs := make([]string, min(len(which), 4))
		pats := make([]any, len(exprs))
		for i := range exprs {
			exprs[i] = definite[int(which[i])%len(definite)]
			pats[i] = exprs[i]
		}
		rnd := rand.New(rand.NewPCG(seed, 1))
		checkChopping(t, rnd, text, exprs, pats, []string{"block", "bytes", "random"}[seed%3])
	})
}

func TestPositionsAcrossCheckpoints(t *testing.T) {
	once(t)
	s := offline(24, 80, false)
	var in []byte
	for i := 0; len(in) < 5*chunkSize; i++ {
		in = append(in, fmt.Sprintf("\x1b[%dmline %d\x1b[0m: h\u00e9llo\x1b[3C.\r\n", i%8+30, i)...)
		if i == 700 {
			s.Resize(30, 20)
		}
	}
	cut(in, 9, s.ingest)
	for text := int64(1); text <= s.text.end; text += 37 {
		if s.text.at(text-1)&0xc0 == 0xc0 || text < s.text.end && s.text.at(text)&0xc0 == 0x80 {
			continue // in the middle of a character
		}
		raw := s.rawOf(text)
		if back := s.textOf(raw); back < text || back > text+3 { // blanks of one movement end together
			t.Fatalf("text %d is raw %d, which is text %d", text, raw, back)
		}
	}
}
