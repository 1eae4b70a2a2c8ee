package keys

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"omniexpect/internal/match"
)

// TestFilter: the program does not get what a pattern matched, of whatever kind it is, however the keys come.
func TestFilter(t *testing.T) {
	re := func(s string) match.Pattern { return match.Pattern{Source: s} }
	exact := func(s string) match.Pattern { return match.Pattern{Kind: match.Exact, Source: s} }
	for _, test := range []struct {
		patterns []match.Pattern
		typed    string
		program  string // what it gets, and what is held back at the end in brackets
		hits     []string
	}{
		{[]match.Pattern{re(`[qQ]`)}, "aqb\r", "ab\r", []string{"0 q"}},
		{[]match.Pattern{re(`[a-z]`)}, "abC", "C", []string{"0 a", "0 b"}},
		{[]match.Pattern{{Kind: match.Exact, Source: "q", IgnoreCase: true}}, "aQb", "ab", []string{"0 Q"}},
		{[]match.Pattern{{Kind: match.Glob, Source: "q?t"}}, "aqitq\rt", "aq\rt", []string{"0 qit"}},
		{[]match.Pattern{{Kind: match.Glob, Source: "Q?T", IgnoreCase: true}}, "q\u00e4t", "", []string{"0 q\u00e4t"}},
		{[]match.Pattern{{Kind: match.Bytes, Source: "\xff\xfe"}}, "a\xff\xffb\xff\xfe", "a\xff\xffb", []string{"0 \xff\xfe"}},
		{[]match.Pattern{exact("quit\n")}, "quix quit\r", "quix ", []string{"0 quit\n"}},
		{[]match.Pattern{exact("\r")}, "a\r\n", "a\n", []string{"0 \r"}},
		{[]match.Pattern{re(`let me (\w+)\n`)}, "let us let me out\rx", "let us x", []string{"0 let me out\n out"}},
		{[]match.Pattern{re(`let me (\w+)\r`)}, "let me out\r", "", []string{"0 let me out\r out"}},
		{[]match.Pattern{re(`^(?P<all>q+)!`)}, "aqq!\rqq!", "aqq!\r", []string{"0 qq! qq"}},
		{[]match.Pattern{re(`(?m)^q`)}, "aq\rqq", "aq\r", []string{"0 q", "0 q"}},
		{[]match.Pattern{re(`\bq`)}, "aq q", "aq ", []string{"0 q"}},
		{[]match.Pattern{re(`q$`)}, "aq", "a", []string{"0 q"}},
		{[]match.Pattern{re(`\bno\b`)}, "nono xno", " xno", []string{"0 no", "0 no"}}, // the program has got nothing in front of the second
		{[]match.Pattern{exact("abc"), exact("b")}, "abc", "ac", []string{"1 b"}},
		{[]match.Pattern{exact("abc"), re("b[xy]")}, "abxabc", "a", []string{"1 bx", "0 abc"}},
		{[]match.Pattern{exact("ab"), re("[b]")}, "ab", "", []string{"0 ab"}},
		{[]match.Pattern{re("[b]"), exact("b")}, "b", "", []string{"0 b"}},
		{[]match.Pattern{exact("aab")}, "aaab aa", "a [aa]", []string{"0 aab"}},
		{[]match.Pattern{re("\u00e4[\u00f6o]\u00fc")}, "\u00e4\u00f6\u00fc\u00e4x", "\u00e4x", []string{"0 \u00e4\u00f6\u00fc"}},
		{[]match.Pattern{re(`[^a]x`)}, "\xc3x\xc3", "[\xc3]", []string{"0 \xc3x"}},
		{[]match.Pattern{re(`\.\.\.`)}, "a..b..", "a..b[..]", nil},
		{[]match.Pattern{re(`.*stop`)}, "ab\x03cd\x1b[A stop", "ab\x03cd\x1b", []string{"0 [A stop"}},
		{[]match.Pattern{re(`.*stop`)}, "abc\rstop", "abc\r", []string{"0 stop"}},
		{[]match.Pattern{re(`[\x03\x04]`)}, "a\x03b\x04", "ab", []string{"0 \x03", "0 \x04"}},
		{[]match.Pattern{re(`(?i)"[^"]*"`)}, "say \"hi\" \"x", "say  [\"x]", []string{`0 "hi"`}},
		{[]match.Pattern{re(`a|ab`)}, "ab", "b", []string{"0 a"}},
		{[]match.Pattern{re(`(a)|(b)`)}, "ba", "", []string{"0 b  b", "0 a a "}},
	} {
		for _, size := range []int{1, 2, 3, 1000} {
			ty := NewFilter()
			for i, p := range test.patterns {
				if err := ty.Add(p, i); err != nil {
					t.Fatal(err)
				}
			}
			program, hits := typedIn(&ty, test.typed, size)
			if len(ty.held) > 0 {
				program += "[" + string(ty.held) + "]"
			}
			if program != test.program || !reflect.DeepEqual(hits, test.hits) {
				t.Errorf("%v: typed %q in pieces of %d: the program gets %q, hits %q, want %q, %q", test.patterns, test.typed, size,
					program, hits, test.program, test.hits)
			}
		}
	}
}

func typedIn(ty *Filter, keys string, size int) (program string, hits []string) {
	for p := []byte(keys); len(p) > 0; p = p[min(size, len(p)):] {
		for piece := p[:min(size, len(p))]; len(piece) > 0; {
			pass, hit, rest := ty.Feed(piece)
			program, piece = program+string(pass), rest
			if hit != nil {
				hits = append(hits, fmt.Sprint(hit.Index, " ", strings.Join(hit.Groups, " ")))
			}
		}
	}
	return program, hits
}

// TestFilterBound: what is held back for an expression without an end has a bound, and a paste passes through whole.
func TestFilterBound(t *testing.T) {
	paste := strings.Repeat("paste of some kilobytes ", 450)
	for _, test := range []struct {
		expr, typed, program, hit string
	}{
		{`"[^"]*"`, `"` + paste + `"x`, `"` + paste, ""},
		{`x[0-9]+y`, paste + "x12y", paste, "0 x12y"},
		{`.*!`, paste + "!", "", ""},
	} {
		ty := NewFilter()
		if err := ty.Add(match.Pattern{Source: test.expr}, 0); err != nil {
			t.Fatal(err)
		}
		program, hits := typedIn(&ty, test.typed, 4096)
		switch {
		case test.program != "" && program != test.program:
			t.Errorf("%s: the program gets %d bytes, want %d", test.expr, len(program), len(test.program))
		case test.program == "" && (len(hits) != 1 || len(program)+len(hits[0])-2 != len(test.typed)):
			t.Errorf("%s: the program gets %d bytes, and %d hits", test.expr, len(program), len(hits))
		case test.hit != "" && !reflect.DeepEqual(hits, []string{test.hit}):
			t.Errorf("%s: hits %q", test.expr, hits)
		}
	}
}

// TestFilterRefuses: what could match all the time, or never.
func TestFilterRefuses(t *testing.T) {
	for _, test := range []struct {
		p    match.Pattern
		want string
	}{
		{match.Pattern{Source: "x*"}, "may match when nothing is typed"},
		{match.Pattern{Source: "^"}, "may match when nothing is typed"},
		{match.Pattern{Source: `(a|b)?`, IgnoreCase: true}, "may match when nothing is typed"},
		{match.Pattern{Source: "(x"}, "missing closing"},
		{match.Pattern{Kind: match.Exact}, "empty text"},
		{match.Pattern{Kind: match.Glob, Source: "[a"}, "no ]"},
		{match.Pattern{Kind: match.EOF}, "cannot be typed"},
	} {
		ty := NewFilter()
		if err := ty.Add(test.p, 0); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.p, err, test.want)
		}
	}
}

// FuzzFilter: nothing that is typed is lost or doubled, and a match is what package regexp takes for one.
func FuzzFilter(f *testing.F) {
	f.Add(`[qQ]|ab+c`, "xabbcq\rab")
	f.Add(`^a.*\bz`, "a\u00e4 z\x03a")
	f.Fuzz(func(t *testing.T, expr, keys string) {
		ty := NewFilter()
		if len(expr) > 100 || ty.Add(match.Pattern{Source: expr}, 0) != nil {
			t.Skip()
		}
		re := regexp.MustCompile(`\A(?:` + regexp.MustCompile(expr).String() + `)`)
		var all []byte
		for p := []byte(keys); len(p) > 0; {
			pass, hit, rest := ty.Feed(p)
			all = append(all, pass...)
			if hit != nil {
				all = append(all, hit.Raw...)
				if !strings.ContainsAny(expr, `^$bBAzm`) && !re.MatchString(hit.Groups[0]) {
					t.Errorf("%q took %q for a match", expr, hit.Groups[0])
				}
			}
			p = rest
		}
		if all = append(all, ty.Release()...); string(all) != keys {
			t.Errorf("%q: typed %q, left %q", expr, keys, all)
		}
	})
}
