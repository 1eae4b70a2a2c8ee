package match

import (
	"bytes"
	"fmt"
	"testing"
)

// TestSameBytesAreKeptOnce looks at who has the bytes of output of which the text view is the raw one, up to a place.
func TestSameBytesAreKeptOnce(t *testing.T) {
	plain := bytes.Repeat([]byte("a line of text with \u00e9, a tab\tand a lone\rCR\n"), 3*chunkSize/40)
	for _, tt := range []struct{ name, then, text string }{
		{"nothing else", "", ""},
		{"line ends of a terminal", "a\r\nb", "a\nb"},
		{"a colour", "\x1b[31mred", "red"},
		{"a NUL", "a\x00b", "ab"},
		{"a blank that does not break", "a\u00a0b", "a b"},
		{"a broken character", "a\xffb", "a\ufffdb"},
		{"what looks like a broken character", "a\x0e\x0f\xffb", "a\ufffdb"},
		{"a repeated character", "a\x1b[3b", "aaaa"},
	} {
		s := offline(24, 80, false)
		cut(plain, 7, s.ingest)
		if !s.same() {
			t.Fatalf("%s: text is kept twice", tt.name)
		}
		cut([]byte(tt.then), 7, s.ingest)
		if s.same() != (tt.then == "") {
			t.Errorf("%s: kept once: %v", tt.name, s.same())
		}
		s.trim()
		if got, want := s.text.bytes(0, s.text.end), append(bytes.Clone(plain), tt.text...); !bytes.Equal(got, want) {
			t.Errorf("%s: the text is …%q, want …%q", tt.name, Tail(got, 20), Tail(want, 20))
		}
		if got, want := s.raw.bytes(0, s.raw.end), append(bytes.Clone(plain), tt.then...); !bytes.Equal(got, want) {
			t.Errorf("%s: the raw bytes are …%q, want …%q", tt.name, Tail(got, 20), Tail(want, 20))
		}
	}
}

// TestPartedViewsStayApart has chunks that both views had fall out of one of them first.
func TestPartedViewsStayApart(t *testing.T) {
	once(t)
	begin := bytes.Repeat([]byte("0123456\n"), 9*chunkSize/2/8)
	const much = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	for _, tt := range []struct {
		name, raw, text string
		keep            bool // somebody has a text of before in hand
	}{
		{"much output, little text", "\x1b[1mx", "x", false},
		{"little output, much text", "x\x1b[39b", much, false},
		{"much output, little text, one kept", "\x1b[1mx", "x", true},
		{"little output, much text, one kept", "x\x1b[39b", much, true},
	} {
		s := offline(24, 80, false)
		s.cfg.Limit, s.cfg.History = 6*chunkSize, 6*chunkSize
		s.ingest(begin)
		kept := Kept{text: string(begin[chunkSize:])}
		if tt.keep {
			kept = s.text.keep(chunkSize, s.text.end)
		}
		raw, text := bytes.Clone(begin), bytes.Clone(begin)
		for i := 0; len(raw)+len(text) < 30*chunkSize; i++ {
			s.ingest([]byte(tt.raw))
			s.trim()
			raw, text = append(raw, tt.raw...), append(text, tt.text...)
			if i%500 > 0 {
				continue
			}
			if got := s.text.bytes(s.text.start, s.text.end); !bytes.Equal(got, text[s.text.start:]) {
				t.Fatalf("%s: the text has changed after %d bytes", tt.name, len(text))
			}
			if got := s.raw.bytes(s.raw.start, s.raw.end); !bytes.Equal(got, raw[s.raw.start:]) {
				t.Fatalf("%s: the raw bytes have changed after %d", tt.name, len(raw))
			}
		}
		if kept.String() != string(begin[chunkSize:]) {
			t.Errorf("%s: a text that was kept has changed", tt.name)
		}
	}
}

// TestSameBytesAreBounded has more output than is kept, whose views are the same.
func TestSameBytesAreBounded(t *testing.T) {
	s := offline(24, 80, false)
	s.cfg.Limit, s.cfg.History = 3*chunkSize, 3*chunkSize
	for i := range 10000 {
		s.ingest(fmt.Appendf(nil, "line %d\n", i))
		s.trim()
	}
	if n := len(s.raw.chunks); !s.same() || n > 7 {
		t.Errorf("kept once: %v, in %d chunks", s.same(), n)
	}
	if got := s.text.bytes(s.text.end-10, s.text.end); string(got) != "\nline 9999\n"[1:] {
		t.Errorf("it ends with %q", got)
	}
	if kept := s.text.end - s.text.start; kept != 3*chunkSize {
		t.Errorf("%d bytes of text are kept", kept)
	}
}
