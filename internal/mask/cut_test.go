package mask

import (
	"strings"
	"testing"
)

// TestCutPlaceholder cuts placeholders at every place: no output shows what they are made of.
func TestCutPlaceholder(t *testing.T) {
	m := New()
	text := []rune("a " + m.Add("one-value") + "b" + m.Add("another-value") + " c")
	id := strings.Split(string(text), ".")[1]
	for i := range text {
		for _, piece := range []string{string(text[:i]), string(text[i:]), "x" + string(text[i:]) + "y", string(text[i : i+1])} {
			got := m.Mask(piece)
			if strings.ContainsAny(got, opening+closing) || strings.Contains(got, id) || strings.Contains(got, "secret.") && i > 9 {
				t.Errorf("%q is shown as %q", piece, got)
			}
		}
	}
	for in, want := range map[string]string{
		"plain secret. text": "plain secret. text", opening + "secret.": "***", opening + "sehello": "***hello",
		"x" + id + ".3 y": "x*** y", "x" + id[6:] + ".1" + closing + "0": "x***0",
	} {
		if got := m.Mask(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
