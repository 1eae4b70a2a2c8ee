package explain_test

import (
	"strings"
	"testing"

	"omniexpect/internal/explain"
	"omniexpect/internal/match"
)

// TestWhy: each reason why a pattern did not match is found from what a session has seen.
func TestWhy(t *testing.T) {
	re := func(s string) match.Pattern { return match.Pattern{Source: s} }
	exact := func(s string) match.Pattern { return match.Pattern{Kind: match.Exact, Source: s} }
	glob := func(s string) match.Pattern { return match.Pattern{Kind: match.Glob, Source: s} }
	for _, test := range []struct {
		name    string
		pattern match.Pattern
		seen    explain.Evidence
		want    string // "" for no reason
	}{
		{"it is there", re("Ready"), explain.Evidence{Unread: []byte("Ready")}, ""},
		{"nothing like it", re("Ready"), explain.Evidence{Unread: []byte("login:")}, ""},
		{"other case", re("ready"), explain.Evidence{Unread: []byte("Ready")}, "regex(…, ignore_case=True)"},
		{"other case of a text", exact("ready"), explain.Evidence{Unread: []byte("Ready")}, "exact(…, ignore_case=True)"},
		{"brackets", re("[sudo] password"), explain.Evidence{Unread: []byte("[sudo] password for me:")}, `write exact("[sudo] password")`},
		{"brackets in an expression", re("[sudo] pass.*:"), explain.Evidence{Unread: []byte("[sudo] password for me:")}, `write \[ and \]`},
		{"a dollar", re(`me@host.*$ `), explain.Evidence{Unread: []byte("me@host:~$ ")}, `write \$`},
		{"two kinds at once", re(`[ab] .* $ `), explain.Evidence{Unread: []byte("[ab] c $ ")}, "; "},
		{"a question mark in a glob", glob("really? [y/n]"), explain.Evidence{Unread: []byte("really? [y/n]")}, `exact("really? [y/n]")`},
		{"a carriage return", re(`done\r\n`), explain.Evidence{Unread: []byte("done\n")}, `leave the \r away`},
		{"no line end after it", re(`done\n`), explain.Evidence{Unread: []byte("done")}, "no line end after it"},
		{"a line's beginning", re(`^two`), explain.Evidence{Unread: []byte("one\ntwo")}, "write (?m) before it"},
		{"the dot and a line end", re(`one.two`), explain.Evidence{Unread: []byte("one\ntwo")}, "write (?s) before it"},
		{"other blanks", exact("one two"), explain.Evidence{Unread: []byte("one\ttwo")}, `write \s+`},
		{"a blank too many", exact("one two "), explain.Evidence{Unread: []byte("one two")}, "without the blank"},
		{"drawn over", exact("50%"), explain.Evidence{Unread: []byte("10%50"), Bytes: []byte("10%\b\b\b50")}, "went back over what it had written"},
		{"letters that look the same", exact("ready"), explain.Evidence{Unread: []byte("re\u0430dy")}, "U+0430"},
		{"only in the text view", exact("one two"), explain.Evidence{Raw: true, Unread: []byte("one \x1b[1mtwo"), Text: []byte("one two")}, "it is there in the text view"},
		{"an escape sequence", re(`\x1b\[1mtwo`), explain.Evidence{Unread: []byte("two")}, `view="raw"`},
		{"sent and not echoed", exact("hello"), explain.Evidence{Sent: "hello"}, "does not echo that"},
		{"in a folded echo", exact("hello"), explain.Evidence{Sent: "hello", Echoed: true, Cols: 4}, "wraps that line at its 4 columns"},
		{"consumed", exact("Ready"), explain.Evidence{All: []byte("Ready")}, "an earlier wait consumed it"},
		{"dropped", exact("Ready"), explain.Evidence{All: []byte("Ready"), Lost: 5, Limit: 7}, "keeps more than 7"},
		{"an end", match.Pattern{Kind: match.EOF}, explain.Evidence{}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			name := func(p match.Pattern) string { return "it" }
			got := strings.Join(test.seen.Patterns([]match.Pattern{test.pattern}, name), "\n")
			if test.want == "" && got != "" || !strings.Contains(got, test.want) {
				t.Errorf("%s: %q, want %q", test.pattern, got, test.want)
			}
		})
	}
}

// TestState: what the output as a whole is in the middle of.
func TestState(t *testing.T) {
	missing := []match.Pattern{{Source: "Ready"}}
	for want, seen := range map[string]explain.Evidence{
		"draws with cursor movements": {Alternate: true},
		"cursor movements":            {Bytes: []byte("\x1b[3;4Hx")},
		"unfinished control string":   {InString: true},
		"where the cursor is":         {Tail: []byte("\x1b[6n\x1b[0m")},
	} {
		if got := strings.Join(seen.Patterns(missing, match.Pattern.String), "\n"); !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestPagerPrompt: pagers are told from prompts.
func TestPagerPrompt(t *testing.T) {
	for text, want := range map[string]string{
		"text\n:": ":", "text\n(END)": "(END)", "--More--(40%)": "--More--", "lines 1-23": "lines 1-23", "$ ": "", "a: b": "",
		"Manual page ls(1) line 1": "Manual page ls(1) line 1", "Press any key to continue": "Press any key to continue",
	} {
		if got := explain.PagerPrompt(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestDiscerned: what nobody could tell from something else is written by its number.
func TestDiscerned(t *testing.T) {
	for text, want := range map[string]string{"plain": "plain", "a\u00a0b": `a\u00a0b`, "a\u200bb": `a\u200bb`, "\u00e4": "\u00e4", "\U000e0001": `\U000e0001`} {
		if got := explain.Discerned(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
