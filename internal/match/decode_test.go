package match

import (
	"strings"
	"testing"
)

// viewOf is the text view of an output that comes in the given pieces.
func viewOf(keepNUL bool, pieces ...string) string {
	s := offline(24, 80, keepNUL)
	for _, p := range pieces {
		s.ingest([]byte(p))
	}
	s.dec.flush(s)
	return string(s.text.bytes(0, s.text.end))
}

func TestTextView(t *testing.T) {
	once(t)
	for _, tt := range []struct{ name, in, want string }{
		{"colour", "\x1b[31mErr\x1b[0mor", "Error"},
		{"colour with colons", "\x1b[38:2::1:2:3mx\x1b[m", "x"},
		{"title ended by BEL", "a\x1b]0;title\x07b", "ab"},
		{"title ended by ST", "a\x1b]0;ti\u00e9tle\x1b\\b", "ab"},
		{"hyperlink", "\x1b]8;;http://x/\x1b\\here\x1b]8;;\x1b\\.", "here."},
		{"device control string", "a\x1bPq#0;2\x07...\x1b\\b", "ab"},
		{"string cancelled", "a\x1b]0;title\x18b", "ab"},
		{"character set, keypad, cursor shape", "\x1b(B\x1b=\x1b[3 qx\x1b>", "x"},
		{"private modes", "\x1b[?25l\x1b[?2004hx\x1b[>4;1m", "x"},
		{"DEL in a sequence", "a\x1b[2\x7fCb", "a  b"},
		{"a marker that comes late", "a\x1b[2?Cb\x1b[2?25hc", "abc"},
		{"ten modes at once", "\x1b[?1;2;3;4;5;8;12;25;1004;7lab", "ab"},
		{"CRLF", "a\r\nb\r\n", "a\nb\n"},
		{"lone CR, tab, backspace", "a\rb\tc\bd", "a\rb\tc\bd"},
		{"two CR and LF", "a\r\r\nb", "a\nb"},
		{"many CR and LF", "a\r\r\r\r\nb\r\r", "a\nb\r\r"},
		{"CRs, erasing between, and LF", "a\r\x1b[K\r\nb", "a\nb"},
		{"CR, a colour and LF", "a\r\x1b[0m\nb", "a\nb"},
		{"CRs, a title and paddings between, and LF", "a\r\x1b]0;t\x07\r\x00\x1b[?25h\r\nb", "a\nb"},
		{"CR and LF in the middle of a sequence", "a\r\x1b[3\n1mb", "a\nb"},
		{"CR, erasing and text", "50%\r\x1b[K51%\r\x1b[K", "50%\r51%\r"},
		{"CR, a movement down and LF", "a\r\x1b[B\nb", "a\r\n\nb"},
		{"CR and a reset", "a\r\x1bc\nb", "a\r\nb"},
		{"CR and REP", "a\r\x1b[2b\nb", "a\raa\nb"},
		{"CR at the end", "a\r", "a\r"},
		{"UTF-8", "h\u00e9llo \u6f22\U0001f600", "h\u00e9llo \u6f22\U0001f600"},
		{"invalid UTF-8", "a\xffb\xe2\x82c\xed\xa0\x80", "a\ufffdb\ufffd\ufffdc\ufffd\ufffd\ufffd"},
		{"half a character at the end", "a\xe2\x82", "a\ufffd\ufffd"},
		{"no-break space", "a\u00a0b", "a b"},
		{"NUL", "a\x00b", "ab"},
		{"REP", "0\x1b[5b|\u00e9\x1b[2b.", "000000|\u00e9\u00e9\u00e9."},
		{"REP of nothing, and of what an escape sequence parted", "\x1b[3ba\x1b[1mb\x1b[m\x1b[b", "abb"},
		{"CUF", "Do you\x1b[5Cwant", "Do you     want"},
		{"CUF in place of a blank", "Do\x1b[Cyou\x1b[1Cwant", "Do you want"},
		{"CHA to the right", "ab\x1b[6Gc", "ab   c"},
		{"CHA to the left", "abcdef\x1b[2Gx", "abcdefx"},
		{"HPA", "ab\x1b[6`c", "ab   c"},
		{"CUP on the same row", "ab\x1b[1;6Hc", "ab   c"},
		{"to the right on an empty row", "\x1b[1;6Hc", "c"},
		{"to the right on an empty row, after a line", "x\r\n\x1b[5Cc", "x\nc"},
		{"CUP to another row", "ab\x1b[3;1Hc", "ab\nc"},
		{"up and down", "ab\x1b[2Bc\x1b[Ad", "ab\nc\nd"},
		{"next line, index, reverse index", "a\x1bEb\x1bDc\x1bMd", "a\nb\nc\nd"},
		{"VPA", "a\x1b[5dc", "a\nc"},
		{"alternate screen", "$ vi\x1b[?1049hfile\x1b[?1049l$ ", "$ vi\nfile\n$ "},
		{"erasing", "abc\x1b[K\x1b[2J\x1b[1Pd", "abcd"},
		{"cursor saved and restored on the row", "ab\x1b7cd\x1b8e", "abcde"},
		{"left", "abc\x1b[2Dx", "abcx"},
		{"back and forward over text", ">>> \x1b[4D\x1b[4C1", ">>> 1"},
		{"back, and forward beyond the text", "ab\x1b[2D\x1b[5Cc", "ab   c"},
		{"CR and forward beyond the text", "Loading\r\x1b[9C done", "Loading\r   done"},
		{"CR and forward", "Loading\r\x1b[7C done", "Loading\r done"},
		{"backspaces and forward", "abc\b\b\x1b[2Cd", "abc\b\bd"},
		{"CR and CHA", "$ ls\r\x1b[5Gx", "$ ls\rx"},
		{"CR and HPA", "$ ls\r\x1b[6`x", "$ ls\r x"},
		{"CUP back and forward", "$ ls\x1b[1;1H\x1b[1;5Hx", "$ lsx"},
		{"blanks made once", "a\x1b[3Cb\r\x1b[5Cc", "a   b\rc"},
		{"a gap that nothing was drawn on", "\x1b[5Cab\r\x1b[7Cc", "ab\r     c"},
		{"wide characters and forward", "漢字\r\x1b[4C.", "漢字\r."},
		{"combining characters and forward", "e\u0301x\r\x1b[3C.", "e\u0301x\r ."},
		{"a tab and forward", "a\tb\r\x1b[9C.", "a\tb\r."},
		{"erased to the end", "Loading\r\x1b[2C\x1b[K\x1b[2Cx", "Loading\r  x"},
		{"erased cells", "abcdef\r\x1b[2X\x1b[6Cx", "abcdef\r  x"},
		{"the next row has nothing", "abcdef\r\nab\x1b[4Cx", "abcdef\nab    x"},
		{"a row that was wrapped into", strings.Repeat("x", 82) + "\r\x1b[3C.", strings.Repeat("x", 82) + "\r ."},
		{"a wide character that wraps", strings.Repeat("x", 79) + "漢\r\x1b[3C.", strings.Repeat("x", 79) + "漢\r ."},
		{"cells deleted", "abcdef\r\x1b[4P\x1b[4Cx", "abcdef\r  x"},
		{"cells inserted", "ab\r\x1b[2@\x1b[4Cx", "ab\r  x"},
		{"a tab back", "abcdefghij\x1b[Z\x1b[2C.", "abcdefghij."},
		{"beyond the margin", "ab\x1b[999Cc", "ab" + strings.Repeat(" ", 77) + "c"},
		{"control inside a sequence", "a\x1b[3\n1mb", "a\nb"},
		{"sequence inside a sequence", "a\x1b[3\x1b[1mb", "ab"},
		{"character inside a sequence", "a\x1b[3\u00e9b", "a\u00e9b"},
		{"strange parameters", "a\x1b[1 2mb\x1b[99999999999Cc", "ab" + strings.Repeat(" ", 77) + "c"},
	} {
		if got := viewOf(false, tt.in); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		for i := range len(tt.in) {
			if got := viewOf(false, tt.in[:i], tt.in[i:]); got != tt.want {
				t.Errorf("%s, cut at %d: %q, want %q", tt.name, i, got, tt.want)
			}
		}
		bytes := make([]string, len(tt.in))
		for i := range bytes {
			bytes[i] = tt.in[i : i+1]
		}
		if got := viewOf(false, bytes...); got != tt.want {
			t.Errorf("%s, byte by byte: %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := viewOf(true, "a\x00", "\x00b"); got != "a\x00\x00b" {
		t.Errorf("NULs kept: %q", got)
	}
}

func TestTailsOfPatterns(t *testing.T) {
	for _, tt := range []struct{ expr, yes, no string }{
		{`re:(\d+)\n`, "\n", "5r"},
		{`a(b|cd?)`, "bcd", "a"},
		{`x[a-c]*`, "xabc", "d"},
		{`(?i)k`, "kK\xaa", "a"},
		{`a$`, "a", "b"},
		{`é+`, "\xa9\xff", "e"},
		{`a{0,2}b?`, "az\n", ""},
		{`ab(?:c|)`, "cb", "a"},
	} {
		set := compile(t, false, tt.expr)
		tail := set.pats[0].tail
		for i := range len(tt.yes) {
			if !tail.has(tt.yes[i]) {
				t.Errorf("%s cannot end with %q", tt.expr, tt.yes[i])
			}
		}
		for i := range len(tt.no) {
			if tail.has(tt.no[i]) {
				t.Errorf("%s can end with %q", tt.expr, tt.no[i])
			}
		}
	}
}

func TestNeedlesAreInEveryLiteral(t *testing.T) {
	for _, lits := range [][]string{{"warn: code 1", "error: code 2", "DONE-"}, {"abc", "abd", "abe"}, {"xyz", "uvw", "rst"}} {
		needles := needlesOf(lits)
		if needles == nil {
			t.Errorf("none for %q", lits)
		}
		for _, l := range lits {
			found := false
			for _, n := range needles {
				found = found || strings.Contains(l, string(n))
			}
			if !found {
				t.Errorf("%q has none of %q", l, needles)
			}
		}
	}
	if n := needlesOf([]string{"abc", "def", "ghi", "jkl"}); n != nil {
		t.Errorf("four texts with nothing in common: %q", n)
	}
	if n := needlesOf([]string{"ab", "abc"}); n != nil {
		t.Errorf("a text of two bytes: %q", n)
	}
}
