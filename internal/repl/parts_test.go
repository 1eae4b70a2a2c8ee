package repl

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.starlark.net/starlark"

	"omniexpect/internal/dsl"
)

func TestPlainLines(t *testing.T) {
	for text, want := range map[string]string{
		"a\nb\n": "a\nb\n", "10%\r99%\n": "99%\n", "abc\rx": "xbc", "ab\bX": "aX", "a\tb": "a       b", "\a\x00x": "x",
	} {
		if got := plainLines(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	for flood, want := range map[bool]int{false: maxNews, true: maxFlood} {
		got, cut := newest(strings.Repeat("x\n", 300), flood)
		if strings.Count(got, "x\n") != want || !strings.HasPrefix(got, fmt.Sprintf("… %d lines left out", 300-want)) || !cut {
			t.Errorf("flood %v: got %q", flood, got)
		}
	}
	if got, cut := newest("x\ny\n", true); got != "x\ny\n" || cut {
		t.Errorf("got %q, %v", got, cut)
	}
}

// TestHistory keeps entries of several lines, forgets what becomes a secret, and what is older than there is room for.
func TestHistory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a", "history")
	secret := ""
	is := func(s string) bool { return secret != "" && strings.Contains(s, secret) }
	h := newHistory(file, is)
	for _, e := range []string{"one", "def f():\n    return \"\\n\"", "x = \"hush\"", "x = \"hush\"", " "} {
		h.add(e)
	}
	other := newHistory(file, is)
	if want := []string{"one", "def f():\n    return \"\\n\"", "x = \"hush\""}; !slices.Equal(other.entries, want) {
		t.Errorf("got %q, want %q", other.entries, want)
	}
	secret = "hush"
	h.add("y = 2")
	text, _ := os.ReadFile(file)
	if strings.Contains(string(text), "hush") || !strings.Contains(string(text), "y = 2") {
		t.Errorf("the file has %q", text)
	}
	for i := range 3 * maxHistory {
		h.add(strings.Repeat("z", i%7+1))
	}
	if n := len(newHistory(file, is).entries); n > maxHistory || n < maxHistory/2 {
		t.Errorf("%d entries", n)
	}
	st, err := os.Stat(file)
	if err != nil || st.Mode().Perm() != 0o600 || st.Size() > 100*maxHistory {
		t.Errorf("%v, %v", st, err)
	}
}

func TestSecretLiterals(t *testing.T) {
	text := "x = 1\ns.send_secret(\"é1\", timeout = 3)\nk = [secret('two'), secret(v)]"
	hide := func(*dsl.Call, dsl.None) (starlark.Value, error) { return nil, nil }
	v := &dsl.Vocabulary{Funcs: []*dsl.Func{dsl.Define("secret", "secret", "", "", dsl.None{}, hide).As(dsl.Conceals)},
		Types: []*dsl.Type{{Methods: []*dsl.Func{dsl.Define("send_secret", "None", "", "", dsl.None{}, hide).As(dsl.Conceals)}}}}
	for _, begun := range []string{"k = [secret('tw", "s.send_secret(r", `x = secret("`} {
		if !beginsSecret(begun, v) {
			t.Errorf("%s begins no secret", begun)
		}
	}
	for _, plain := range []string{"secret(v", "send('x", "my_secret('x"} {
		if beginsSecret(plain, v) {
			t.Errorf("%s begins a secret", plain)
		}
	}
	found := secretLiterals(text, v)
	if len(found) != 2 || text[found[0].from:found[0].to] != "\"é1\"" || text[found[1].from:found[1].to] != "secret('two')" {
		t.Errorf("got %+v", found)
	}
}

func TestKeys(t *testing.T) {
	names := sequences()
	var got []string
	in := []byte("a\x1b[A\x1bOB\x1b[1;5C\x1b[99~é\x03\x1b[200~p\rq\x1b[201~z\x1b")
	for len(in) > 0 {
		k, rest, more := nextKey(in, names, false)
		if more {
			k, rest, _ = nextKey(in, names, true)
		}
		got, in = append(got, k.name+":"+k.text), rest
	}
	want := []string{":a", "up:", "down:", "word-right:", "unknown:", ":é", "ctrl-c:", "paste:p\rq", ":z", "unknown:"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
