package starjson_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	starlarkjson "go.starlark.net/lib/json"
	"go.starlark.net/starlark"

	"omniexpect/internal/starjson"
)

func call(f starlark.Value, v starlark.Value) (starlark.Value, error) {
	return starlark.Call(&starlark.Thread{}, f, starlark.Tuple{v}, nil)
}

// FuzzDecode reads what the language's own module reads, with the same errors, and writes it as Go's encoder understands it.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		`null`, ` true `, `[false, 1, -0, 1.5e3, "a\u00e9\ud83d\ude00\\", {}, []]`, `{"a": {"b": [1, 2,]}}`, `{"a" 1}`, `{1: 2}`, `[1 2]`,
		`"\x7f"`, "\"\x7f\"", `"\ud800"`, "\"\xff\"", `01`, `-`, `1e999`, `123456789012345678901234567890`, `nul`, `"`, `{"a": 1, "a": 2}`, `[] x`, "\"a\nb\"",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want, wantErr := call(starlarkjson.Module.Members["decode"], starlark.String(text))
		got, err := call(starjson.Decode(), starlark.String(text))
		if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
			t.Fatalf("%q: %v, want %v", text, err, wantErr)
		}
		if err != nil {
			return
		}
		if got.String() != want.String() || got.Type() != want.Type() {
			t.Fatalf("%q: %s, want %s", text, got, want)
		}
		written, err := call(starjson.Encode(), got)
		if err != nil {
			if !strings.Contains(err.Error(), "not UTF-8") {
				t.Fatalf("%s: %v", got, err)
			}
			return
		}
		check(t, got, string(written.(starlark.String)))
	})
}

// FuzzEncode writes texts so that this module, the language's and Go's read the same text again.
func FuzzEncode(f *testing.F) {
	for _, text := range []string{"", "a", "\x7f", "a\x7f\u0080\u2028\u2029\ufeff", "\"\\\b\f\n\r\t\x00\x1f", "é\U0001f600<&>", "\xff", "\xed\xa0\x80", "\ufffd"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d := starlark.NewDict(1)
		d.SetKey(starlark.String(text), starlark.NewList([]starlark.Value{starlark.String(text)}))
		written, err := call(starjson.Encode(), d)
		if !utf8.ValidString(text) {
			if err == nil || !strings.Contains(err.Error(), "the text is not UTF-8 at byte") {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		s := string(written.(starlark.String))
		check(t, d, s)
		if strings.ContainsAny(s, "\x7f\u2028\u2029") || !strings.Contains(text, "\x7f") && s != fromLibrary(t, d) {
			t.Fatalf("%q: written as %s", text, s)
		}
	})
}

func fromLibrary(t *testing.T, v starlark.Value) string {
	s, err := call(starlarkjson.Module.Members["encode"], v)
	if err != nil {
		t.Fatal(err)
	}
	return string(s.(starlark.String))
}

// check reads a written value again.
func check(t *testing.T, v starlark.Value, written string) {
	t.Helper()
	if !json.Valid([]byte(written)) {
		t.Fatalf("%s: %q is not JSON", v, written)
	}
	again, err := call(starjson.Decode(), starlark.String(written))
	if err != nil {
		t.Fatalf("%s: written as %s: %v", v, written, err)
	}
	if same, err := starlark.EqualDepth(again, v, 10_000); err != nil || !same {
		t.Fatalf("%s: written as %s, which is %s", v, written, again)
	}
	var theirs, ours any
	if json.Unmarshal([]byte(written), &theirs) != nil {
		return // beyond a float
	}
	rewritten, err := json.Marshal(theirs)
	if err != nil || json.Unmarshal(rewritten, &ours) != nil {
		t.Fatalf("%s: %v", written, err)
	}
}
