package interp

import (
	"strings"
	"testing"
)

// TestPhrases looks for lines of syntax.txt that are not read, and for expressions that do not compile.
func TestPhrases(t *testing.T) {
	lines := 0
	for line := range strings.Lines(phraseText) {
		if strings.Contains(line, ": ") && line[0] != '#' {
			lines++
		} else if line != "\n" && line[0] != '#' && line[0] != '[' {
			t.Errorf("%q has no colon", line)
		}
	}
	book := phrases()
	if n := len(book.idioms) + len(book.messages); n != lines || len(book.idioms) < 20 || len(book.messages) < 35 {
		t.Errorf("%d idioms and %d messages of %d lines", len(book.idioms), len(book.messages), lines)
	}
	for _, p := range book.idioms {
		if p.line() == nil || p.hint == "" {
			t.Errorf("%+v", p)
		}
	}
	for _, p := range book.messages {
		if p.said == "" && p.hint == "" || strings.Contains(p.hint, "=>") {
			t.Errorf("%+v", p)
		}
	}
}
