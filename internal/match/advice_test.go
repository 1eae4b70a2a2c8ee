package match

import (
	"strings"
	"testing"
)

// TestAdvice has what people write who know another engine, and what the advice has to name.
func TestAdvice(t *testing.T) {
	for expr, want := range map[string]string{
		`a\Z`: `\z`, `a\hb`: `[ \t]`, `\H+`: `[^ \t]`, `a\R`: `\n`, `caf\u00e9`: `\x{e9}`, `\U0001F600`: `\x{1f600}`, `\N{U+2028}`: `\x{2028}`,
		`\e[1m`: `\x1b`, `a\Kb`: `m[1]`, `\cC`: `\x03`, `(a)\1`: `m[1] with m[2]`, `(?P<a>x)(?P=a)`: `m[1] with m[2]`, `\k<a>`: `m[1] with m[2]`,
		`a++`: `write + alone`, `a*+`: `write * alone`, `a?+b`: `write ? alone`, `x{2}+`: `write {2} alone`, `a**`: `(?:x*)*`, `x{2}{3}`: `needs a group`,
		`(?>ab)`: `(?:…)`, `(?x) a b`: `without blanks`, `(?ix)a`: `without blanks`, `a{2,1001}`: `1000 times at most`, `a{1001}`: `1000 times at most`,
		`a{3,2}`: `the fewest and the most`, `a(?=b)`: `m[1]`, `a(?!b)`: `expect_not`, `(?<=a)b`: `m[1]`, `(?<!a)b`: `expect_not`, `(?#note)`: `comments`,
		`(a)?(?(1)b|c)`: `conditions`, `(?|a|b)`: `(?P<name>…)`, `\((?R)*\)`: `recursion`, `(?u)a`: `leave the flag out`, `(?'n'a)`: `(?P<name>…)`,
		`\p{IsGreek}`: `\p{Greek}`, `[z-a]`: `from the lower`, `[[:word]`: ``, `[[:letter:]]`: `[[:alpha:]]`, `(a`: `\(`, `a)`: `\(`, `[a`: `\[`, `*a`: `exact(`,
		`a\`: `\\`, `\q`: `\\`,
	} {
		_, err := Compile([]Pattern{{Source: expr}}, false)
		bad, ok := err.(*BadPattern)
		if !ok {
			if want != "" {
				t.Errorf("%s: %v", expr, err)
			}
			continue
		}
		if got := Advice(expr, bad.Why); !strings.Contains(got, want) {
			t.Errorf("%s: %s: advice %q, want one with %q", expr, bad.Why, got, want)
		}
	}
	for expr, want := range map[string]string{`a{,3}\n`: `{0,3}`, `{,1}`: `{0,1}`, `a\{,3}`: ``, `a{0,3}`: ``, `a{,x}`: ``} {
		if got := Odd(expr); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q in it", expr, got, want)
		}
	}
}

// TestLongPatterns shows that a pattern that would take long to compile is refused, in words that are short.
func TestLongPatterns(t *testing.T) {
	once(t)
	for _, p := range []Pattern{
		{Source: "(?i)" + strings.Repeat("k", 1_000_000)},
		{Source: strings.Repeat("[^a]", 100_000)},
		{Kind: Exact, Source: strings.Repeat("é", 100_000)},
		{Kind: Bytes, Source: strings.Repeat("\xff", 200_000)},
		{Kind: Glob, Source: strings.Repeat("k*", 100_000)},
	} {
		_, err := Compile([]Pattern{p}, false)
		if err == nil || !strings.Contains(err.Error(), "a pattern may have 131072") || len(err.Error()) > 2000 {
			t.Errorf("%s: %.200v", p.Short(), err)
		}
	}
	_, err := Compile([]Pattern{{Source: strings.Repeat("(", 2000)}}, false)
	if err == nil || len(err.Error()) > 3000 {
		t.Errorf("%.200v", err)
	}
	if _, err := Compile([]Pattern{{Kind: Exact, Source: strings.Repeat("k", 100_000)}}, false); err != nil {
		t.Errorf("%.200v", err)
	}
}
