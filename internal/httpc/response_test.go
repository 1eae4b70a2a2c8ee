package httpc

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"omniexpect/internal/fault"
)

func answer(kind, body string) *Response {
	return &Response{Method: "GET", URL: "http://h/", Status: 200, Header: http.Header{"Content-Type": {kind}}, Body: []byte(body)}
}

func TestText(t *testing.T) {
	for _, tt := range []struct{ name, kind, body, want string }{
		{"UTF-8 by default", "text/plain", "gr\u00fc\u00df", "grüß"},
		{"no type", "", "grüß", "grüß"},
		{"header", "text/plain; charset=ISO-8859-1", "gr\xfc\xdf", "grüß"},
		{"Japanese", `text/plain; charset="Shift_JIS"`, "\x93\xfa\x96\x7b", "日本"},
		{"byte order mark", "text/plain", "\xef\xbb\xbfhi", "hi"},
		{"mark against header", "text/plain; charset=latin1", "\xef\xbb\xbfü", "ü"},
		{"UTF-16", "application/json", "\xff\xfe\"\x00\xfc\x00\"\x00", `"ü"`},
		{"meta", "text/html", `<meta charset="windows-1251">` + "\xef\xf0\xe8", `<meta charset="windows-1251">при`},
		{"meta of old", "text/html", `<META http-equiv=Content-Type content="text/html; charset=koi8-r">` + "\xf0", `<META http-equiv=Content-Type content="text/html; charset=koi8-r">П`},
		{"meta in a comment", "text/html", `<!-- <meta charset=koi8-r> -->ü`, `<!-- <meta charset=koi8-r> -->ü`},
		{"html without a word", "text/html", strings.Repeat(" ", 2000) + "ü", strings.Repeat(" ", 2000) + "ü"},
		{"xml", "application/xml", `<?xml version="1.0" encoding='iso-8859-15'?>` + "\xa4", `<?xml version="1.0" encoding='iso-8859-15'?>€`},
		{"unknown charset", "text/plain; charset=klingon", "ü", "ü"},
		{"invalid", "text/plain", "a\xffb", "a\ufffdb"},
	} {
		if got := answer(tt.kind, tt.body).Text(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestJSONErrors(t *testing.T) {
	for _, tt := range []struct{ name, kind, body, msg, detail, hint string }{
		{"empty", "", "", "it is empty", "", ""},
		{"place", "application/json", "{\n \"ä\": [1, 2,]\n}", "line 2, column 13: invalid character ']'", " \"ä\": [1, 2,]\n            ^", ""},
		{"cut", "application/json", `{"a": [1`, "line 1, column 9: it ends too early", "{\"a\": [1\n        ^", ""},
		{"more", "application/json", "{} {}", "line 1, column 4: more text after the end", "{} {}\n   ^", ""},
		{"html", "text/html", "<html>", "line 1, column 1: invalid character '<'", "<html>\n^", "text/html"},
		{"controls", "application/json", "\x1b[1m", "line 1, column 1", `\x1b[1m` + "\n^", ""},
	} {
		_, err := answer(tt.kind, tt.body).JSON()
		if err == nil {
			t.Errorf("%s: no error", tt.name)
			continue
		}
		wantFault(t, err, fault.HTTP, "GET http://h/: the body is not JSON: ", tt.msg)
		f, _ := errors.AsType[*fault.Error](err)
		if f.Detail != tt.detail {
			t.Errorf("%s: detail\n%s\nwant\n%s", tt.name, f.Detail, tt.detail)
		}
		if tt.hint != "" && !strings.Contains(strings.Join(f.Hints, " "), tt.hint) {
			t.Errorf("%s: hints %q", tt.name, f.Hints)
		}
	}
	long := answer("application/json", `["`+strings.Repeat("x", 5000)+`", oops, "`+strings.Repeat("y", 5000)+`"]`)
	_, err := long.JSON()
	if f, _ := errors.AsType[*fault.Error](err); f == nil || len(f.Detail) > 400 || !strings.Contains(f.Detail, "oops") {
		t.Errorf("the detail of a long line: %v", f)
	}
}

func TestJSONPath(t *testing.T) {
	resp := answer("application/json", `{"data": [{"id": 1, "n": 9007199254740993}, {"id": 2}], "e": []}`)
	for path, want := range map[string]string{
		"$.data[*].id":              "[1,2]",
		"$.data[0].n":               "[9007199254740993]",
		"$.data[?@.id > 1].id":      "[2]",
		"$.e[*]":                    "[]",
		"$..id":                     "[1,2]",
		"$.e":                       "[[]]",
		"$.data[?length(@) == 2].n": "[9007199254740993]",
	} {
		got, err := resp.JSONPath(path, nil)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if text, _ := json.Marshal(got); string(text) != want && (want != "[]" || len(got) > 0) {
			t.Errorf("%s: %s, want %s", path, text, want)
		}
	}
	_, err := JSONPath(nil, "data.id")
	wantFault(t, err, fault.Usage, `jsonpath "data.id"`)
}

func TestCheck(t *testing.T) {
	resp := answer("application/json", `{"state": "busy", "n": 3, "list": [1, 2]}`)
	resp.Status = 503
	resp.Header["X-Two"] = []string{"a", "b"}
	test := func([]any) (bool, string, error) { return false, "something even", nil }
	good := Want{Status: []int{200, 503}, Headers: []HeaderWant{{Name: "x-two", Value: "b"}}, Contains: []string{"busy"},
		JSONPath: []PathWant{{Path: "$.n", Value: 3}, {Path: "$.n", Value: 3.0}, {Path: "$.list", Value: []any{1, 2}}, {Path: "$.list[*]", Value: []any{1, 2}}}}
	if err := Check(resp, good); err != nil {
		t.Errorf("what holds fails: %v", err)
	}
	bad := Want{Status: []int{200}, Contains: []string{"done", "BUSY"},
		Headers: []HeaderWant{{Name: "X-Two", Value: "c"}, {Name: "X-None", Value: "1"}},
		JSONPath: []PathWant{{Path: "$.state", Value: "done"}, {Path: "$.none", Value: nil}, {Path: "$.list[*]", Value: 1},
			{Path: "$.n", Test: test}, {Path: "$.n", Value: 3}}}
	err := Check(resp, bad)
	if err == nil {
		t.Fatal("no error")
	}
	wantFault(t, err, fault.HTTP, "GET http://h/: 9 of 10 checks fail: status: expected 200, got 503 Service Unavailable; ")
	if code, _ := statusOf(err); code != 503 {
		t.Errorf("statusOf says %d", code)
	}
	f, _ := errors.AsType[*fault.Error](err)
	for _, want := range []string{
		"- status: expected 200, got 503 Service Unavailable\n",
		`- header X-Two: expected "c", got "a" and "b"`,
		`- header X-None: expected "1", got no such header`,
		`- jsonpath $.state: expected "done", got "busy"`,
		`- jsonpath $.none: expected null, got nothing there`,
		`- jsonpath $.list[*]: expected 1, got 2 nodes [1,2]`,
		`- jsonpath $.n: expected something even, got 3`,
		`- body: expected it to contain "done", it does not` + "\n",
		`- body: expected it to contain "BUSY", it does not (in another case it does)`,
		`{"state": "busy"`,
	} {
		if !strings.Contains(f.Detail, want) {
			t.Errorf("detail\n%s\nlacks %q", f.Detail, want)
		}
	}
	if err := Check(resp, Want{JSONPath: []PathWant{{Path: "state"}}}); fault.KindOf(err) != fault.Usage {
		t.Errorf("a wrong path: %v", err)
	}
	err = Check(answer("text/html", "<p>"), Want{JSONPath: []PathWant{{Path: "$.a", Value: 1}}})
	wantFault(t, err, fault.HTTP, "jsonpath $.a: expected 1, got a body that is not JSON")
}

func TestEqual(t *testing.T) {
	n := func(s string) any { return json.Number(s) }
	for _, tt := range []struct {
		a, b any
		want bool
	}{
		{n("1"), 1, true}, {n("1.0"), 1, true}, {n("1e2"), 100.0, true}, {n("1"), "1", false}, {nil, nil, true},
		{n("9007199254740993"), n("9007199254740992"), false}, {n("1e999999999"), n("1e999999999"), false}, {true, 1, false},
		{map[string]any{"a": n("1")}, map[string]any{"a": 1}, true}, {map[string]any{"a": nil}, map[string]any{"b": nil}, false},
		{[]any{n("1")}, []any{1, 2}, false}, {[]any{}, nil, false},
	} {
		if Equal(tt.a, tt.b) != tt.want {
			t.Errorf("Equal(%v, %v) is %t", tt.a, tt.b, !tt.want)
		}
	}
}

func TestExcerpt(t *testing.T) {
	long := answer("text/plain", strings.Repeat("a", 9000)+"Needle"+strings.Repeat("b", 9000))
	if got := long.Excerpt("needle"); !strings.Contains(got, "Needle") || len(got) > 2200 {
		t.Errorf("%d bytes", len(got))
	}
	if got := long.Excerpt(""); !strings.HasSuffix(got, "(16006 more characters)") {
		t.Errorf("%q", got)
	}
	if got := answer("image/png", "\x89PNG\x00\x00").Excerpt(""); got != "(6 bytes of image/png)" {
		t.Errorf("%q", got)
	}
}
