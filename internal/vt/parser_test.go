package vt_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"omniexpect/internal/match"
	"omniexpect/internal/vt"
)

// events writes down what a parser makes of the pieces of an input. Neighbouring texts are joined, so that it is the same
// however the input is cut.
func events(t testing.TB, opts vt.Options, pieces ...string) string {
	t.Helper()
	p := vt.New(opts)
	var b strings.Builder
	last := vt.None
	for _, piece := range pieces {
		idle := 0
		for in := []byte(piece); len(in) > 0; {
			e := p.Next(in)
			if e.N < 0 || e.N > len(in) {
				t.Fatalf("%q: %d bytes taken of %q", pieces, e.N, in)
			}
			if idle++; e.N > 0 {
				idle = 0
			} else if idle > 4 {
				t.Fatalf("%q: nothing is taken of %q", pieces, in)
			}
			in = in[e.N:]
			write(&b, &p, e, last)
			if e.Kind != vt.None {
				last = e.Kind
			}
		}
	}
	if torn := p.Finish(); len(torn) > 0 {
		fmt.Fprintf(&b, " torn %q", torn)
	}
	if p.Inside() {
		b.WriteString(" …")
	}
	return strings.TrimSpace(b.String())
}

func write(b *strings.Builder, p *vt.Parser, e vt.Event, last vt.Kind) {
	switch e.Kind {
	case vt.Print, vt.Data:
		if last != e.Kind {
			b.WriteString(map[vt.Kind]string{vt.Print: " ", vt.Data: " ="}[e.Kind])
		}
		b.Write(e.Text)
	case vt.Invalid:
		fmt.Fprintf(b, " !%02x", e.Byte)
	case vt.Execute:
		fmt.Fprintf(b, " ^%02x", e.Byte)
	case vt.Esc:
		fmt.Fprintf(b, " ESC%s%c", p.Intermediates(), e.Byte)
	case vt.CSI:
		fmt.Fprintf(b, " CSI%s%c", arguments(p), e.Byte)
	case vt.Start:
		fmt.Fprintf(b, " {%c", e.Byte)
		if e.Byte == 'P' {
			fmt.Fprintf(b, "%s%c", arguments(p), p.Final())
		}
	case vt.End:
		b.WriteString(" }")
		if p.Truncated() {
			b.WriteString("~")
		}
		if e.Cancelled {
			b.WriteString("!")
		}
	}
}

func arguments(p *vt.Parser) string {
	var b strings.Builder
	if p.Private() != 0 {
		b.WriteByte(p.Private())
	}
	for i := range p.Params() {
		if i > 0 {
			sep := byte(';')
			if p.Joined(i) {
				sep = ':'
			}
			b.WriteByte(sep)
		}
		if n := p.Param(i, -1); n >= 0 {
			fmt.Fprint(&b, n)
		}
	}
	return b.String() + p.Intermediates()
}

var utf8 = vt.Options{UTF8: true}

func TestEvents(t *testing.T) {
	c1 := vt.Options{UTF8: true, C1: true}
	bytes8 := vt.Options{C1: true}
	for _, tt := range []struct {
		name     string
		opts     vt.Options
		in, want string
	}{
		{"text", utf8, "héllo 漢\r\n", "héllo 漢 ^0d ^0a"},
		{"true colour", utf8, "a\x1b[38;2;249;38;114mb", "a CSI38;2;249;38;114m b"},
		{"sub-parameters", utf8, "\x1b[4:3;38:2::1:2:3m", "CSI4:3;38:2::1:2:3m"},
		{"no parameters, empty ones", utf8, "\x1b[m\x1b[;Hx\x1b[5;H", "CSIm CSI;H x CSI5;H"},
		{"private markers", utf8, "\x1b[?1049h\x1b[>4;1m\x1b[=c\x1b[<u", "CSI?1049h CSI>4;1m CSI=c CSI<u"},
		{"a marker in the middle", utf8, "\x1b[1?2hx", "x"},
		{"intermediates", utf8, "\x1b[3 q\x1b[!p\x1b[1$\"z", "CSI3 q CSI!p CSI1$\"z"},
		{"too many intermediates", utf8, "\x1b[ !\"qx\x1b !\"0", "x ESC !0"},
		{"parameters behind an intermediate", utf8, "\x1b[1 2mx", "x"},
		{"charsets, keypad", utf8, "\x1b(B\x1b)0\x1b=\x1b#8\x1b7", "ESC(B ESC)0 ESC= ESC#8 ESC7"},
		{"title by BEL, by ST", utf8, "\x1b]0;tïtle\x07a\x1b]2;x\x1b\\b", "{] =0;tïtle } a {] =2;x } b"},
		{"link", utf8, "\x1b]8;;http://x/\x1b\\here\x1b]8;;\x1b\\", "{] =8;;http://x/ } here {] =8;; }"},
		{"DCS", utf8, "\x1bP1;2$q\"p\x07x\x1b\\a\x1bP\x1b\\b", "{P1;2$q =\"p\x07x } ab"},
		{"DCS whose parameters make no sense", utf8, "\x1bP1?2qtext\x1b\\a", "a"},
		{"DCS with a character among its parameters", utf8, "\x1bP1é\x1b\\a", "a"},
		{"APC, PM, SOS", utf8, "\x1b_Gx\x1b\\\x1b^p\x1b\\\x1bXs\x1b\\", "{_ =Gx } {^ =p } {X =s }"},
		{"a string cancelled", utf8, "\x1b]0;t\x18a\x1bPqx\x1ab", "{] =0;t }! a {Pq =x }! b"},
		{"a string cut by a sequence", utf8, "\x1b]0;t\x1b[1mx", "{] =0;t }! CSI1m x"},
		{"a sequence in a sequence", utf8, "\x1b[3\x1b[1ma", "CSI1m a"},
		{"a sequence cancelled", utf8, "\x1b[3\x18a\x1b\x1ab", "ab"},
		{"controls within", utf8, "\x1b[3\n1ma\x1b\rM", "^0a CSI31m a ^0d ESCM"},
		{"a character within", utf8, "\x1b[3éa\x1béb", "éaéb"},
		{"DEL", utf8, "a\x7f\x1b[3\x7f1m", "a ^7f CSI31m"},
		{"unfinished", utf8, "a\x1b[3", "a …"},
		{"bounds", utf8, "\x1b[99999999999;" + strings.Repeat("1;", 40) + "5m", "CSI65535;" + strings.Repeat("1;", 30) + "1m"},
		{"invalid UTF-8", utf8, "a\xffb\xe2\x82c\xed\xa0\x80", "a !ff b !e2 !82 c !ed !a0 !80"},
		{"torn", utf8, "a\xe2\x82", "a torn \"\\xe2\\x82\""},
		{"C1 is text", utf8, "a\u009b1mb", "a\u009b1mb"},
		{"C1 in UTF-8", c1, "a\u009b1mb\u009d0;t\u009cc\u0085\u0090qx\u009cé", "a CSI1m b {] =0;t } c ^85 {Pq =x } é"},
		{"half a C1 in a string", c1, "\u009d0;\u00c9\xc2\x07", "{] =0;É\xc2 }"},
		{"C1 as bytes", bytes8, "a\x9b1mb\x9d0;t\x9cc\x85\xe9", "a CSI1m b {] =0;t } c ^85 \xe9"},
		{"bytes", vt.Options{}, "\xff\x9b\xc3\xa9", "\xff\x9b\xc3\xa9"},
		{"a long string", vt.Options{UTF8: true, MaxString: 4}, "\x1b]0;title\x07x", "{] =0;ti }~ x"},
	} {
		if got := events(t, tt.opts, tt.in); got != tt.want {
			t.Errorf("%s: %q is\n%q, want\n%q", tt.name, tt.in, got, tt.want)
		}
		for i := range tt.in {
			if got := events(t, tt.opts, tt.in[:i], tt.in[i:]); got != tt.want {
				t.Errorf("%s: %q cut at %d is\n%q, want\n%q", tt.name, tt.in, i, got, tt.want)
			}
		}
	}
}

// alphabet is what random inputs are made of.
var alphabet = []string{"x", "y", "zx y", "é", "漢", "\u009b", "\u009c", "\xc2", "\xff", "\xe2\x82", "\x9b", "\x9c", "\r\n", "\a", "\x18", "\x00",
	"\x1b", "\x1b[", "\x1b[31m", "\x1b[38:2::1;2;3", "\x1b]0;", "\x1b\\", "\x1bP", "\x1bP1$q", "\x1b_", "\x1b(B", "\x1b(", "?", ";", ":", "5", "$", "m",
	"\x1b[?1;2c", "q", "0123456789012345678901234567890123456789"}

func random(rnd *rand.Rand, without string) string {
	var b strings.Builder
	for range rnd.IntN(24) {
		if s := alphabet[rnd.IntN(len(alphabet))]; !strings.ContainsAny(s, without) {
			b.WriteString(s)
		}
	}
	return b.String()
}

func chop(s string, rnd *rand.Rand) (pieces []string) {
	for len(s) > 0 {
		n := 1 + rnd.IntN(min(len(s), 5))
		pieces, s = append(pieces, s[:n]), s[n:]
	}
	return pieces
}

var modes = []vt.Options{{}, {UTF8: true}, {C1: true}, {UTF8: true, C1: true}, {UTF8: true, MaxString: 3}}

func TestAnyCut(t *testing.T) {
	for seed := range uint64(20000) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		in, opts := random(rnd, ""), modes[rnd.IntN(len(modes))]
		want := events(t, opts, in)
		if pieces := chop(in, rnd); events(t, opts, pieces...) != want {
			t.Fatalf("%+v: %q is %q, in one piece %q", opts, pieces, events(t, opts, pieces...), want)
		}
	}
}

func FuzzCut(f *testing.F) {
	for i, s := range alphabet {
		f.Add([]byte("x"+s+"1;2my"), uint64(i))
	}
	f.Fuzz(func(t *testing.T, in []byte, seed uint64) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		opts := modes[rnd.IntN(len(modes))]
		want := events(t, opts, string(in))
		if pieces := chop(string(in), rnd); events(t, opts, pieces...) != want {
			t.Fatalf("%+v: %q is %q, in one piece %q", opts, pieces, events(t, opts, pieces...), want)
		}
	})
}

// TestTextIsThatOfTheMatcher compares what counts as characters with the text view. Only letters are looked at, since the
// view has line ends and blanks for movements, and only such that move nothing where they end a sequence.
func TestTextIsThatOfTheMatcher(t *testing.T) {
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune("xyzqé漢\ufffd", r) {
				return r
			}
			return -1
		}, s)
	}
	for seed := range uint64(20000) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		in := random(rnd, "")
		p := vt.New(utf8)
		var got bytes.Buffer
		for b := []byte(in); len(b) > 0; {
			e := p.Next(b)
			switch b = b[e.N:]; e.Kind {
			case vt.Print:
				got.Write(e.Text)
			case vt.Invalid:
				got.WriteString("\ufffd")
			}
		}
		for range p.Finish() {
			got.WriteString("\ufffd")
		}
		if got, want := letters(got.String()), letters(string(match.Plain([]byte(in), 24, 80))); got != want {
			t.Fatalf("%q has the characters %q, in the text view %q", in, got, want)
		}
	}
}

func TestCopyIsACheckpoint(t *testing.T) {
	take := func(p *vt.Parser, in string) (e vt.Event) {
		for b := []byte(in); len(b) > 0; b = b[e.N:] {
			e = p.Next(b)
		}
		return e
	}
	p := vt.New(utf8)
	take(&p, "\x1b[3")
	q := p
	take(&p, "1;7m")
	if e := take(&q, "2;5H"); e.Kind != vt.CSI || q.Param(0, 0) != 32 || q.Param(1, 0) != 5 || p.Param(1, 0) != 7 || p.Param(2, 9) != 9 {
		t.Errorf("%+v from %+v", e, q)
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain\n\ttext é 漢":                 "plain\n\ttext é 漢",
		"\x1b]0;t\x07\x1b[2J\r\x00\x7f\b":   `\x1b]0;t\x07\x1b[2J\r\x00\x7f\x08`,
		"\x9b31m \u009b31m \u009d0;t\u009c": `\x9b31m \u009b31m \u009d0;t\u009c`,
		"a\u202eb\u2066c\u2069\u200e":       `a\u202eb\u2066c\u2069` + "\u200e",
		"\xe2\x82":                          `\xe2\x82`,
	} {
		if got := vt.Visible(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}

func TestFastPath(t *testing.T) {
	long := strings.Repeat("printable text ", 10)
	for i := range long {
		for _, c := range []string{"\n", "\x1f", "\x7f", "\x80", "\xff", "\x00"} {
			if got := vt.Printable([]byte(long[:i] + c + long)); got != i {
				t.Fatalf("%d printable bytes before %q, got %d", i, c, got)
			}
		}
	}
	for in, want := range map[string]int{"\x1b[m": 3, "\x1b[38:5;1mx": 9, "\x1b[1": 0, "\x1b[1Hm": 0, "\x1b]m": 0, "": 0} {
		if got := vt.Colour([]byte(in)); got != want {
			t.Errorf("%q: %d, want %d", in, got, want)
		}
	}
	p := vt.New(utf8)
	text := []byte(strings.Repeat("\x1b[1;31mred é\x1b[0m\r\n\x1b]0;title\x07", 20))
	if n := testing.AllocsPerRun(10, func() {
		for b := text; len(b) > 0; {
			b = b[p.Next(b).N:]
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkNext(b *testing.B) {
	for name, unit := range map[string]string{
		"plain": "-rw-r--r-- 1 user group 4096 Nov 30 12:00 some-file-name.txt\r\n",
		"drawn": "\x1b[1;32muser\x1b[0m:\x1b[38;2;1;2;3m~/x é\x1b[0m$ \x1b[K\x1b]0;title\x07\r\n",
	} {
		text := []byte(strings.Repeat(unit, 1000))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			p := vt.New(utf8)
			for b.Loop() {
				for in := text; len(in) > 0; {
					in = in[p.Next(in).N:]
				}
			}
		})
	}
}
