package match

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestTooLargeForOne has patterns that do not fit into one expression: the earliest in the stream wins all the same.
func TestTooLargeForOne(t *testing.T) {
	deep := "[0-9].*!" + strings.Repeat("(", 996) + "x?" + strings.Repeat(")", 996)
	f := newFeed(t, Config{})
	f.write("1 B! C\n")
	set := compile(t, false, deep, "C", "B")
	if set.expression([]int{0, 1, 2}) != nil {
		t.Fatal("the patterns fit into one expression, so this tests nothing")
	}
	for _, want := range []string{"B", "C"} {
		if r := f.wait(Want{Set: set, Deadline: time.Now().Add(time.Minute)}); r.Text != want {
			t.Errorf("pattern %d, %q, want %q", r.Index, r.Text, want)
		}
	}
}

// TestEarliestOfMany compares which of several patterns wins with what trying every beginning of the stream says.
func TestEarliestOfMany(t *testing.T) {
	once(t)
	pats := []string{`a.*z`, `b`, `[0-9]+`, `a+`, `\bz\b`, `(?m)c$`, `b.*[0-9]`, `z{2}`, `x*b`, `(?s)a.*c`, `[0-9]+c`, `c?z*b`}
	rnd := rand.New(rand.NewPCG(1, 2))
	for n := range 3000 {
		var text strings.Builder
		for range 1 + rnd.IntN(12) {
			text.WriteByte("abcz1 \n"[rnd.IntN(7)])
		}
		rnd.Shuffle(len(pats), func(i, j int) { pats[i], pats[j] = pats[j], pats[i] })
		list := pats[:2+rnd.IntN(3)]
		all := make([]any, len(list))
		for i, p := range list {
			all[i] = p
		}
		set := compile(t, false, all...)
		f := newFeed(t, Config{})
		f.write(text.String())
		r := f.wait(Want{Set: set, Once: true, Deadline: time.Now()})
		index, match := earliestOf(set, list, text.String())
		if r.Why == Matched && (r.Index != index || r.Text != match) || r.Why != Matched && index >= 0 {
			t.Fatalf("%d: %q in %q: got %v %d %q, want %d %q", n, list, text.String(), r.Why, r.Index, r.Text, index, match)
		}
		f.close()
	}
}

// earliestOf tries every beginning of a text.
func earliestOf(set *Set, list []string, text string) (index int, match string) {
	index = -1
	at, end := 0, len(text)+1
	for e := 1; e <= len(text) && index < 0; e++ {
		for i, p := range list {
			if set.pats[i].lookahead {
				continue
			}
			if m := regexp.MustCompile(p).FindStringIndex(text[:e]); m != nil && (index < 0 || m[0] < at) {
				index, at, end = i, m[0], e
				match = text[m[0]:m[1]]
			}
		}
	}
	if index >= 0 && set.pats[index].open {
		if m := regexp.MustCompile(list[index]).FindStringIndex(text); m[0] == at {
			match = text[m[0]:m[1]]
		}
	}
	stable := index
	for i, p := range list {
		if !set.pats[i].lookahead {
			continue
		}
		m := regexp.MustCompile(p).FindStringIndex(text)
		if m == nil {
			continue
		}
		sooner := m[1] < end || stable >= 0 && m[1] == end && (m[0] < at || m[0] == at && i < index)
		if index < 0 || index == stable && sooner || index != stable && (m[0] < at || m[0] == at && i < index) {
			index, at, match = i, m[0], text[m[0]:m[1]]
			end = m[1]
		}
	}
	return index, match
}
