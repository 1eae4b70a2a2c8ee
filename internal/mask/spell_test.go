package mask

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"mime/quotedprintable"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// awkward are values that have what encoders change.
var awkward = []string{`p&ss<w>rd"1'x`, "ab12cd34-ef56", "hunter2", `s3cr/t "w<ä>&' +\?`, "pass word=100%", "Grüße, 漢字 😀!", "a=b+c/d==", "$(id)`x`;|"}

func each(s string, f func(r rune) string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteString(f(r))
	}
	return b.String()
}

func eachByte(s, format string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, format, s[i])
	}
	return b.String()
}

func wide(s string, high int) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		unit := [2]byte{byte(u), byte(u)}
		unit[high] = byte(u >> 8)
		b = append(b, unit[:]...)
	}
	return string(b)
}

func quotedPrintable(s string) string {
	var b bytes.Buffer
	w := quotedprintable.NewWriter(&b)
	w.Write([]byte(s))
	w.Close()
	return b.String()
}

// encoders write a text in other ways. None is this package's own.
var encoders = map[string]func(string) string{
	"plain":             func(s string) string { return s },
	"html":              html.EscapeString,
	"html, Python":      strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#x27;").Replace,
	"html, bare":        strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace,
	"html, named":       strings.NewReplacer("&", "&AMP;", "<", "&LT;", "'", "&apos;", "ä", "&auml;", "ü", "&uuml;", "ß", "&szlig;", "/", "&sol;").Replace,
	"html, decimal":     func(s string) string { return each(s, func(r rune) string { return fmt.Sprintf("&#%d;", r) }) },
	"html, padded":      func(s string) string { return each(s, func(r rune) string { return fmt.Sprintf("&#%05d;", r) }) },
	"html, hex":         func(s string) string { return each(s, func(r rune) string { return fmt.Sprintf("&#x%x;", r) }) },
	"html, HEX":         func(s string) string { return each(s, func(r rune) string { return fmt.Sprintf("&#X00%X;", r) }) },
	"quoted-printable":  quotedPrintable,
	"quoted, all":       func(s string) string { return eachByte(s, "=%02X") },
	"quoted, lower":     func(s string) string { return eachByte(s, "=%02x") },
	"url":               url.QueryEscape,
	"url, path":         url.PathEscape,
	"url, all":          func(s string) string { return eachByte(s, "%%%02x") },
	"UTF-16LE":          func(s string) string { return wide(s, 1) },
	"UTF-16BE":          func(s string) string { return wide(s, 0) },
	"Python bytes":      func(s string) string { return eachByte(s, `\x%02x`) },
	"Go":                func(s string) string { q := strconv.Quote(s); return q[1 : len(q)-1] },
	"Go, ASCII":         func(s string) string { q := strconv.QuoteToASCII(s); return q[1 : len(q)-1] },
	"JSON":              func(s string) string { q, _ := json.Marshal(s); return string(q[1 : len(q)-1]) },
	"JSON, all escaped": func(s string) string { return eachUnit(s, `\u%04x`) },
	"JSON, upper":       func(s string) string { return eachUnit(s, `\u%04X`) },
	"Python, long":      func(s string) string { return each(s, func(r rune) string { return fmt.Sprintf(`\U%08x`, r) }) },
	"JavaScript":        func(s string) string { return each(s, func(r rune) string { return fmt.Sprintf(`\u{%X}`, r) }) },
	"octal":             func(s string) string { return eachByte(s, `\%03o`) },
	"shell, word":       func(s string) string { return strings.ReplaceAll(s, "'", `'\''`) },
	"shell, doubled":    func(s string) string { return strings.ReplaceAll(s, "'", `'"'"'`) },
	"shell, backslash":  func(s string) string { return each(s, backslashed) },
	"SQL":               func(s string) string { return strings.ReplaceAll(s, "'", "''") },
	"CSV":               func(s string) string { return strings.ReplaceAll(s, `"`, `""`) },
	"hex":               func(s string) string { return hex.EncodeToString([]byte(s)) },
	"HEX":               func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
	"hex, spaced":       func(s string) string { return strings.TrimSpace(eachByte(s, "%02x ")) },
	"base64":            func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64, URL":       func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
	"base64, escaped":   func(s string) string { return url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(s))) },
	"bold":              func(s string) string { return each(s, func(r rune) string { return string(r) + "\b" + string(r) }) },
	"underlined":        func(s string) string { return each(s, func(r rune) string { return string(r) + "_\b" })[:len(s)] },
}

func eachUnit(s, format string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, format, u)
	}
	return b.String()
}

func backslashed(r rune) string {
	if r < utf8.RuneSelf && strings.ContainsRune(punctuation, r) {
		return `\` + string(r)
	}
	return string(r)
}

func TestEverySpelling(t *testing.T) {
	for _, value := range awkward {
		m := New()
		m.Add(value)
		for name, encode := range encoders {
			if name == "underlined" {
				continue
			}
			text := encode(value)
			got := m.Mask("<" + text + ">")
			if name == "UTF-16LE" {
				got = strings.Replace(got, "***\x00", "***", 1) // the last character's upper half
			}
			if name == "UTF-16BE" {
				got = strings.Replace(got, "\x00***", "***", 1)
			}
			if got != "<***>" {
				t.Errorf("%s: %q is masked as %q", name, text, got)
			}
		}
	}
}

// cuts are what may stand between two characters.
var cuts = []string{
	"", "\r", "\n", "\r\n", " \r", "\x1b[31m", "\x1b[38;2;249;38;114m", "\x1b[48:2::1:2:3;38:2::166:226:46m", "\x1b(B\x1b[m", "\x1b]8;;http://x.y/z\x1b\\",
	"\x1b]8;;\x07", "\x1b]0;some title\x07", "\x1bP1$qm\x1b\\", "\x1b_Gf=100;AAAA\x1b\\", "\x1b7\x1b8", "\x1b[K\x1b[0m \r\x1b[1m", "\x1b[3\x1b[1m", "\u200b", "\u00ad",
	"\ufeff\u200d", "\x00", "\x0e\x0f", "\a", `\x1b[31m`, `\u001b[1;2m`, "^[[0m", `\u200b`, "=\r\n", "_\b", "&shy;", "\x1b[?25l\x1b[?25h\x1b[?2026h\x1b[?2026l\x1b[m",
}

// spelled writes a value with cuts between its characters.
func spelled(value string, spell, cut func() string) string {
	var b strings.Builder
	for i, char := range characters(value) {
		if i > 0 {
			b.WriteString(cut())
		}
		b.WriteString(encoders[spell()](char))
	}
	return b.String()
}

func TestEveryCut(t *testing.T) {
	for _, value := range awkward {
		m := New()
		m.Add(value)
		for _, cut := range cuts {
			text := "<" + spelled(value, func() string { return "plain" }, func() string { return cut }) + ">"
			if got := m.Mask(text); got != "<***>" {
				t.Errorf("%q is masked as %q", text, got)
			}
			for i := range characters(value) {
				n := 0
				text := "<" + spelled(value, func() string { return "html, decimal" }, func() string {
					if n++; n == i {
						return cut
					}
					return ""
				}) + ">"
				if got := m.Mask(text); got != "<***>" {
					t.Errorf("%q is masked as %q", text, got)
				}
			}
		}
		for _, cut := range []string{"x", "\x1b]0;never ended", "\n\n\n\n\n", "  "} {
			if text := value[:4] + cut + value[4:]; m.Mask(text) != text {
				t.Errorf("%q is masked as %q", text, m.Mask(text))
			}
		}
	}
}

// perChar are the encoders that write a text character by character.
var perChar = []string{"plain", "plain", "plain", "html", "html, decimal", "html, hex", "quoted, all", "url, all", "Python bytes", "JSON, all escaped",
	"JSON, upper", "Python, long", "octal", "shell, backslash", "bold"}

func checkSpelled(t testing.TB, value string, rnd *rand.Rand) {
	m := New()
	m.Add(value)
	pick := func(list []string) string { return list[rnd.IntN(len(list))] }
	calm := rnd.IntN(2) == 0
	text := spelled(value, func() string { return pick(perChar) }, func() string {
		if calm && rnd.IntN(3) > 0 {
			return ""
		}
		return pick(cuts)
	})
	lengths := make([]byte, rnd.IntN(6))
	for i := range lengths {
		lengths[i] = byte(rnd.IntN(9))
	}
	text = "<< " + text + " >>\n"
	if got := m.Mask(text); got != "<< *** >>\n" {
		t.Fatalf("%q, spelled %q, is masked as %q", value, text, got)
	}
	if got := chop(t, m, text, lengths); got != "<< *** >>\n" {
		t.Fatalf("%q, spelled %q and cut by %v, is masked as %q", value, text, lengths, got)
	}
}

func TestAnySpellingAnyCut(t *testing.T) {
	for seed := range uint64(2000) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		checkSpelled(t, awkward[rnd.IntN(len(awkward))], rnd)
	}
}

// FuzzSpelled hides values that are written in any mixture of ways and cut anywhere: nothing is shown, nothing is missing.
func FuzzSpelled(f *testing.F) {
	for i, value := range awkward {
		f.Add(value, uint64(i))
	}
	f.Fuzz(func(t *testing.T, value string, seed uint64) {
		if n := utf8.RuneCountInString(value); n < MinValue || n > 80 || !utf8.ValidString(value) || strings.TrimSpace(value) != value ||
			strings.ContainsFunc(value, func(r rune) bool {
				return r < ' ' || r == 0x7f || r == '<' || r == '>' || strings.ContainsRune("\u00ad\u034f\u180e\ufeff", r) || r >= 0x200b && r < 0x2070 ||
					r >= 0xfe00 && r < 0xfe10
			}) {
			t.Skip()
		}
		checkSpelled(t, value, rand.New(rand.NewPCG(seed, 5)))
	})
}

// TestExcerpt hides a secret's beginning from three characters on at the end of what may go on, and nothing else.
func TestExcerpt(t *testing.T) {
	m := New()
	for _, value := range []string{"hunter2", "s3cr3t-value", "p&ss<w>rd"} {
		m.Add(value)
	}
	for text, want := range map[string]string{
		"code 16":                  "code 16",
		"HTTP status: 502":         "HTTP status: 502",
		"it says hu":               "it says hu",
		"it says hun":              "it says ***",
		"it says h\x1b[1mu\x1b[mn": "it says ***",
		"token: p&amp;s":           "token: ***",
		"hunter2":                  "***",
		"hunter2 and hunt":         "*** and ***",
		"hunter2hunt":              "******",
	} {
		if got := m.Excerpt(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
	for c := byte(' '); c < 0x7f; c++ {
		if text := "the end: " + string(c); m.Excerpt(text) != text || m.Mask(text) != text {
			t.Errorf("%q is shown as %q, and %q when it goes on", text, m.Mask(text), m.Excerpt(text))
		}
	}
}

// TestSettle writes what has stood still, but for what may be a secret.
func TestSettle(t *testing.T) {
	m := New()
	m.Add("hunter2")
	var out bytes.Buffer
	w := m.Writer(&out)
	for _, step := range []struct{ text, want string }{
		{"Password: hu", "Password: hu"}, {"nter", "Password: hu"}, {"2.", "Password: hu***."}, {" hunt", "Password: hu***. "}, {"er2", "Password: hu***. ***"},
	} {
		w.Write([]byte(step.text))
		w.Settle()
		if out.String() != step.want {
			t.Errorf("after %q: %q, want %q", step.text, out.String(), step.want)
		}
	}
}

// TestQuotedAgain finds what was quoted more than once, as a JSON body in a message, and a page in JSON.
func TestQuotedAgain(t *testing.T) {
	m := New()
	const value = "a\"b\\c\n<d>'é"
	m.Add(value)
	text := value
	for range 3 {
		text = strconv.Quote(text)
		if got := m.Mask("x" + text + "x"); strings.Trim(got, `x"\`) != Mark {
			t.Errorf("%s is shown as %s", text, got)
		}
	}
	page, err := json.Marshal("<p>" + html.EscapeString(html.EscapeString(value)) + "</p>")
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Mask(string(page)); strings.Count(got, Mark) != 1 || strings.Contains(got, "34") {
		t.Errorf("%s is shown as %s", page, got)
	}
	if text := `a\"b\\d\x`; m.Mask(text) != text {
		t.Errorf("%s is shown as %s", text, m.Mask(text))
	}
}

// TestBehind masks what goes on with a secret that began before, and nothing else.
func TestBehind(t *testing.T) {
	m := New()
	m.Add("hunter2-pass")
	for _, c := range []struct {
		before, text string
		more         bool
		want         string
	}{
		{"it is hunter", "2-pass.", false, "***."},
		{"it is hunt\x1b[1mer", "2-pa\x1b[mss", false, "***"},
		{"it is hunter2-pass", " and hunter2-pass", false, " and ***"},
		{"it is hunter", "2 or 3", false, "2 or 3"},
		{"", "hunter2-pass", true, "***"},
		{"it is hun", "ter", true, "***"},
		{"it is hun", "ter", false, "ter"},
	} {
		if got := m.Behind(c.before, c.text, c.more); got != c.want {
			t.Errorf("%q behind %q is shown as %q, want %q", c.text, c.before, got, c.want)
		}
	}
}
