package mask

import (
	"fmt"
	"strings"
	"testing"
)

// What an encoder writes is kept once for each secret, however many texts it stands in, and is turned back.
func TestSpelled(t *testing.T) {
	m := New()
	plain, quoted := m.Add("plain-token"), m.Add(`a"secret"b`)
	double := func(s string) string { return strings.ReplaceAll(s, `"`, `""`) }
	for i := range 1000 {
		text := fmt.Sprintf(`"%d" %s and %s`, i, plain, quoted)
		got := m.Spelled(text, double)
		if want := fmt.Sprintf(`""%d"" plain-token and a""secret""b`, i); m.Resolve(got) != want {
			t.Fatalf("got %q, want %q", m.Resolve(got), want)
		}
		if want := fmt.Sprintf(`""%d"" *** and ***`, i); m.Mask(got) != want {
			t.Fatalf("shown as %q, want %q", m.Mask(got), want)
		}
		if back := m.Original(got); m.Resolve(back) != fmt.Sprintf(`""%d"" plain-token and a"secret"b`, i) {
			t.Fatalf("back is %q", m.Resolve(back))
		}
	}
	if n := len(m.values); n != 3 {
		t.Errorf("keeps %d values, want two secrets and a spelling", n)
	}
	again := m.Spelled(m.Spelled(quoted, double), double)
	if m.Resolve(again) != `a""""secret""""b` || m.Resolve(m.Original(m.Original(again))) != `a"secret"b` {
		t.Errorf("twice: %q", m.Resolve(again))
	}
}
