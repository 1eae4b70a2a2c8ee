package match

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"
	"time"
	"unicode/utf8"
)

// scenario is a stream and what it has to be, kept plainly: all that was written, and where each character of the text
// comes from.
type scenario struct {
	t     *testing.T
	rnd   *rand.Rand
	f     *feed
	limit int
	dec   decoder

	raw  []byte
	text []byte
	ends []int // per byte of the text: after which raw byte it is there

	inRaw bool // the position is one of the raw view
	at    int
	lost  int
}

// run and sub make a scenario the sink of a decoder.
func (s *scenario) run(p []byte, end int64) {
	for i := 0; i < len(p); {
		_, n := utf8.DecodeRune(p[i:])
		s.sub(p[i:i+n], end-int64(len(p)-i-n))
		i += n
	}
}

func (s *scenario) sub(p []byte, end int64) {
	for range p {
		s.ends = append(s.ends, int(end))
	}
	s.text = append(s.text, p...)
}

func (s *scenario) write(p []byte) {
	s.f.write(string(p))
	s.raw = append(s.raw, p...)
	s.dec.decode(p, s)
	if unread := s.unread(s.inRaw); len(unread) > s.limit {
		to := len(unread) - s.limit
		for !s.inRaw && to < len(unread) && !utf8.RuneStart(unread[to]) {
			to++
		}
		s.at += to
		s.lost += to
	}
}

// base returns where unread output begins in a view.
func (s *scenario) base(raw bool) int {
	switch {
	case raw == s.inRaw:
		return s.at
	case !raw: // the first character that was not whole
		n := 0
		for n < len(s.ends) && s.ends[n] <= s.at {
			n++
		}
		return n
	case s.at == 0:
		return 0
	}
	return s.ends[s.at-1]
}

func (s *scenario) unread(raw bool) []byte {
	if raw {
		return s.raw[min(s.base(true), len(s.raw)):]
	}
	return s.text[s.base(false):]
}

// view picks a view: the text where there is a bound, which counts what was read last.
func (s *scenario) view() (raw bool) { return s.limit == DefaultLimit && s.rnd.IntN(2) == 0 }

// latin1 writes every byte as the character of its number.
func latin1(p []byte) string {
	var b []rune
	for _, c := range p {
		b = append(b, rune(c))
	}
	return string(b)
}

// look waits for random patterns without waiting, and compares.
func (s *scenario) look() {
	raw, peek := s.view(), s.rnd.IntN(3) == 0
	list := somePatterns(s.rnd, raw)
	set, err := Compile(list, raw)
	if err != nil {
		s.t.Fatal(err)
	}
	unread := string(s.unread(raw))
	searched := unread
	if set.latin {
		searched = latin1([]byte(unread))
	}
	exprs := make([]*regexp.Regexp, len(list))
	for i, p := range list {
		expr, err := p.expr(set.latin)
		if err != nil {
			s.t.Fatal(err)
		}
		exprs[i] = regexp.MustCompile(expr)
	}
	index, at, end := earliestByPrefixes(set, searched, exprs)
	if set.latin && index >= 0 {
		at, end = utf8.RuneCountInString(searched[:at]), utf8.RuneCountInString(searched[:end])
	}
	want := fmt.Sprintf("%d %q lost %d", -1, unread, s.lost)
	if index >= 0 {
		want = fmt.Sprintf("%d %q %q lost %d", index, unread[:at], unread[at:end], s.lost)
	}
	r, err := s.f.s.Wait(context.Background(), Want{Set: set, Once: true, Peek: peek, Here: true})
	if err != nil {
		s.t.Fatal(err)
	}
	got := fmt.Sprintf("%d %q lost %d", r.Index, r.Before.String(), r.Lost)
	if r.Why == Matched {
		got = fmt.Sprintf("%d %q %q lost %d", r.Index, r.Before.String(), r.Text, r.Lost)
	}
	if got != want {
		s.t.Fatalf("%v in %q (raw %v, bytes %v)\ngot  %s\nwant %s", list, unread, raw, set.latin, got, want)
	}
	if index >= 0 && !peek {
		s.at, s.inRaw, s.lost = s.base(raw)+end, raw, 0
	}
}

// count reads some characters.
func (s *scenario) count() {
	raw := s.view()
	set, _ := Compile(nil, raw)
	unread, n := s.unread(raw), 1+s.rnd.IntN(4)
	end, left := 0, n
	for ; end < len(unread) && left > 0; left-- {
		end++
		for !raw && end < len(unread) && !utf8.RuneStart(unread[end]) {
			end++
		}
	}
	r, err := s.f.s.Wait(context.Background(), Want{Set: set, Once: true, Count: n, Here: true})
	if err != nil {
		s.t.Fatal(err)
	}
	switch {
	case left > 0 && r.Why == Matched:
		s.t.Fatalf("got %d characters %q of %q", n, r.Text, unread)
	case left > 0:
	case r.Text != string(unread[:end]):
		s.t.Fatalf("got %d characters %q of %q, want %q", n, r.Text, unread, unread[:end])
	default:
		s.at, s.inRaw, s.lost = s.base(raw)+end, raw, 0
	}
}

// somePatterns returns a list of random patterns of which none looks at what follows its match.
func somePatterns(rnd *rand.Rand, raw bool) (list []Pattern) {
	for n := 1 + rnd.IntN(4); len(list) < n; {
		p := Pattern{Source: someExpr(rnd, rnd.IntN(5)), IgnoreCase: rnd.IntN(5) == 0}
		switch rnd.IntN(8) {
		case 0:
			p = Pattern{Kind: Exact, Source: someText(rnd, 1+rnd.IntN(3)), IgnoreCase: rnd.IntN(5) == 0}
		case 1:
			p = Pattern{Kind: Glob, Source: []string{"a*b", "?b", "[a-c]x", "a*", "*b", "[!a]b", "é?"}[rnd.IntN(7)]}
		case 2:
			if raw {
				p = Pattern{Kind: Bytes, Source: []string{"\xc3", "\xa9a", "\x1b[", "b", "é", "\ufffd"}[rnd.IntN(6)]}
			}
		}
		if set, err := Compile(append(list, p), raw); err == nil && !set.pats[len(list)].lookahead {
			list = append(list, p)
		}
	}
	return list
}

// someText returns parts of output that the patterns of someExpr have something to do with.
func someText(rnd *rand.Rand, parts int) (text string) {
	for range parts {
		text += []string{"a", "b", "c", "A", "B", "C", "é", "É", "漢", "\n", " ", "1", "k", "\u212a", "x", "abc"}[rnd.IntN(16)]
	}
	return text
}

// someExpr makes an expression, the larger the deeper.
func someExpr(rnd *rand.Rand, depth int) string {
	one := func(of ...string) string { return of[rnd.IntN(len(of))] }
	if depth == 0 {
		return one("a", "b", "c", "ab", "bc", "é", "漢", ".", `\n`, "[ab]", "[^a]", `[^a\n]`, "x", "(?i:A)", "(?i:bC)", "(?i:k)",
			"(?i:É)", `\d`, "1", "(?s:.)", "abc", `\x{FFFD}`)
	}
	sub := func() string { return someExpr(rnd, depth-1) }
	switch rnd.IntN(12) {
	case 0, 1, 2, 3, 4:
		return sub() + sub()
	case 5:
		return "(" + sub() + "|" + sub() + ")"
	case 6:
		return "(?:" + sub() + ")" + one("*", "+", "?", "{2}", "{1,3}", "{0,2}", "*?", "+?", "??", "{2,}") + sub()
	case 7:
		return "(" + sub() + ")"
	case 8:
		return one(`\b`, "(?m:^)", "^", `\B`) + sub()
	case 9:
		return sub() + one(`\b`, "(?m:$)", "$", "", "")
	case 10:
		return sub() + one(".*", `[^\n]*`, "[ab]*", "(?s:.*)")
	}
	return someExpr(rnd, 0)
}

// earliestByPrefixes returns what matches in the shortest beginning of a text; with an open tail it takes all there is.
func earliestByPrefixes(set *Set, text string, exprs []*regexp.Regexp) (index, at, end int) {
	if len(exprs) == 1 && set.pats[0].open {
		if m := exprs[0].FindStringIndex(text); m != nil {
			return 0, m[0], m[1]
		}
		return -1, 0, 0
	}
	index = -1
	for e := 0; e <= len(text) && index < 0; e++ {
		if e < len(text) && !utf8.RuneStart(text[e]) {
			continue
		}
		for i, re := range exprs {
			if m := re.FindStringIndex(text[:e]); m != nil && (index < 0 || m[0] < at) {
				index, at, end = i, m[0], m[1]
			}
		}
	}
	if index >= 0 && set.pats[index].open {
		if m := exprs[index].FindStringIndex(text); m != nil && m[0] == at {
			end = m[1]
		}
	}
	return index, at, end
}

// TestRandomScenarios writes random output in random pieces and looks for random patterns in between, in both views.
func TestRandomScenarios(t *testing.T) {
	for seed := range uint64(scenarios) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		limit := []int{DefaultLimit, 30, 7, 1}[rnd.IntN(4)]
		s := &scenario{t: t, rnd: rnd, limit: limit, dec: newDecoder(24, 20, false)}
		s.f = newFeed(t, Config{Rows: 24, Cols: 20, Limit: limit, History: []int{-1, 10, DefaultLimit}[rnd.IntN(3)]})
		var out []byte
		for range 40 {
			if rnd.IntN(4) == 0 {
				out = append(out, alphabet[rnd.IntN(len(alphabet))]...)
			} else {
				out = append(out, someText(rnd, 1+rnd.IntN(4))...)
			}
		}
		for len(out) > 0 {
			n := 1 + rnd.IntN(min(len(out), 1+rnd.IntN(30)))
			s.write(out[:n])
			out = out[n:]
			for range rnd.IntN(3) {
				if rnd.IntN(6) == 0 {
					s.count()
				} else {
					s.look()
				}
			}
		}
		s.f.w.Close()
		s.f.s.Close()
		if t.Failed() {
			t.Fatal("seed", seed)
		}
	}
}

const scenarios = 40

// TestRandomExpressions has waits that stand while output comes in pieces find what is there in the shortest beginning.
func TestRandomExpressions(t *testing.T) {
	once(t)
	for seed := range uint64(scenarios) {
		rnd := rand.New(rand.NewPCG(seed, 6))
		raw := rnd.IntN(2) == 0
		list := somePatterns(rnd, raw)
		set, err := Compile(list, raw)
		if err != nil {
			t.Fatal(err)
		}
		exprs := make([]*regexp.Regexp, len(list))
		open := false
		for i, p := range list {
			expr, _ := p.expr(set.latin)
			exprs[i], open = regexp.MustCompile(expr), open || set.pats[i].open || set.pats[i].empty
		}
		if open {
			continue
		}
		text := someText(rnd, 40)
		want := []string{}
		for rest := text; ; {
			searched := rest
			if set.latin {
				searched = latin1([]byte(rest))
			}
			index, at, end := earliestByPrefixes(set, searched, exprs)
			if index < 0 {
				break
			}
			if set.latin {
				at, end = utf8.RuneCountInString(searched[:at]), utf8.RuneCountInString(searched[:end])
			}
			want = append(want, fmt.Sprintf("%d %q %q", index, rest[:at], rest[at:end]))
			rest = rest[end:]
		}
		f := newFeed(t, Config{})
		got := make(chan []string)
		go func() {
			all := []string{}
			for {
				r, err := f.s.Wait(context.Background(), Want{Set: set, Deadline: time.Now().Add(time.Minute), Here: true})
				if err != nil || r.Why != Matched {
					break
				}
				all = append(all, fmt.Sprintf("%d %q %q", r.Index, r.Before.String(), r.Text))
			}
			got <- all
		}()
		cut([]byte(text), seed, func(p []byte) { f.write(string(p)) })
		f.w.Close()
		f.s.Exited()
		if all := <-got; fmt.Sprint(all) != fmt.Sprint(want) {
			t.Fatalf("seed %d: %v in %q (raw %v, bytes %v)\ngot  %s\nwant %s", seed, list, text, raw, set.latin, all, want)
		}
		f.s.Close()
	}
}
