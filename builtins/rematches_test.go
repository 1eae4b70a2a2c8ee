package builtins

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"omniexpect/internal/clock"
	"omniexpect/internal/dsl"
)

// TestEachMatch finds one after the other what the library finds at once.
func TestEachMatch(t *testing.T) {
	host := &dsl.Host{Clock: clock.System{}}
	s := host.NewStrand(t.Context(), "main")
	defer s.Done()
	c := &dsl.Call{Strand: s}
	texts := []string{strings.Repeat("ab cd\n", 12000), strings.Repeat("é\xff x\n\n", 12000), strings.Repeat(" ", fewBytes) + "word é", strings.Repeat("a", fewBytes+3)}
	for _, pattern := range []string{"", "b", "a*", `\b`, `\B`, "^", "(?m)^", "(?m)$", "$", `\A.`, `\z`, "(a)|(b)", `(?i)(?P<n>A)b?`, "x|", `(?m)^\w+|\s`, `\bword\b`, "é",
		"(?U)a+", "a|^b", "(?s:.)"} {
		re := regexp.MustCompile(pattern)
		for _, text := range texts {
			want := re.FindAllStringSubmatchIndex(text, -1)
			var got [][]int
			if err := eachMatch(c, "re.findall", pattern, text, func(_ *regexp.Regexp, at []int) error { got = append(got, at); return nil }); err != nil {
				t.Fatal(err)
			}
			if len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
				t.Errorf("%q in %.20q…: %d matches, want %d", pattern, text, len(got), len(want))
			}
			out, err := new(State).reSplit(c, reArgs{pattern, text})
			if parts := re.Split(text, -1); err != nil || out.String() != stringList(parts).String() {
				t.Errorf("%q splits %.20q… otherwise (%v)", pattern, text, err)
			}
			out, err = new(State).reSub(c, reSubArgs{pattern, stringList([]string{"<$0>"}).Index(0), text})
			if want := re.ReplaceAllString(text, "<$0>"); err != nil || plain(out) != want {
				t.Errorf("%q is replaced in %.20q… otherwise (%v)", pattern, text, err)
			}
		}
	}
}
