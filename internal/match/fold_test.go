package match

import "testing"

// TestFolded has rows that a program has written over.
func TestFolded(t *testing.T) {
	for in, want := range map[string]string{
		"N\bNA\bAM\bME\bE\n":        "NAME\n",
		"_\bH_\bi there":            "Hi there",
		"hello wo \brld":            "hello world",
		"pass 10%\x1b[3D50%\n":      "pass 50%\n",
		"abc\b\b":                   "abc",
		"a\b \bx\r\nb":              "x\nb",
		"\b\bx":                     "x",
		"one\ntwo\b\b\bTWO\nthree":  "one\nTWO\nthree",
		"10%\r20%\b\b\b30%":         "10%\r30%",
		"漢\b\b字":                    "字",
		"漢字\b\bx":                   "漢x ",
		"e\u0301\b\bE":              "E",
		"ab\b\u0301c":               "a\u0301c",
		"plain":                     "plain",
		"\x1b[1mbo\x1b[0m\x1b[2Dld": "ld",
		"x\x1b[D\x1b[Cy":            "xy",
		"tab\tx\by":                 "tab\ty",
	} {
		if got := string(Folded([]byte(in))); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
