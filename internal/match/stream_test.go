package match

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"omniexpect/internal/rawio"
)

// leading reports whether the tests' streams read pipes, some by waits that do that themselves; else they are pushed to.
var leading bool

// TestMain runs all tests twice: on streams that are pushed to, and on pipes.
func TestMain(m *testing.M) {
	for _, leading = range []bool{false, true} {
		if code := m.Run(); code != 0 {
			fmt.Fprintln(os.Stderr, "waits read themselves:", leading)
			os.Exit(code)
		}
	}
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// take makes a stream's file of a pipe's end, or of a terminal.
func take(t testing.TB, f *os.File) *rawio.File {
	t.Helper()
	file, err := rawio.Take(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(file.Close)
	return file
}

// once leaves a test out of the second round, for which it makes no difference where bytes come from.
func once(t *testing.T) {
	t.Helper()
	if leading {
		t.Skip("was run already")
	}
}

// bubble runs a test in which time passes while everybody waits, and takes none.
func bubble(t *testing.T, test func(t *testing.T)) {
	once(t)
	synctest.Test(t, test)
}

// streams counts those of a test: waits read the first one themselves, and every second one after it.
var streams = map[string]int{}

// newStream returns a stream that reads as those of this round of the tests are to.
func newStream(t testing.TB, cfg Config) *Stream {
	if leading && cfg.Lead == nil && streams[t.Name()]%2 == 0 {
		cfg.Lead = new(sync.Mutex)
	}
	streams[t.Name()]++
	return New(cfg)
}

// feed is a stream that a test writes to.
type feed struct {
	t testing.TB
	w writeEnd
	s *Stream
	n int64
}

// writeEnd is what the bytes of a feed are written into.
type writeEnd interface {
	io.WriteCloser
	io.StringWriter
}

// pushedEnd writes into a source.
type pushedEnd struct{ *Pushed }

func (p pushedEnd) WriteString(s string) (int, error) { return p.Write([]byte(s)) }

func (p pushedEnd) Close() error { p.End(); return nil }

func newFeed(t testing.TB, cfg Config) *feed {
	t.Helper()
	var w writeEnd
	if leading || cfg.Lead != nil {
		r, end, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		w, cfg.Source = end, take(t, r)
	} else {
		p := NewPushed()
		w, cfg.Source = pushedEnd{p}, p
	}
	if cfg.Rows == 0 {
		cfg.Rows, cfg.Cols = 24, 80
	}
	f := &feed{t: t, w: w, s: newStream(t, cfg)}
	t.Cleanup(f.close)
	return f
}

// close gives the descriptors back: a test of thousands of feeds cannot wait for its end.
func (f *feed) close() {
	f.w.Close()
	f.s.Close()
	f.s.cfg.Source.(interface{ Close() }).Close()
}

// write writes p and returns once the stream has taken it.
func (f *feed) write(p string) {
	for len(p) > 0 {
		n, err := f.w.WriteString(p[:min(len(p), 32<<10)])
		if err != nil {
			f.t.Fatal(err)
		}
		p = p[n:]
		f.n += int64(n)
		for tries := 0; f.s.End(true) < f.n; tries++ {
			if tries < 16 {
				runtime.Gosched()
				continue
			}
			// Whoever is always ready to run keeps a single processor from asking the poller, which the stream waits for.
			time.Sleep(10 * time.Microsecond)
		}
	}
}

func compile(t testing.TB, raw bool, pats ...any) *Set {
	t.Helper()
	var list []Pattern
	for _, p := range pats {
		switch p := p.(type) {
		case string:
			list = append(list, Pattern{Source: p})
		case Pattern:
			list = append(list, p)
		}
	}
	set, err := Compile(list, raw)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func (f *feed) expect(timeout time.Duration, pats ...any) Result {
	f.t.Helper()
	return f.wait(Want{Set: compile(f.t, false, pats...), Deadline: time.Now().Add(timeout)})
}

func (f *feed) wait(w Want) Result {
	f.t.Helper()
	w.Here = true
	r, err := f.s.Wait(context.Background(), w)
	if err != nil {
		f.t.Fatal(err)
	}
	return r
}

func TestExpectInOrder(t *testing.T) {
	f := newFeed(t, Config{})
	f.write("AAA...BBB\r\n")
	if r := f.expect(time.Minute, "AAA"); r.Why != Matched || r.Before.String() != "" {
		t.Fatalf("first: %+v", r)
	}
	if r := f.expect(time.Minute, "B+"); r.Why != Matched || r.Before.String() != "..." || r.Text != "BBB" {
		t.Fatalf("second: %+v", r)
	}
	if r := f.expect(0, "C", Pattern{Kind: Timeout}); r.Why != TimedOut || r.Index != 1 || r.Before.String() != "\n" {
		t.Fatalf("third: %+v", r)
	}
	f.w.Close()
	f.s.Exited()
	if r := f.expect(time.Minute, "C", Pattern{Kind: EOF}); r.Why != AtEOF || r.Index != 1 || r.Before.String() != "\n" {
		t.Fatalf("fourth: %+v", r)
	}
	if r := f.expect(time.Minute, "C"); r.Why != AtEOF || r.Index != -1 || r.Before.String() != "" {
		t.Fatalf("fifth: %+v", r)
	}
}

func TestWaitIsWokenByData(t *testing.T) {
	f := newFeed(t, Config{})
	for i := range 200 {
		done := make(chan Result)
		go func() { done <- f.expect(time.Minute, fmt.Sprintf("<%d>", i)) }()
		f.write(fmt.Sprintf("x<%d", i))
		f.write(">y")
		if r := <-done; r.Why != Matched {
			t.Fatalf("round %d: %+v", i, r)
		}
	}
}

func TestEarliestWins(t *testing.T) {
	f := newFeed(t, Config{})
	f.write("bbb aaa")
	if r := f.expect(time.Minute, "aaa", "bbb"); r.Index != 1 {
		t.Fatalf("got %+v", r)
	}
	if r := f.expect(time.Minute, "(?P<x>a)aa", "(?P<x>b)"); r.Index != 0 || r.Groups[0] != "a" || r.Before.String() != " " {
		t.Fatalf("got %+v", r)
	}
}

func TestGroupsOfSecondCandidate(t *testing.T) {
	f := newFeed(t, Config{})
	f.write("k=v; user: bob, end")
	r := f.expect(time.Minute, `(\w+): (\w+),`, `(\w)=(\w);`)
	if r.Index != 1 || r.Groups[0] != "k" || r.Groups[1] != "v" {
		t.Fatalf("got %+v", r)
	}
}

func TestTimeoutConsumesNothing(t *testing.T) {
	f := newFeed(t, Config{})
	f.write("partial")
	if r := f.expect(time.Millisecond, "never"); r.Why != TimedOut || r.Before.String() != "partial" {
		t.Fatalf("got %+v", r)
	}
	if r := f.expect(time.Minute, "partial"); r.Why != Matched {
		t.Fatalf("got %+v", r)
	}
}

func TestRawAndTextShareOnePosition(t *testing.T) {
	f := newFeed(t, Config{})
	f.write("\x1b[31mErr\x1b[0mor: h\u00e9llo\r\nnext")
	if r := f.expect(time.Minute, "Error: h"); r.Why != Matched {
		t.Fatalf("got %+v", r)
	}
	r := f.wait(Want{Set: compile(t, true, Pattern{Kind: Bytes, Source: "\xc3"})})
	if r.Why != Matched || r.Before.String() != "" || r.Text != "\xc3" {
		t.Fatalf("got %+v", r)
	}
	if r := f.expect(time.Minute, "llo\n"); r.Why != Matched || r.Before.String() != "é" {
		t.Fatalf("text after half a character: %+v", r)
	}
	r = f.wait(Want{Set: compile(t, true, "n.x")})
	if r.Before.String() != "" || r.Text != "nex" {
		t.Fatalf("got %+v", r)
	}
}

func TestBytesThatAreNoUTF8(t *testing.T) {
	f := newFeed(t, Config{})
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	f.write(string(all))
	r := f.wait(Want{Set: compile(t, true, Pattern{Kind: Bytes, Source: "\xfe\xff"}, Pattern{Source: "x(.)z"})})
	if r.Index != 1 || r.Groups[0] != "y" || r.Before.String() != string(all[:'x']) {
		t.Fatalf("got %+v", r)
	}
	r = f.wait(Want{Set: compile(t, true, Pattern{Kind: Bytes, Source: "\xfe\xff"})})
	if r.Text != "\xfe\xff" || r.Before.String() != string(all['z'+1:254]) {
		t.Fatalf("got %+v", r)
	}
}

func TestSettle(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFeed(t, Config{})
		done := make(chan Result)
		go func() {
			done <- f.wait(Want{Set: compile(t, false, `DONE-(\d+)`), Settle: 200 * time.Millisecond})
		}()
		f.write("DONE-12")
		time.Sleep(150 * time.Millisecond)
		f.write("34")
		if r := <-done; r.Groups[0] != "1234" {
			t.Fatalf("got %+v", r)
		}
	})
}

func TestIdle(t *testing.T) {
	f := newFeed(t, Config{}) // the second round waits by the poller's deadlines
	f.write("abc")
	r := f.wait(Want{Set: compile(t, false, "x"), Idle: 30 * time.Millisecond})
	if r.Why != WentIdle || r.Before.String() != "abc" {
		t.Fatalf("got %+v", r)
	}
}

func TestFull(t *testing.T) {
	f := newFeed(t, Config{Limit: 100 << 10, History: 100 << 10})
	big := strings.Repeat("0123456789abcde\n", 8<<10)
	done := make(chan Result)
	go func() { done <- f.expect(time.Minute, "never", Pattern{Kind: Full}) }()
	f.write(big)
	if r := <-done; r.Why != Overfull || r.Before.Len() < 100<<10 {
		t.Fatalf("got %v, %d bytes", r.Why, r.Before.Len())
	}
	f.write(big)
	f.write("END")
	r := f.expect(time.Minute, "END")
	if r.Why != Matched || r.Lost == 0 || r.Before.Len() > 100<<10 {
		t.Fatalf("lost %d, before %d bytes", r.Lost, r.Before.Len())
	}
}

func TestCancel(t *testing.T) {
	f := newFeed(t, Config{})
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, err := f.s.Wait(ctx, Want{Set: compile(t, false, "x"), Here: true}); err != context.Canceled {
		t.Fatal(err)
	}
	f.write("x")
	if r := f.expect(time.Minute, "x"); r.Why != Matched {
		t.Fatalf("got %+v", r)
	}
}

func TestAlways(t *testing.T) {
	f := newFeed(t, Config{})
	hits := make(chan string, 10)
	cancel := f.s.Always(compile(t, false, `key (\d)`), func(r Result) { hits <- r.Groups[0] })
	f.write("press key 1 and ke")
	f.write("y 2.")
	if a, b := <-hits, <-hits; a != "1" || b != "2" {
		t.Fatal(a, b)
	}
	if r := f.expect(time.Minute, "and key 2"); r.Before.String() != "press key 1 " {
		t.Fatalf("got %+v", r)
	}
	cancel()
	f.write("key 3!")
	f.expect(time.Minute, "!")
	if len(hits) != 0 {
		t.Fatal("still watching")
	}
}

// canonical finds the match that a reader sees who looks at the stream after every character.
func canonical(text string, exprs []string) (index int, before, match, rest string, ok bool) {
	parts := make([]*regexp.Regexp, len(exprs))
	for i, e := range exprs {
		parts[i] = regexp.MustCompile(e)
	}
	for end := 0; end <= len(text); end++ {
		best := []int(nil)
		for i, re := range parts {
			if m := re.FindStringIndex(text[:end]); m != nil && (best == nil || m[0] < best[0]) {
				best, index = m, i
			}
		}
		if best != nil {
			return index, text[:best[0]], text[best[0]:best[1]], text[best[1]:], true
		}
	}
	return 0, "", "", text, false
}

var definite = []string{
	"ab", "abc|bcd", "a+b", "a.*c", `a[^c]*c`, "(?:ab)+c", "b", "c{2}", "cab", `\wb\w`, "(a|b)c", "aa", "(?s)b.*\nb",
	"a\n", `[ab]+\n`, "^ab", `(?m)^b`, `\bab`, "(?i)AB", "(?i)BC+A", "abcabc", `(?m)^a.*b`, "d", `(?:^|\n)c`,
}

func TestAnyChoppingGivesTheSameResult(t *testing.T) {
	const alphabet = "aabbcc\n "
	for seed := range uint64(150) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		exprs := make([]string, 1+rnd.IntN(3))
		pats := make([]any, len(exprs))
		for i := range exprs {
			exprs[i] = definite[rnd.IntN(len(definite))]
			pats[i] = exprs[i]
		}
		text := make([]byte, 30+rnd.IntN(60))
		for i := range text {
			text[i] = alphabet[rnd.IntN(len(alphabet))]
		}
		for _, chop := range []string{"block", "bytes", "random"} {
			checkChopping(t, rnd, string(text), exprs, pats, chop)
		}
	}
}

func checkChopping(t *testing.T, rnd *rand.Rand, text string, exprs []string, pats []any, chop string) {
	t.Helper()
	f := newFeed(t, Config{})
	got := make(chan []string)
	write := func() {
		for rest := text; rest != ""; {
			n := len(rest)
			switch chop {
			case "bytes":
				n = 1
			case "random":
				n = 1 + rnd.IntN(n)
			}
			f.write(rest[:n])
			rest = rest[n:]
		}
		f.w.Close()
		f.s.Exited()
	}
	collect := func() {
		var all []string
		for {
			r := f.expect(time.Minute, pats...)
			if r.Why != Matched {
				got <- append(all, fmt.Sprintf("%v %q", r.Why == AtEOF, r.Before.String()))
				return
			}
			all = append(all, fmt.Sprintf("%d %q %q", r.Index, r.Before.String(), r.Text))
		}
	}
	if chop == "block" {
		write()
		go collect()
	} else {
		go collect()
		write()
	}
	var want []string
	for rest := text; ; {
		index, before, m, more, ok := canonical(rest, exprs)
		if !ok {
			want = append(want, fmt.Sprintf("true %q", rest))
			break
		}
		want = append(want, fmt.Sprintf("%d %q %q", index, before, m))
		rest = more
	}
	if all := <-got; strings.Join(all, "\n") != strings.Join(want, "\n") {
		t.Fatalf("%s of %q with %q:\ngot  %s\nwant %s", chop, text, exprs, strings.Join(all, "\n     "), strings.Join(want, "\n     "))
	}
	f.close()
}
