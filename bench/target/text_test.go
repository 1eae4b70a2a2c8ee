package main

import (
	"bytes"
	"regexp"
	"testing"
)

func TestBlockIsExact(t *testing.T) {
	for name, style := range map[string]func([]byte) []byte{"plain": plain, "joined": joined, "coloured": coloured} {
		for _, n := range []int{0, 1, 79, 80, 81, 1000, 4096} {
			if got := len(block(style, n)); got != n {
				t.Errorf("%s: %d bytes, want %d", name, got, n)
			}
		}
	}
}

func TestColourShowsTheSameText(t *testing.T) {
	var a, b text
	sgr := regexp.MustCompile(`\x1b\[[0-9;]*m`)
	for range 200 {
		want, got := plain(a.line()), coloured(b.line())
		if !bytes.Contains(got, []byte("\x1b[")) || !bytes.HasSuffix(got, []byte("\r\n")) {
			t.Fatalf("%q has no colour or no CRLF", got)
		}
		shown := bytes.ReplaceAll(sgr.ReplaceAll(got, nil), []byte("\r"), nil)
		if !bytes.Equal(shown, want) {
			t.Fatalf("shows %q, want %q", shown, want)
		}
	}
}

func TestLinesAreOfOneLength(t *testing.T) {
	for _, line := range bytes.Split(bytes.TrimSuffix(block(plain, 80*50), []byte("\n")), []byte("\n")) {
		if len(line) != columns-1 {
			t.Errorf("a line of %d columns: %q", len(line), line)
		}
	}
	if bytes.ContainsAny(block(joined, 5000), "\n") {
		t.Error("joined lines have a line end")
	}
	if bytes.Contains(block(plain, 100_000), []byte("DONE-")) {
		t.Error("the text has the marker in it")
	}
}
