package starjson_test

import (
	"strings"
	"testing"

	"go.starlark.net/starlark"

	"omniexpect/internal/starjson"
)

// TestDeep makes sure that a text's depth ends a call and not the process.
func TestDeep(t *testing.T) {
	many := strings.Repeat
	for text, ok := range map[string]bool{
		`{"a": [1]}`: true, "[" + many(`"[\"[", `, 20_000) + "1]": true,
		many("[", 9000) + many("]", 9000): true,
		many("[", 20_000_000):             false,
		many(`{"a":`, 20_000):             false,
	} {
		_, err := starlark.Call(&starlark.Thread{}, starjson.Decode(), starlark.Tuple{starlark.String(text)}, nil)
		if (err == nil) != ok {
			t.Errorf("%.20s…: %v", text, err)
		}
		if !ok && !strings.Contains(err.Error(), "nested more than 10000 levels") {
			t.Errorf("%.20s…: %v", text, err)
		}
	}
	kw := []starlark.Tuple{{starlark.String("default"), starlark.MakeInt(7)}}
	v, err := starlark.Call(&starlark.Thread{}, starjson.Decode(), starlark.Tuple{starlark.String(many("[", 20_000))}, kw)
	if err != nil || v != starlark.MakeInt(7) {
		t.Errorf("with a default: %v, %v", v, err)
	}
	if m := starjson.Module(); len(m.Members) != 4 || m.Members["encode"] == nil || m.Members["indent"] == nil {
		t.Errorf("members: %v", m.Members)
	}
}
