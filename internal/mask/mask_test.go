package mask

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode"

	"omniexpect/internal/vt"
)

const secret = `s3cr/t "w<ä>&' +\?`

func TestPlaceholders(t *testing.T) {
	m := New()
	if m.Active() || m.Mask("s3cr3t") != "s3cr3t" || m.Resolve(opening) != opening {
		t.Error("a masker without secrets does something")
	}
	a, b := m.Add("s3cr3t"), m.Add("x")
	if a == b || m.Add("s3cr3t") != a || !m.Active() {
		t.Errorf("placeholders %q and %q", a, b)
	}
	text := fmt.Sprintf("%s:%s%s %s", a, b, a, m.head+"99"+closing)
	if got, want := m.Resolve(text), "s3cr3t:xs3cr3t "+m.head+"99"+closing; got != want {
		t.Errorf("resolved to %q, want %q", got, want)
	}
	if got, want := m.Mask("user "+b+" x, password "+a), "user *** x, password ***"; got != want {
		t.Errorf("masked as %q, want %q", got, want)
	}
	bearer := m.Add("Bearer " + a)
	if got := m.Resolve(bearer); got != "Bearer s3cr3t" {
		t.Errorf("a secret made of another resolves to %q", got)
	}
	if other := New(); other.Add("other") == a || other.Resolve(a) != a {
		t.Error("a placeholder means something in another run")
	}
}

func TestPlaceholderEscaped(t *testing.T) {
	m := New()
	a := m.Add("s3cr3t")
	inJSON, _ := json.Marshal(a)
	for _, text := range []string{string(inJSON), strconv.QuoteToASCII(a), `"` + url.QueryEscape(a) + `"`} {
		if got := m.Mask(text); got != `"***"` {
			t.Errorf("%s is masked as %s", text, got)
		}
	}
}

func TestForms(t *testing.T) {
	m := New()
	m.Add(secret)
	var html bytes.Buffer
	e := json.NewEncoder(&html)
	e.SetEscapeHTML(false)
	e.Encode(secret)
	escaped, _ := json.Marshal(secret)
	for name, text := range map[string]string{
		"plain":      secret,
		"JSON":       strings.Trim(html.String(), "\"\n"),
		"HTML-safe":  string(escaped[1 : len(escaped)-1]),
		"ASCII":      strings.Trim(strconv.QuoteToASCII(secret), `"`),
		"slashes":    strings.ReplaceAll(string(escaped[1:len(escaped)-1]), "/", `\/`),
		"query":      url.QueryEscape(secret),
		"path":       url.PathEscape(secret),
		"lower case": strings.ToLower(url.QueryEscape(secret)),
		"hex":        hex.EncodeToString([]byte(secret)),
		"HEX":        strings.ToUpper(hex.EncodeToString([]byte(secret))),
		"bash fold":  secret[:7] + " \r" + secret[7:],
		"redrawn":    secret[:7] + secret[7:8] + "\r" + secret[7:],
		"CRLF fold":  secret[:3] + "\r\n" + secret[3:9] + "\r\n" + secret[9:],
		"CR, escape": secret[:7] + " \r\x1b[K\x1b[0m" + secret[7:],
		"LF fold":    secret[:7] + "\n" + secret[7:],
		"word":       strings.ReplaceAll(secret, "'", `'\''`),
		"other word": strings.ReplaceAll(secret, "'", `'"'"'`),
		"quoted":     regexp.MustCompile("[^a-z0-9ä]").ReplaceAllString(secret, `\$0`),
	} {
		if got := m.Mask("<" + text + ">"); got != "<***>" {
			t.Errorf("%s: %q is masked as %q", name, text, got)
		}
	}
	for name, text := range map[string]string{
		"other case":     strings.ToUpper(secret),
		"cut by text":    secret[:7] + "x" + secret[7:],
		"far too folded": secret[:7] + "\r\r\r\r\r" + secret[7:],
	} {
		if got := m.Mask(text); got != text {
			t.Errorf("%s: %q is masked as %q", name, text, got)
		}
	}
}

func TestControlsForms(t *testing.T) {
	m := New()
	m.Add("ab\x01\x1bcd\x7f")
	for _, text := range []string{"ab\x01\x1bcd\x7f", "ab^A^[cd^?", "ab^\b^A^\b^[cd^\b^?", `ab\x01\x1bcd\x7F`, `ab\001\ecd\177`, `ab\001\Ecd\177`} {
		if got := m.Mask("<" + text + ">"); got != "<***>" {
			t.Errorf("%q is masked as %q", text, got)
		}
	}
}

func TestSpans(t *testing.T) {
	m := New()
	if got := m.Spans("s3cr3t"); got != nil {
		t.Errorf("without secrets: %v", got)
	}
	m.Add("s3cr3t")
	if got := m.Spans("a s3cr3t, s3cr3ts3cr3t s3c"); !reflect.DeepEqual(got, [][2]int{{2, 8}, {10, 16}, {16, 22}}) {
		t.Errorf("got %v", got)
	}
}

func TestBase64(t *testing.T) {
	for _, value := range []string{"s3cr", "s3cr3", "s3cr3t", "\xfb\xff\xbe>?>?~~~"} {
		m := New()
		m.Add(value)
		for name, enc := range map[string]*base64.Encoding{
			"std": base64.StdEncoding, "raw": base64.RawStdEncoding,
			"url": base64.URLEncoding, "raw url": base64.RawURLEncoding,
		} {
			for _, before := range []string{"", "u", "us", "use", "user:"} {
				for _, after := range []string{"", "@", "@h", "@ho"} {
					plain := enc.EncodeToString([]byte(before + value + after))
					got := m.Mask(plain)
					// What is left over is what holds no bit of the value.
					from, to := len(before)*8/6, ((len(before)+len(value))*8+5)/6
					want := plain[:from] + Mark + plain[to:]
					if after == "" {
						want = plain[:from] + Mark
					}
					if got != want {
						t.Errorf("%s: %q with %q is masked as %q, want %q", name, plain, value, got, want)
					}
				}
			}
		}
	}
}

func TestBase64Wrapped(t *testing.T) {
	m := New()
	m.Add("s3cr3t")
	for _, before := range []string{"", "u", "us"} {
		plain := base64.StdEncoding.EncodeToString([]byte(before + "s3cr3t, and more"))
		for i := 1; i < len(plain); i++ {
			if got := m.Mask(plain[:i] + "\r\n" + plain[i:]); !strings.Contains(got, Mark) {
				t.Errorf("%q wrapped at %d is masked as %q", plain, i, got)
			}
		}
	}
}

func TestLines(t *testing.T) {
	const key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\nshort\n-----END KEY-----\n"
	m := New()
	m.Add(key)
	m.Add("hunter2\n")
	for text, want := range map[string]string{
		key:                     "***",
		strings.TrimSpace(key):  "***",
		"a " + key + "b":        "a ***b",
		"x MIIEvQIBADANBgkq y":  "x *** y",
		"MIIEvQIBADANBgk short": "MIIEvQIBADANBgk short",
		strings.ReplaceAll(strings.TrimSpace(key), "\n", "\r\n"): "***",
		strings.ReplaceAll(strings.TrimSpace(key), "\n", `\n`):   "***",
		"echo hunter2;": "echo ***;",
	} {
		if got := m.Mask(text); got != want {
			t.Errorf("%q is masked as %q, want %q", text, got, want)
		}
	}
}

func TestOverlaps(t *testing.T) {
	for _, c := range []struct {
		secrets    []string
		text, want string
	}{
		{[]string{"abcd", "cdef"}, "xabcdefx", "x***x"},
		{[]string{"cdef", "abcd"}, "xabcdefx", "x***x"},
		{[]string{"abcd", "abcdefgh"}, "abcd abcdefgh abcdefg", "*** *** ***efg"},
		{[]string{"bcde", "abcdefgh"}, "abcdefgh abcdefg", "*** a***fg"},
		{[]string{"bcde", "hijk", "abcdefghijkl"}, "abcdefghijkl abcdefghijk", "*** a***fg***"},
		{[]string{"aaaa"}, "aaa aaaa aaaaaaaaaa", "aaa *** ***"},
		{[]string{"abcd"}, "abcdabcd", "******"},
		{[]string{"abc", "äöü", "äöüß"}, "abc äöü äöüß", "abc äöü ***"},
	} {
		m := New()
		for _, s := range c.secrets {
			m.Add(s)
		}
		if got := m.Mask(c.text); got != c.want {
			t.Errorf("%q with %q is masked as %q, want %q", c.text, c.secrets, got, c.want)
		}
	}
}

// chop sends a text through a Writer, cut where cuts says: each byte is a length.
func chop(t testing.TB, m *Masker, text string, cuts []byte) string {
	var out bytes.Buffer
	w := m.Writer(&out)
	rest := text
	for i := 0; len(rest) > 0; i++ {
		n := 1
		if len(cuts) > 0 {
			n = 1 + int(cuts[i%len(cuts)])%len(rest)
		}
		if k, err := w.Write([]byte(rest[:n])); k != n || err != nil {
			t.Fatalf("write of %d bytes: %d, %v", n, k, err)
		}
		rest = rest[n:]
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// slowly finds secrets with regular expressions, tried at every byte, and reports which bytes belong to any: in the text
// as it stands, and in what is left of it without escape sequences.
func slowly(text string, values []string) []bool {
	covered := make([]bool, len(text))
	find := func(text string, at []int) {
		for _, v := range values {
			re := expression(v)
			for i := range text {
				if found := re.FindStringIndex(text[i:]); found != nil {
					for k := at[i]; k <= at[i+found[1]-1]; k++ {
						covered[k] = true
					}
				}
			}
		}
	}
	all := make([]int, len(text))
	for i := range all {
		all[i] = i
	}
	find(text, all)
	var plain []byte
	var at []int
	var p vt.Parser
	for i := 0; i < len(text); {
		e := p.Next([]byte(text[i : i+1]))
		if e.Kind == vt.Print || e.Kind == vt.Execute {
			plain, at = append(plain, text[i]), append(at, i)
		}
		i += e.N
	}
	find(string(plain), at)
	return covered
}

func expression(value string) *regexp.Regexp {
	var b strings.Builder
	for i, r := range []rune(value) {
		if i > 0 {
			next := regexp.QuoteMeta(string(r))
			b.WriteString(`(?:\r|\n|(?: |` + next + `)\r){0,4}`)
		}
		fmt.Fprintf(&b, `(?:%s|%%(?i:%02x)|\\u(?i:%04x)`, regexp.QuoteMeta(string(r)), r, r)
		switch r {
		case ' ':
			b.WriteString(`|\+`)
		case '\'':
			b.WriteString(`|'\\''|'"'"'`)
		}
		if r < 0x7f && (unicode.IsPunct(r) || unicode.IsSymbol(r) || r == ' ') {
			b.WriteString(`|\\` + regexp.QuoteMeta(string(r)))
		}
		b.WriteString(")")
	}
	re := regexp.MustCompile(`\A(?:` + b.String() + `)`)
	re.Longest()
	return re
}

// checkSlowly compares what a masker finds with what is found slowly: it may find more.
func checkSlowly(t testing.TB, m *Masker, text string, values []string) {
	t.Helper()
	covered := slowly(text, values)
	for _, at := range m.Spans(text) {
		for i := at[0]; i < at[1]; i++ {
			covered[i] = false
		}
	}
	if i := slices.Index(covered, true); i >= 0 {
		t.Fatalf("%q is masked as %q, which shows byte %d", text, m.Mask(text), i)
	}
}

func FuzzChopped(f *testing.F) {
	f.Add(`aabb/ab \u0061ab/a%2Fb a+b`, []byte{3, 1, 4})
	f.Add("ab \rb/\r\naba\x1b[Kb/ab", []byte{})
	f.Add("aba \r\r\n\x1b[1;2mb/abab/", []byte{7})
	f.Add("Y\b\b\bYWIv\b", []byte{1})
	values := []string{"ab/ab", "b/aba", "aaaa", "ab /", "aba%"}
	m := New()
	for _, v := range values {
		m.Add(v)
	}
	f.Fuzz(func(t *testing.T, text string, cuts []byte) {
		for _, r := range text {
			if r >= 0x7f {
				t.Skip() // the slow one knows ASCII only
			}
		}
		want := m.Mask(text)
		if got := chop(t, m, text, cuts); got != want {
			t.Errorf("%q cut by %v is masked as %q, in one piece as %q", text, cuts, got, want)
		}
		checkSlowly(t, m, text, values)
	})
}

func TestAnyChopping(t *testing.T) {
	values := []string{"ab/ab", "b/aba", "aaaa", "ab /", "aba%", "YWIv"}
	m := New()
	for _, v := range values {
		m.Add(v)
	}
	pieces := []string{
		"a", "b", "/", "a", "b", " ", "ab/", "\r", "\n", " \r", "\x1b[K", "\x1b", "[", "%2f", "%2F", `\u0061`, `\/`, "+", "x", "%",
		base64.StdEncoding.EncodeToString([]byte("ab/ab")),
	}
	seed := uint32(1)
	next := func(n int) int {
		seed = seed*1664525 + 1013904223
		return int(seed>>16) % n
	}
	for range 3000 {
		var b strings.Builder
		for range next(30) {
			b.WriteString(pieces[next(len(pieces))])
		}
		text := b.String()
		want := m.Mask(text)
		for range 4 {
			cuts := make([]byte, next(6))
			for i := range cuts {
				cuts[i] = byte(next(9))
			}
			if got := chop(t, m, text, cuts); got != want {
				t.Fatalf("%q cut by %v is masked as %q, in one piece as %q", text, cuts, got, want)
			}
		}
		checkSlowly(t, m, text, values)
	}
}

func TestWriterHoldsOnlyBeginnings(t *testing.T) {
	m := New()
	var out bytes.Buffer
	w := m.Writer(&out)
	write := func(text, want string) {
		t.Helper()
		fmt.Fprint(w, text)
		if out.String() != want {
			t.Errorf("after %q: %q, want %q", text, out.String(), want)
		}
	}
	write("q", "q")
	m.Add("s3cr3t")
	write("pass: s3", "qpass: ")
	write("c! s3cr", "qpass: s3c! ")
	write("3t", "qpass: s3c! ***")
	write("\n", "qpass: s3c! ***\n")
	out.Reset()
	write("s3c", "")
	w.Flush()
	write("", "s3c")
	write("r3", "s3c") // too late for the first half, not for the second
	write("t.", "s3c***.")
	m.Add("another")
	write(" anot", "s3c***. ")
	write("her.", "s3c***. ***.")
}

func TestConcurrentUse(t *testing.T) {
	m := New()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for k := range 20 {
				value := fmt.Sprintf("secret-%d-%d", i, k)
				p := m.Add(value)
				if m.Resolve(p) != value || m.Mask(value) != Mark {
					t.Errorf("%s: resolved to %q, masked as %q", value, m.Resolve(p), m.Mask(value))
				}
			}
		})
	}
	wg.Wait()
}
